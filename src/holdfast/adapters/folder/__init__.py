"""The mirror's folder: atomic, durable, and never by a symlink."""
