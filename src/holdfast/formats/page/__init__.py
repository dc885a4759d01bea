"""A page's HTML to everything that is read from it: natively where that form is built, else by the reference."""
