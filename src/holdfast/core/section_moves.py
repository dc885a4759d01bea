"""The sections of a page at two moments, side by side (SCT-2).

1. A section is the one with the same anchor. It is `changed` where its text is another, `new` where it was
   not there, `gone` where it is not there any more.
2. Moves come in the order of places on the page; what went stands before what came to the same place.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from holdfast.core.place import Place
from holdfast.core.section import KeptSection, section_id

__all__ = ["SectionChange", "SectionMove", "moves_between"]


class SectionChange(StrEnum):
    """What became of a section between two versions."""

    NEW = "new"
    CHANGED = "changed"
    GONE = "gone"


class SectionMove(NamedTuple):
    """A section that differs between two moments: what it was, what it is; None: it was, or is, not there."""

    place: Place
    old: KeptSection | None
    new: KeptSection | None

    @property
    def section(self) -> KeptSection:
        """The section as it is, or was last."""
        section = self.new or self.old
        if section is None:
            raise ValueError("a section that never was does not move")
        return section

    @property
    def change(self) -> SectionChange:
        """What became of it."""
        if self.old is None:
            return SectionChange.NEW
        return SectionChange.CHANGED if self.new is not None else SectionChange.GONE

    @property
    def id(self) -> str:
        """The section's id (SCT-1)."""
        return section_id(self.place.key, self.section.anchor)

    @property
    def url(self) -> str:
        """Where it is on the web."""
        return f"{self.place.url}#{self.section.anchor}" if self.section.anchor else self.place.url


def moves_between(
    place: Place, before: Iterable[KeptSection], after: Iterable[KeptSection]
) -> tuple[SectionMove, ...]:
    """Which sections of a page differ between two versions."""
    old, new = ({section.anchor: section for section in side} for side in (before, after))
    moves = [
        (order, anchor, SectionMove(place, old.get(anchor), section))
        for order, (anchor, section) in enumerate(new.items())
        if anchor not in old or old[anchor].content != section.content
    ]
    moves += [
        (order, "", SectionMove(place, section, None))
        for order, (anchor, section) in enumerate(old.items())
        if anchor not in new
    ]
    return tuple([move for _, _, move in sorted(moves, key=lambda entry: entry[:2])])
