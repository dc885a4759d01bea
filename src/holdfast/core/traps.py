"""Endless spaces: calendars, counters and parameter spaces that links lead into.

1. The rules bind URLs found by links. A listed URL (sitemap, feed, file, start) is never refused here.
2. `depth`: a path of more than 24 segments is refused, and one in which a run of segments stands three
   times in a row and covers at least five of them (`/a/b/a/b/a/b`): the mark of a relative link that
   feeds on itself.
3. A URL's pattern is its path with every run of digits as `0`, and `?` in place of a query. URLs
   without digits and query have no pattern.
4. `near-duplicates`: once 20 pages of a pattern are known, each next one is compared with the one before
   it, numbers aside. When `trap_similar` comparisons of a pattern (50) have been made and at least half
   of them were nearly equal (core.similarity), the pattern is closed: what else it holds is refused.
5. `pattern`: a pattern is closed for good after `trap_pages` pages (5,000).
6. A limit of 0 turns its rule off; `trap_pages` 0 turns off depth as well.

Decisions are made in frontier order on pages that took effect, so they are a function of the responses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from holdfast.core.url import Url

__all__ = ["COMPARE_FROM", "Tally", "Trap", "Traps", "pattern_of"]

MAX_SEGMENTS: Final = 24
MAX_REPEATS: Final = 3
MIN_REPEATED: Final = 5
COMPARE_FROM: Final = 20

_NUMBER = re.compile(r"\d+")


class Trap(StrEnum):
    """Which rule stopped a URL."""

    DEPTH = "trap: path too deep"
    REPEATS = "trap: repeating path"
    SIMILAR = "trap: near-duplicates"
    PATTERN = "trap: too many pages of one pattern"


@dataclass(slots=True)
class Tally:
    """What is known of one pattern."""

    pages: int = 0
    compared: int = 0
    alike: int = 0


@dataclass(slots=True)
class Traps:
    """The state of the rules over one crawl; fed in frontier order."""

    trap_pages: int = 5_000
    trap_similar: int = 50
    tallies: dict[str, Tally] = field(default_factory=dict)

    def refusal(self, url: Url) -> Trap | None:
        """Why a URL found by links gets no further; None when it may."""
        if self.trap_pages and (deep := _depth_trap(url.path)) is not None:
            return deep
        pattern = pattern_of(url)
        tally = self.tallies.get(pattern) if pattern else None
        if tally is None:
            return None
        if self.trap_pages and tally.pages >= self.trap_pages:
            return Trap.PATTERN
        if self.trap_similar and tally.compared >= self.trap_similar and 2 * tally.alike >= tally.compared:
            return Trap.SIMILAR
        return None

    def wants_comparison(self, url: Url) -> bool:
        """Whether the next page of this URL's pattern must be compared with the one before it."""
        pattern = pattern_of(url)
        tally = self.tallies.get(pattern) if pattern else None
        return bool(self.trap_similar) and tally is not None and tally.pages >= COMPARE_FROM

    def count(self, url: Url, *, alike: bool | None = None) -> None:
        """A page found by links took effect; `alike` is the result of the comparison, if there was one."""
        pattern = pattern_of(url)
        if pattern is None:
            return
        tally = self.tallies.setdefault(pattern, Tally())
        tally.pages += 1
        if alike is not None:
            tally.compared += 1
            tally.alike += alike


def pattern_of(url: Url) -> str | None:
    """What a URL has in common with its endless siblings; None where nothing can vary."""
    path = _NUMBER.sub("0", url.path)
    if url.query is None and path == url.path and "0" not in path:
        return None
    return f"{url.origin}{path}{'' if url.query is None else '?'}"


def _depth_trap(path: str) -> Trap | None:
    segments = [segment for segment in path.split("/") if segment]
    if len(segments) > MAX_SEGMENTS:
        return Trap.DEPTH
    for width in range(1, len(segments) // MAX_REPEATS + 1):
        run = 0
        for at in range(width, len(segments)):
            run = run + 1 if segments[at] == segments[at - width] else 0
            if run >= width * (MAX_REPEATS - 1) and run + width >= MIN_REPEATED:
                return Trap.REPEATS
    return None
