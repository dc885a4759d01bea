"""From a capture to a page: its text, its sections, its links, its Markdown."""
