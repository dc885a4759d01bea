"""What a mirror was asked for, what becomes of each entry, and what follows from it."""
