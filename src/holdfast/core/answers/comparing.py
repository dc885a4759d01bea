"""Two versions of a page beside each other, with the words that differ marked."""

from __future__ import annotations

from holdfast.core.answers.changes import PageDiff
from holdfast.core.section_moves import SectionChange
from holdfast.core.values import dataclass
from holdfast.core.word_diff import Piece

__all__ = ["ComparedRow", "ComparedSection", "Comparison"]


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """A line of the old version beside one of the new; None where one of them has none."""

    old: tuple[Piece, ...] | None
    new: tuple[Piece, ...] | None
    is_changed: bool = True


@dataclass(frozen=True, slots=True)
class ComparedSection:
    """A section, what became of it (None: nothing), and the lines around what differs."""

    headings: tuple[str, ...]
    change: SectionChange | None
    rows: tuple[ComparedRow, ...] = ()
    anchor: str | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """A difference, and every section of both versions."""

    diff: PageDiff
    sections: tuple[ComparedSection, ...]
