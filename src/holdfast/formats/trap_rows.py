"""Pages that the trap rules have seen, as rows of bytes: sorted, they are in the order in which they counted.

A run that goes on reads its pages in the order of the frontier, and counts them in the order of their turns.
As rows they can be sorted where not all of them fit in memory.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from holdfast.core.place import Place

__all__ = ["CountedPage", "read_trap_row", "trap_row"]


class CountedPage(NamedTuple):
    """A page, and what its note says for the traps."""

    place: Place
    alike: bool | None
    gist: str


def trap_row(page: CountedPage, turn: int, number: int) -> bytes:
    """A page as a row; pages of the same turn stand in the order of `number`."""
    own = json.dumps([*page.place, page.alike, page.gist])
    return f"{turn:012d} {number:012d} {own}".encode()


def read_trap_row(row: bytes) -> CountedPage:
    """The page of a row."""
    *place, alike, gist = json.loads(row.split(b" ", 2)[2])
    return CountedPage(Place(*place), alike, gist)
