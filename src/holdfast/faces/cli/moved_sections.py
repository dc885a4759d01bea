"""Sections that moved, below the page that they are of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from holdfast.core.section_moves import SectionMove
from holdfast.faces.cli.console import harmless, out, style
from holdfast.faces.cli.figures import rows

__all__ = ["show_moves", "titles_of"]

MOST: Final = 12
"""Sections that are listed below one page."""


def show_moves(moves: Sequence[SectionMove], indent: str = "    ") -> None:
    """A line a section: what became of it, its anchor, its titles."""
    shown = moves[:MOST]
    for line in rows([(str(m.change), f"#{harmless(m.section.anchor)}", titles_of(m)) for m in shown]):
        out(style(indent + line, "dim"))
    if len(moves) > MOST:
        out(style(f"{indent}and {len(moves) - MOST} more sections", "dim"))


def titles_of(move: SectionMove) -> str:
    """The titles from the page's down to the section's own; the name of an API entry goes before."""
    section = move.section
    return harmless(" › ".join((*section.path[:-1], section.name or "".join(section.path[-1:]))))
