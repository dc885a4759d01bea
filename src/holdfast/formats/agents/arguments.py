"""What an agent may ask for: dates and limits, read from what it wrote.

A date without time means the end of that day, in UTC (as everywhere); where something begins, its start.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from holdfast.core.errors import UsageError
from holdfast.core.versions import moment_of

__all__ = ["MOST", "limit_asked", "moment_asked", "start_asked"]

MOST: Final = 100
"""Rows that an answer has at most."""


def moment_asked(text: str) -> datetime:
    """A date as an agent wrote it: the end of what it names."""
    moment = moment_of(text)
    if moment is None:
        raise UsageError(f"{text[:80]!r} is not a date", hint="such as 2026-05-04 or 2026-05-04T12:00")
    return moment


def start_asked(text: str) -> datetime:
    """The same where something begins: the start of the day."""
    moment = moment_asked(text)
    return moment.replace(hour=0, minute=0, second=0, microsecond=0) if len(text) == 10 else moment


def limit_asked(number: int) -> int:
    """How many rows an agent wants."""
    if not 1 <= number <= MOST:
        raise UsageError(f"limit is a number from 1 to {MOST}")
    return number
