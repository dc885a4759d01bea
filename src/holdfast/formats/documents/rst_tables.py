"""The cells of reStructuredText's grid tables: what stands in columns, put together cell by cell.

1. A column begins at a `+` of any border. A line is cut where a `|` or a `+` stands at one of these places,
   so that a cell may span columns, and rows: it ends with the border under it.
2. Places are those on a page: wide characters take two, combining ones none.
3. A paragraph of a cell is one region; the mark right of each of its lines counts as the line's end.
4. A table whose lines do not all reach from the first border to the last is none.
5. In a simple table (`===  ===`) nothing stands between two columns. Who edits a document counts the lines
   that fit their table before and after: a longer word breaks a table, which no link shows.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

from holdfast.formats.documents.found import Region
from holdfast.formats.documents.source import decode

__all__ = ["BORDER", "cell_texts", "lines_in_tables"]

BORDER = re.compile(rb"\+-[-+]*+(?<=\+)[ \t]*+\Z")
_RULE = re.compile(rb"[-=+]++\Z")
_LINE = re.compile(rb"[+|](?:[^\r\n]*[^\s])?")
_GRID = re.compile(
    rb"^[ \t]*+(?P<table>\+-[-+]*+(?<=\+)[ \t]*+\r?\n(?:[ \t]*+[|+][^\n]*+\n?)+)", re.MULTILINE
)
_SIMPLE = re.compile(
    rb"^(?P<border>[ \t]*+=[= ]*+)\r?\n(?P<rows>(?:[ \t]*+[^\s][^\n]*+\n?)+)",
    re.MULTILINE,
)
_LINE_OF_SIMPLE = re.compile(rb"[^\r\n]+")
_BETWEEN = re.compile(rb"(?<==)[ ]++(?==)")
_Piece = tuple[int, int]


def cell_texts(data: bytes, start: int, end: int) -> list[tuple[bytes, Region]] | None:
    """The paragraphs of all cells of a table; None where the lines between two places form none."""
    places = [_places(data, *line.span()) for line in _LINE.finditer(data, start, end)]
    marks = sorted({column for row in places if data[row[0]] == 0x2B for column in _crosses(data, row)})
    paragraphs: list[list[_Piece]] = []
    begun: dict[int, list[_Piece]] = {}
    for row in places:
        cuts = _cuts(data, row, marks)
        if not cuts or cuts[0] != 0 or cuts[-1] != len(row) - 2:
            return None
        for left, right in pairwise(cuts):
            first, last = row[left] + 1, row[right]
            if _RULE.match(data, first, last):
                paragraphs += [begun.pop(place) for place in range(left, right) if place in begun]
            elif not data[first:last].strip():
                paragraphs += [begun.pop(left)] if left in begun else []
            else:
                begun.setdefault(left, []).append((first, last - first))
    paragraphs += begun.values()
    return [_joined(data, pieces) for pieces in paragraphs]


def lines_in_tables(data: bytes) -> int:
    """How many lines fit the table they stand in."""
    grids = [grid for grid in _GRID.finditer(data) if cell_texts(data, *grid.span("table")) is not None]
    fitting = sum(grid["table"].count(b"\n") for grid in grids)
    for table in _SIMPLE.finditer(data):
        margins = [margin.span() for margin in _BETWEEN.finditer(table["border"])]
        for row in _LINE_OF_SIMPLE.finditer(data, *table.span("rows")):
            fitting += not row[0].strip(b" =-") or _fits(data, _places(data, *row.span()), margins)
    return fitting


def _fits(data: bytes, places: list[int], margins: list[tuple[int, int]]) -> bool:
    for left, right in margins:
        if left >= len(places):
            break
        if data[places[left] : places[min(right, len(places) - 1)]].strip():
            return False
    return True


def _places(data: bytes, start: int, end: int) -> list[int]:
    """Where in the file each column of a line stands, and after them the line's end."""
    written = data[start:end]
    if written.isascii():
        return list(range(start, end + 1))
    places, at = [], start
    for char in decode(written):
        wide = 2 if unicodedata.east_asian_width(char) in "WF" else 1
        places += [at] * (0 if unicodedata.combining(char) else wide)
        at += len(char.encode())
    return [*places, end]


def _crosses(data: bytes, row: list[int]) -> list[int]:
    return [column for column, place in enumerate(row[:-1]) if data[place] == 0x2B]


def _cuts(data: bytes, row: list[int], marks: list[int]) -> list[int]:
    cuts = []
    for column in marks:
        if column >= len(row) - 1:
            break
        if data[row[column]] in b"|+":
            cuts.append(column)
    return cuts


def _joined(data: bytes, pieces: list[_Piece]) -> tuple[bytes, Region]:
    text = b"\n".join(data[start : start + length] for start, length in pieces)
    return text, Region.of([(start, length + 1) for start, length in pieces])
