"""What a disk may hold after a power cut, and what Holdfast makes of it (SEC-6)."""
