"""What an update did with each page, and why (MIR-11).

new                        fetched for the first time
changed                    fetched, and it says something else
unchanged                  `lastmod` (not asked), `304`, or `same content` (fetched, and nothing was new)
moved                      its address leads to another page now
gone                       no list names it any more, or the site says 404
failed, refused            as it stands in `_failed.log`
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum

from holdfast.core.redaction import Shown
from holdfast.core.values import dataclass

__all__ = ["Fate", "Happening", "UpdateReport", "tally"]


class Fate(StrEnum):
    """What became of a page."""

    NEW = "new"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    MOVED = "moved"
    GONE = "gone"
    FAILED = "failed"
    REFUSED = "refused"
    NO_PAGE = "no page"


@dataclass(frozen=True, slots=True)
class Happening:
    """One URL: what became of it, and why."""

    url: Shown
    fate: Fate
    why: str = ""

    def __str__(self) -> str:
        return f"{self.fate}: {self.why}" if self.why else str(self.fate)


@dataclass(frozen=True, slots=True)
class UpdateReport:
    """All that happened, in frontier order, and which pages were deleted; `held_back` says why not more.
    `budget` is how many pages were to be asked at most, where that left some out.
    """

    happenings: tuple[Happening, ...]
    deleted: tuple[str, ...] = ()
    held_back: str | None = None
    budget: int | None = None


def tally(happenings: Iterable[Happening]) -> dict[str, int]:
    """How often each thing happened, by fate, then by reason; reasons that name URLs are left out."""
    counts = Counter((h.fate, h.why if h.fate is Fate.UNCHANGED else "") for h in happenings)
    order = list(Fate)
    return {
        str(Happening(Shown(""), fate, why)): counts[fate, why]
        for fate, why in sorted(counts, key=lambda pair: (order.index(pair[0]), pair[1]))
    }
