"""Cited URLs and local links: their states, what one look changes, where they lead."""
