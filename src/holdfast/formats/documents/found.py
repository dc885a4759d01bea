"""What a reader of one format finds: places in the bytes it was given, not yet lines and columns.

1. `start` and `end` are the bytes of the URL as written: cut them out and you hold the URL, with the
   format's escapes still in it. `url` is what the format says they mean.
2. Where a URL stands apart from its use (a reference definition, a target), `used_at` is the use.
3. A reader sees the bytes of one region; `Region` puts what it found back into the file.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from holdfast.core.page import LinkKind
from holdfast.core.values import dataclass

__all__ = ["Comment", "Found", "Region"]


class Found(NamedTuple):
    """A URL in a region: its meaning, its name, its kind, its bytes."""

    url: str
    text: str
    kind: LinkKind
    start: int
    end: int
    used_at: int = -1


class Comment(NamedTuple):
    """A comment of the format's own, where ignores are written: its text and its bytes."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Region:
    """Text put together from pieces of a file: where each piece begins, here and there."""

    here: tuple[int, ...]
    there: tuple[int, ...]

    @classmethod
    def of(cls, pieces: list[tuple[int, int]]) -> Region:
        """The region of consecutive pieces, each given by its place in the file and its length."""
        here, there, at = [], [], 0
        for place, length in pieces:
            here.append(at)
            there.append(place)
            at += length
        return cls(tuple(here), tuple(there))

    def back(self, offset: int) -> int:
        """Where an offset of the region stands in the file."""
        piece = max(bisect_right(self.here, offset) - 1, 0)
        return self.there[piece] + offset - self.here[piece]

    def back_end(self, offset: int) -> int:
        """As `back`, for the end of something: the end of a piece stays with that piece."""
        return self.back(offset - 1) + 1 if offset else self.back(0)

    def place(self, found: Found) -> Found:
        """The same find, in the file."""
        used_at = self.back(found.used_at) if found.used_at >= 0 else -1
        return found._replace(start=self.back(found.start), end=self.back_end(found.end), used_at=used_at)
