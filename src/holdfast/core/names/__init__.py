"""What everything is called. `names.toml` has each name, today's and that of 0.1.0, and why.

`suggestions.toml` says what a word means that this program does not have; `table` reads both.
"""
