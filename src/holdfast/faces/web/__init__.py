"""`holdfast serve`: the pages and the API."""
