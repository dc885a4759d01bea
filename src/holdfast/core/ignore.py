"""Which citations do not count, because someone said so and why.

1. An ignore covers lines of one document. It says its reason, and perhaps its last day.
2. An ignore that covers no link is reported: what it was for is gone.
3. It is obeyed up to and including that day; then it has expired, and is reported instead.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date

__all__ = ["Ignore", "IgnoreProblem", "ignored_on", "unused"]


@dataclass(frozen=True, slots=True)
class Ignore:
    """A wish in a comment on `line`, for the lines `first` to `last`."""

    line: int
    first: int
    last: int
    reason: str
    until: date | None = None

    def expired(self, today: date) -> bool:
        """Whether its last day is over."""
        return self.until is not None and today > self.until


@dataclass(frozen=True, slots=True)
class IgnoreProblem:
    """A wish that was not understood, or holds no more."""

    line: int
    message: str


def ignored_on(line: int, ignores: Sequence[Ignore], today: date) -> Ignore | None:
    """The first ignore in force that covers a line."""
    covering = (ignore for ignore in ignores if ignore.first <= line <= ignore.last)
    return next((ignore for ignore in covering if not ignore.expired(today)), None)


def unused(ignores: Sequence[Ignore], lines: Collection[int], today: date) -> tuple[Ignore, ...]:
    """The ignores in force that cover none of the lines on which links stand."""
    return tuple(
        ignore
        for ignore in ignores
        if not ignore.expired(today) and not any(ignore.first <= line <= ignore.last for line in lines)
    )
