"""The sections of a document that a link can name, one id each, and the lines on which they begin."""

from __future__ import annotations

from typing import NamedTuple

from holdfast.core.anchors import heading_id, heading_ids
from holdfast.core.errors import FormatError
from holdfast.formats.documents import DocumentFormat
from holdfast.formats.documents.anchors import read_anchors, read_headings
from holdfast.formats.documents.source import decode

__all__ = ["NamedSection", "line_of", "sections_of"]

_MARKS = "#=*- \t"


class NamedSection(NamedTuple):
    """A section: what it is called, and the id that links name."""

    title: str
    anchor: str


def sections_of(data: bytes, kind: DocumentFormat) -> tuple[NamedSection, ...]:
    """The headings of a document with the ids that forges make of them, then the ids that are written."""
    try:
        titles, explicit = read_headings(data, kind), read_anchors(data, kind).explicit
    except FormatError:
        return ()
    counts: dict[str, int] = {}
    found = []
    for title in titles:
        name = heading_id(title)
        number = counts.get(name, 0)
        counts[name] = number + 1
        if name:
            found.append(NamedSection(title, f"{name}-{number}" if number else name))
    named = {section.anchor for section in found}
    return (*found, *(NamedSection(name, name) for name in sorted(explicit - named - set(titles))))


def line_of(data: bytes, fragment: str) -> int:
    """The line, from 0, on which a section begins; 0 where it is not found."""
    wanted = fragment.casefold()
    if not wanted:
        return 0
    for number, line in enumerate(decode(data).splitlines()):
        text = line.strip(_MARKS)
        if not text or len(text) > 300:
            continue
        if wanted in heading_ids([text.partition(" {")[0]]) or _is_written(line, fragment):
            return number
    return 0


def _is_written(line: str, fragment: str) -> bool:
    marks = (f'id="{fragment}"', f'name="{fragment}"', f"#{fragment}}}", f"_{fragment}:", f"[[{fragment}]]")
    return any(mark in line for mark in (*marks, f"[#{fragment}]", f"({fragment})="))
