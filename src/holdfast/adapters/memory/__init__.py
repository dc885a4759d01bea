"""Every port without the outside world: for tests, and for trying things out."""
