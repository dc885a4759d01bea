"""What happened, and who is told of it."""
