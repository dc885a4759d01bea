"""Sections that moved, below the page that they are of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from holdfast.core.figures import rows
from holdfast.core.section_moves import SectionMove
from holdfast.core.shown_text import harmless
from holdfast.formats.words.paint import Paint

__all__ = ["move_lines", "section_lines", "titles_of"]

MOST: Final = 12
"""Sections that are listed below one page."""


def move_lines(moves: Sequence[SectionMove], paint: Paint, indent: str = "    ") -> Iterator[str]:
    """A line a section: what became of it, its anchor, its titles."""
    first = moves[:MOST]
    for line in rows([(str(m.change), f"#{harmless(m.section.anchor)}", titles_of(m)) for m in first]):
        yield paint(indent + line, "dim")
    if len(moves) > MOST:
        yield paint(f"{indent}and {len(moves) - MOST} more sections", "dim")


def section_lines(moves: Iterable[SectionMove]) -> list[str]:
    """The sections of a whole mirror that moved, by their addresses."""
    return rows([(str(move.change), move.url, titles_of(move)) for move in moves])


def titles_of(move: SectionMove) -> str:
    """The titles from the page's down to the section's own; the name of an API entry goes before."""
    section = move.section
    return harmless(" › ".join((*section.path[:-1], section.name or "".join(section.path[-1:]))))
