"""The console blocks of README and guides, run as they are written."""
