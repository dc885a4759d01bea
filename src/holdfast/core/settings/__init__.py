"""Settings: how they are declared, where each came from, and the files that hold them."""
