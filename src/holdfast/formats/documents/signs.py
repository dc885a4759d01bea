"""Where in a Markdown text something that is wanted may stand.

The searches are regular expressions that begin with a character: those skip at the speed of memory, which
`bytes.find` does for one byte only.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from typing import Final

__all__ = ["DEFINITION", "SLASHES", "WWW", "Marks", "places_of", "signs_of", "uses_of"]

SLASHES: Final = re.compile(rb"//")
WWW: Final = re.compile(rb"www\.")
DEFINITION: Final = re.compile(rb"\]:")
"""A reference or a footnote is defined."""
_ESCAPED_SLASH = re.compile(rb"\\/")
_CODED_SLASH = re.compile(rb"&(?:#|sol;)")
_WISH = re.compile(rb"holdfast:")
_USE = re.compile(rb"\](?!\([^\s()<>\\`]*\))")
"""Where a reference may end: at any bracket but that of an inline link which cannot be misread."""


class Marks:
    """Places in order, passed one by one."""

    __slots__ = ("_at", "_places", "next")

    def __init__(self, places: list[int]) -> None:
        self._places = [*places, sys.maxsize]
        self._at = 0
        self.next = self._places[0]

    def pass_by(self) -> None:
        """Go on to the next place."""
        self._at += 1
        self.next = self._places[self._at]

    def reach_into(self, start: int, end: int) -> bool:
        """Whether a place stands in a range; ranges are asked for in order."""
        if self.next < start:
            self._at = bisect_left(self._places, start, self._at)
            self.next = self._places[self._at]
        return self.next < end


def places_of(pattern: re.Pattern[bytes], text: bytes) -> list[int]:
    """Where a pattern matches, in order."""
    return [match.start() for match in pattern.finditer(text)]


def signs_of(text: bytes) -> list[int]:
    """The places without one of which no external URL is written, and no ignore."""
    places = places_of(SLASHES, text) + places_of(WWW, text)
    if b"\\" in text:
        places += places_of(_ESCAPED_SLASH, text)
    if b"&" in text:
        places += places_of(_CODED_SLASH, text)
    if b"<" in text and _WISH.pattern in text:
        places += places_of(_WISH, text)
    return places


def uses_of(text: bytes) -> list[int]:
    """The places without one of which no reference is used."""
    return places_of(_USE, text)
