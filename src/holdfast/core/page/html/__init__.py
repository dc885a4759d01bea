"""HTML as a tree, what of it is content, and what it says of itself."""
