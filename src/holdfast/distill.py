"""Capture + Recipe → Page."""
