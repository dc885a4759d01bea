"""The user's documents: where they cite, which places they have, and how links are written into them."""
