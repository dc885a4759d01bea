"""Where in the Markdown each heading and each term with an id stands, so that sections know their bytes.

While blocks are written they are moved into lists and quotes; so a mark goes with them, and is taken out at
the end: NUL, a number, NUL, or NUL NUL where what a term says ends. NUL is in no parsed tree.

1. A section's bytes begin with the line of its heading or term and go to the next, whole lines.
2. What follows the end of a term belongs to what the term stood in.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from holdfast.formats.html.tree import Element

__all__ = ["END", "Mark", "MarkedLine", "mark", "section_spans", "unmarked"]

END: Final = "\x00\x00"
_LINE_END = re.compile(rb"\n[\n> ]*(?:\n|\Z)|\n")
_MARK = re.compile("\x00([0-9]*)\x00")


class Mark(NamedTuple):
    """A heading or a term (None: the end of one), and the byte at which the line begins (ends)."""

    element: Element | None
    at: int


class MarkedLine(NamedTuple):
    """A mark of which it is known whose it is: the number of the section that begins there (None: of none of
    its own), whether it is a term's, or the end of one.
    """

    section: int | None
    is_term: bool
    is_end: bool
    at: int


def mark(number: int) -> str:
    """The mark of the element of a number."""
    return f"\x00{number}\x00"


def unmarked(text: str, elements: list[Element]) -> tuple[str, list[Mark]]:
    """The Markdown without its marks, and where they were."""
    if not elements:
        return text, []
    pieces = _MARK.split(text)
    data = "".join(pieces[::2]).encode("utf-8", "surrogatepass")
    marks: list[Mark] = []
    at = 0
    for place in range(1, len(pieces), 2):
        at += len(pieces[place - 1].encode("utf-8", "surrogatepass"))
        if pieces[place]:
            marks.append(Mark(elements[int(pieces[place])], data.rfind(b"\n", 0, at) + 1))
        else:
            marks.append(Mark(None, _next_line(data, at)))
    return "".join(pieces[::2]), marks


def _next_line(data: bytes, at: int) -> int:
    """Where the next line begins that is not empty."""
    found = _LINE_END.search(data, at)
    return found.end() if found else len(data)


def section_spans(lines: Sequence[MarkedLine], length: int) -> dict[int, list[tuple[int, int]]]:
    """The bytes of each section, by its number. What stands before the first is that of number 0."""
    spans: dict[int, list[tuple[int, int]]] = {}
    owner = begun = 0
    around: list[int] = []
    for section, is_term, is_end, at in [*lines, MarkedLine(None, is_term=False, is_end=True, at=length)]:
        if begun < at:
            own = spans.setdefault(owner, [])
            if own and own[-1][1] == begun:
                own[-1] = (own[-1][0], at)
            else:
                own.append((begun, at))
            begun = at
        if is_end:
            owner = around.pop() if around else owner
            continue
        if is_term:
            around.append(owner)
        owner = owner if section is None else section
    return spans
