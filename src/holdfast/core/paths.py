"""Canonical URLs to names on disk, and back."""
