"""All that is read from the HTML of a page: by the native reader where it is built, else by the reference."""
