"""What a run has come to, as its row tells: how many of what, and how far a crawl has got."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Final

from holdfast.core.values import dataclass

__all__ = ["NO_TALLY", "CrawlMarks", "RunTally"]

_MARKS: Final = {
    "discovered": "is_discovered",
    "follow": "follows",
    "update": "is_update",
    "quiet": "is_quiet",
}
"""The names of the marks among the counts, where ledgers keep them."""


@dataclass(frozen=True, slots=True)
class CrawlMarks:
    """How far a crawl has got; None is what it has not said: whether its lists were read, whether it follows
    links, whether it updates a mirror, and whether nothing was new.
    """

    is_discovered: bool | None = None
    follows: bool | None = None
    is_update: bool | None = None
    is_quiet: bool | None = None


@dataclass(frozen=True, slots=True)
class RunTally:
    """Counts by their words, and the marks of a crawl."""

    counts: Mapping[str, int] = field(default_factory=dict)
    marks: CrawlMarks = CrawlMarks()

    def flat(self) -> dict[str, int]:
        """Both in one table of numbers, as ledgers keep it and `holdfast runs --json` shows it."""
        said = {word: getattr(self.marks, name) for word, name in _MARKS.items()}
        marks = {word: int(mark) for word, mark in said.items() if mark is not None}
        return dict(sorted({**self.counts, **marks}.items()))

    @classmethod
    def of(cls, flat: Mapping[str, int]) -> RunTally:
        """Read what `flat` made."""
        marks = {name: flat[word] == 1 for word, name in _MARKS.items() if word in flat}
        return cls({word: count for word, count in flat.items() if word not in _MARKS}, CrawlMarks(**marks))


NO_TALLY: Final = RunTally()
