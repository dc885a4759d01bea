"""The one place that maps URLs to names on disk (PATH-10)."""
