"""What the crawl notes beside a frontier entry, to find it there after a restart.

Words (why an entry failed), and the facts that the rules need again: what a page names as its canonical, how
a comparison ended, whose capture waits in the archive, until when a host wants to be left alone; whether the
entry belongs to the final pass; `turn`, its number among all that took effect since that pass began (before,
effects come in the order of the frontier); whether it took effect before a crash and is to do so `again`; the
gist of what it said, and whether its links were left alone for that (`dead_end`).
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from holdfast.core.hashing import UrlKey
from holdfast.core.values import dataclass

__all__ = ["NO_NOTE", "EntryNote"]


@dataclass(frozen=True, slots=True)
class EntryNote:
    """The facts; what is absent is not known."""

    words: str = ""
    names: str | None = None
    alike: bool | None = None
    waiting: UrlKey | None = None
    until: datetime | None = None
    asked_at: datetime | None = None
    final: bool = False
    again: bool = False
    turn: int = 0
    gist: str = ""
    dead_end: bool = False


NO_NOTE: Final = EntryNote()
