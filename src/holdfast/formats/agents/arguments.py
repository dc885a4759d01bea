"""What an agent may ask for: how many rows."""

from __future__ import annotations

from typing import Final

from holdfast.core.errors import UsageError

__all__ = ["MOST", "limit_asked"]

MOST: Final = 100
"""Rows that an answer has at most."""


def limit_asked(number: int) -> int:
    """How many rows an agent wants."""
    if not 1 <= number <= MOST:
        raise UsageError(f"limit is a number from 1 to {MOST}")
    return number
