"""A web that misbehaves by script, on loopback."""
