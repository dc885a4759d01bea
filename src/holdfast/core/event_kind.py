"""What can happen to a page, to a cited URL, or to a mirror: a closed set. A row of `EventKind` is all that
defines one: the ledger, feeds, notifications, pages and schemas speak of events by these words.

1. What is told without being asked for is what is new or worse; what got better is told where it is wanted.
2. The words are kept in ledgers: a word never changes its meaning.
"""

from __future__ import annotations

from enum import StrEnum

__all__ = ["EventKind"]


class EventKind(StrEnum):
    """What happened."""

    is_told: bool
    """Whether a notification speaks of it unless told otherwise."""
    sentence: str
    """What a reader is told."""

    def __new__(cls, name: str, is_told: bool = False, sentence: str = "") -> EventKind:  # noqa: FBT001, FBT002 # a row
        """A kind with its row."""
        kind = str.__new__(cls, name)
        kind._value_ = name
        kind.is_told, kind.sentence = is_told, sentence
        return kind

    NEW = "new", True, "a page came to a mirror"
    CHANGED = "changed", True, "a page, or what is cited, says something else"
    GONE = "gone", True, "a mirrored site has the page no more"
    DIED = "died", True, "what is cited is dead, and that is confirmed"
    FAILED = "failed", True, "a run of a mirror failed"
    MOVED = "moved", False, "what is cited moved for good"
    REVIVED = "revived", False, "what is cited was dead, and answers again"
