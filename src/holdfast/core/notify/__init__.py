"""Notifications: who is told, what of, when, and when once more (TRK-10)."""
