"""Pure values and decisions. Standard library and the URL parser only; no I/O, clock, chance or log."""
