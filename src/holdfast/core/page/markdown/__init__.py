"""The tree written as Markdown."""
