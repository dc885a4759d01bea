"""Bytes or text in, values out (and back). Parsers are allowed here; I/O, clock and environment are not."""
