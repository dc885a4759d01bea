"""HTML: one parse, one tree, and everything that is read from it."""
