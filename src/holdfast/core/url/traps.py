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
6. `repeats`: a page's gist is its text without numbers and words of its own address, links apart. Once
   20 + `trap_similar` pages of a host have said the same, links of further ones that say it are not followed.
   So do pages that say the same but for the words of their links, once they are `trap_pages` (5,000): lists
   of files look like that, and are finite. This ends what has no pattern: sessions in paths, made-up words,
   links that feed on themselves. The pages themselves are kept; their canonical links are followed.
7. A limit of 0 turns its rule off; `trap_pages` 0 turns off depth as well.

Decisions are made in frontier order on pages that took effect, so they are a function of the responses.
"""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import field
from enum import StrEnum
from typing import Final

from holdfast.core.base.values import dataclass
from holdfast.core.url.url import Url

MAX_SEGMENTS: Final = 24
MAX_REPEATS: Final = 3
MIN_REPEATED: Final = 5
COMPARE_FROM: Final = 20

GISTS: Final = 20_000
"""How many different gists are remembered, the last ones met: an endless space says its own all the time."""
_GIST: Final = 8

_NUMBER = re.compile(r"\d+")
_DIGIT = re.compile(rb"[0-9]")
_APART: Final = bytes(code if code > 127 or chr(code).isalnum() else 32 for code in range(256))


class Trap(StrEnum):
    """Which rule stopped a URL."""

    DEPTH = "trap: path too deep"
    REPEATS = "trap: repeating path"
    SIMILAR = "trap: near-duplicates"
    PATTERN = "trap: too many pages of one pattern"
    REPEATED = "trap: links of pages that repeat each other"


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
    said: OrderedDict[str, int] = field(default_factory=OrderedDict)

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

    def leads_nowhere(self, url: Url, gist: str) -> bool:
        """Whether so many pages of this host said the same that the links of one more are not followed."""
        same, nearly_same = (self.said.get(key, 0) for key in _keys(url, gist))
        most = self.trap_similar + COMPARE_FROM if self.trap_similar else same
        return same > most or 0 < self.trap_pages < nearly_same

    def count(self, url: Url, *, alike: bool | None = None, gist: str = "") -> None:
        """A page found by links took effect; `alike` is the result of the comparison, if there was one."""
        for key in _keys(url, gist) if gist else ():
            self.said[key] = self.said.pop(key, 0) + 1
            if len(self.said) > 2 * GISTS:
                self.said.popitem(last=False)
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


def gist_of(text: str, url: Url, linked: Iterable[str]) -> str:
    """What a page says, without its numbers and the words of its own address, as a short hash; and a second
    one, without the words of its links (`linked` are their texts). Nothing, where it says nothing.
    """
    words, links = _words(text), frozenset(_words(" ".join(linked)))
    own = frozenset(_words(url.target)) - links
    left_out = own | {word for word in set(words) if not word.isalpha() and _DIGIT.search(word)}
    words = [word for word in words if word not in left_out]
    return gist_of_words(b" ".join(words), b" ".join([word for word in words if word not in links]))


def gist_of_words(all_words: bytes, unlinked: bytes) -> str:
    """The gist that is made of these words, and of those that are of no link."""
    return _short_hash(all_words) + _short_hash(unlinked) if all_words else ""


def _words(text: str) -> list[bytes]:
    """Runs of letters and digits, in lower case; what is not ASCII counts as a letter."""
    return text.lower().encode("utf-8", "replace").translate(_APART).split()


def _short_hash(words: bytes) -> str:
    return hashlib.sha256(words).hexdigest()[:_GIST]


def _keys(url: Url, gist: str) -> tuple[str, str]:
    """What the two halves of a gist are counted under."""
    return f"{url.origin} {gist[:_GIST]}", f"{url.origin} ~{gist[_GIST:]}"
