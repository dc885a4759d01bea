"""What a URL is, what it is compared by, which name it gets on disk, and which URLs belong to a mirror."""
