"""The blocks of reStructuredText, as far as links need them, and the cells of its tables.

Which bytes are text, target, image, raw, table, comment:

1. A paragraph that ends in `::` makes what is indented under it literal, or what is quoted right below it.
   In a list item that is indented under the item's own text, in a field, a note or a footnote under its
   body.
2. Explicit markup (`..`) is, in this order: a target, an anonymous target, a footnote or citation, a
   substitution, a directive, else a comment. Its body is what is indented under it.
3. Directives in `VERBATIM` show their body as it is: no link comes from them. `raw:: html` holds HTML. All
   other directives hold text; that of `TELLING` begins beside their name and goes on below it.
4. Doctest blocks (`>>> `) are code. A section's title ends with the line under it.
5. How far a line is indented is counted in columns: a tab goes on to the next eighth.

What stands in the columns of a grid table is put together cell by cell:

6. A column begins at a `+` of any border. A line is cut where a `|` or a `+` stands at one of these places,
   so that a cell may span columns, and rows: it ends with the border under it.
7. Places are those on a page: wide characters take two, combining ones none.
8. A paragraph of a cell is one region; the mark right of each of its lines counts as the line's end.
9. A table whose lines do not all reach from the first border to the last is none.
10. In a simple table (`===  ===`) nothing stands between two columns. Who edits a document counts the lines
    that fit their table before and after: a longer word breaks a table, which no link shows.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from enum import Enum, auto
from itertools import pairwise
from typing import Final

from holdfast.core.base.values import dataclass
from holdfast.core.documents.found import Region, decode

VERBATIM: Final = frozenset(
    b"code code-block sourcecode literalinclude highlight math graphviz digraph graph mermaid uml plantuml"
    b" doctest testcode testoutput testsetup testcleanup prompt console ipython plot program-output"
    b" command-output productionlist include autosummary jinja runblock".split()
)
TELLING: Final = frozenset(
    b"note warning tip hint important attention caution danger error admonition topic sidebar rubric seealso"
    b" todo versionadded versionchanged versionremoved deprecated replace epigraph highlights".split()
)
_TARGET = re.compile(
    rb"\.\.[ ]+_(?!_:)(?:`((?:[^`\\]|\\.)+)`|((?:[^:\\`\n]|\\.|:(?![ \n]|\Z))+)):(?:[ ]+|(?=\n|\Z))"
)
_ANONYMOUS = re.compile(rb"(?:\.\.[ ]+__:|__)(?:[ ]+|(?=\n|\Z))")
_NOTE = re.compile(rb"\.\.[ ]+\[[^\]\n]+\](?:[ ]+|(?=\n|\Z))")
_DIRECTIVE = re.compile(
    rb"\.\.[ ]+(?:\|[^|\n]+\|[ ]+)?([A-Za-z0-9](?:[-_+:.]?[A-Za-z0-9])*)[ ]?::(?:[ ]+|(?=\n|\Z))"
)
_EXPLICIT = re.compile(rb"\.\.(?:[ ]+|(?=\n|\Z))")
_QUOTED = re.compile(rb"[!-/:-@\[-`{-~]")
_TITLE: Final = 2  # lines
_RULE = re.compile(rb"([!-/:-@\[-`{-~])\1{2,}[ \t]*\Z")
_FIELD = re.compile(rb":(?![: `])[^:\n]++:[ ]")
_ITEM = re.compile(
    rb"(?:(?:[-*+]|\xe2\x80[\xa2\xa3]|\xe2\x81\x83"
    rb"|\(?(?:[0-9]++|\#|[ivxlcdm]++|[IVXLCDM]++|[abe-hjkn-uwyzABE-HJKN-UWYZ])[.)])[ ]++)+(?=\S)"
)
"""The marks of list items, bullets and numbers of all kinds; several where an item begins with a list."""


class BlockKind(Enum):
    """What the bytes of a block are."""

    TEXT = auto()
    TARGET = auto()
    ANONYMOUS = auto()
    IMAGE = auto()
    RAW_HTML = auto()
    TABLE = auto()
    COMMENT = auto()


@dataclass(frozen=True, slots=True)
class Block:
    """Some bytes and what they are; `name` is a target's."""

    kind: BlockKind
    start: int
    end: int
    name: bytes = b""


@dataclass(slots=True)
class _Line:
    """`indent` are bytes, `column` is what they make on a page."""

    start: int
    end: int
    indent: int
    column: int
    blank: bool


class _Blocks:
    """A walk over the lines, one block at a time."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.found: list[Block] = []
        self.lines = _lines(data)
        self.at = 0

    def run(self) -> list[Block]:
        while self.at < len(self.lines):
            line = self._without_marks(self.lines[self.at])
            text = self._text(line)
            if line.blank:
                self.at += 1
            elif text.startswith(b">>> "):
                self._to_blank()
            elif text.startswith((b"..", b"__")) and self._explicit(line):
                pass
            elif BORDER.match(text):
                self._table(line)
            else:
                self._paragraph(line, line.start)
        return self.found

    def _text(self, line: _Line) -> bytes:
        return self.data[line.start + line.indent : line.end]

    def _without_marks(self, line: _Line) -> _Line:
        """A line as the list item sees it that begins there: indented up to the item's text."""
        marks = _ITEM.match(self.data, line.start + line.indent, line.end)
        if marks is None:
            return line
        column = line.column + len(decode(marks[0]))
        return _Line(line.start, line.end, marks.end() - line.start, column, blank=False)

    def _to_blank(self) -> None:
        while self.at < len(self.lines) and not self.lines[self.at].blank:
            self.at += 1

    def _paragraph(self, first: _Line, begin: int, outside: int = -1) -> None:
        """The text that begins in a line; it ends before a line that is indented no more than `outside`."""
        start, line = self.at, first
        while not (line.blank or (self.at > start and self._begins_another(line, first, outside))):
            self.at += 1
            text = self._text(line)
            if text.rstrip().endswith(b"::") and self._opens_literal(line):
                self.found.append(Block(BlockKind.TEXT, begin, line.end))
                self._literal(line)
                return
            if self.at == len(self.lines) or (_RULE.match(text) and self._ends_title(start)):
                break
            line = self.lines[self.at]
        self.found.append(Block(BlockKind.TEXT, begin, self.lines[self.at - 1].end))

    def _table(self, first: _Line) -> None:
        self.at += 1
        while self.at < len(self.lines) and self._text(self.lines[self.at]).startswith((b"|", b"+")):
            self.at += 1
        self.found.append(Block(BlockKind.TABLE, first.start + first.indent, self.lines[self.at - 1].end))

    def _begins_another(self, line: _Line, first: _Line, outside: int) -> bool:
        if line.column <= outside:
            return True
        place = line.start + line.indent
        return line.column != first.column and (
            self.data.startswith(b".. ", place) or _ITEM.match(self.data, place, line.end) is not None
        )

    def _ends_title(self, start: int) -> bool:
        """Whether the rule that was just passed is that under a title, which may have one above it too."""
        passed = self.at - start
        return passed == _TITLE or (
            passed == _TITLE + 1 and _RULE.match(self._text(self.lines[start])) is not None
        )

    def _opens_literal(self, line: _Line) -> bool:
        following = self.lines[self.at] if self.at < len(self.lines) else None
        return following is None or following.blank or following.column > line.column

    def _literal(self, opener: _Line) -> None:
        column = opener.column
        if _FIELD.match(self._text(opener)):
            column = self._column_inside(column)
        while self.at < len(self.lines) and self.lines[self.at].blank:
            self.at += 1
        if self.at == len(self.lines):
            return
        line = self.lines[self.at]
        if line.column > column:
            self._body(column)
        elif line.column == column and _QUOTED.match(self._text(line)):
            mark = self._text(line)[:1]
            while self.at < len(self.lines) and self._text(self.lines[self.at])[:1] == mark:
                self.at += 1

    def _body(self, column: int) -> tuple[int, int]:
        """Pass over what is indented more; its bytes."""
        start = self.at
        while self.at < len(self.lines) and (
            self.lines[self.at].blank or self.lines[self.at].column > column
        ):
            self.at += 1
        if self.at == start:
            return 0, 0
        return self.lines[start].start, self.lines[self.at - 1].end

    def _column_inside(self, column: int) -> int:
        """How far the body that comes next is indented: as its least indented line."""
        least, at = sys.maxsize, self.at
        while at < len(self.lines) and (self.lines[at].blank or self.lines[at].column > column):
            if not self.lines[at].blank:
                least = min(least, self.lines[at].column)
            at += 1
        return least if least < sys.maxsize else column + 1

    def _explicit(self, line: _Line) -> bool:
        place = line.start + line.indent
        if match := _TARGET.match(self.data, place, line.end):
            self._argument(BlockKind.TARGET, line, match.end(), match[1] or match[2])
        elif match := _ANONYMOUS.match(self.data, place, line.end):
            self._argument(BlockKind.ANONYMOUS, line, match.end())
        elif match := _NOTE.match(self.data, place, line.end):
            self._telling(line, match.end())
        elif match := _DIRECTIVE.match(self.data, place, line.end):
            self._directive(match, line)
        elif match := _EXPLICIT.match(self.data, place, line.end):
            self.at += 1
            _, end = self._body(line.column)
            self.found.append(Block(BlockKind.COMMENT, match.end(), max(end, line.end)))
        else:
            return False
        return True

    def _telling(self, line: _Line, begin: int) -> None:
        """Text that begins beside a mark or a name, and goes on indented under it."""
        self.at += 1
        column = self._column_inside(line.column)
        self.at -= 1
        inside = _Line(line.start, line.end, begin - line.start, column, blank=begin >= line.end)
        if inside.blank:
            self.at += 1
        else:
            self._paragraph(inside, begin, line.column)

    def _argument(self, kind: BlockKind, line: _Line, start: int, name: bytes = b"") -> None:
        """A target's URL or an image's, which goes on over indented lines up to a blank one or an option."""
        end = line.end
        self.at += 1
        while self.at < len(self.lines):
            following = self.lines[self.at]
            if following.blank or following.column <= line.column:
                break
            if kind is BlockKind.IMAGE and self._text(following).startswith(b":"):
                break
            end = following.end
            self.at += 1
        self.found.append(Block(kind, start, end, name))

    def _directive(self, match: re.Match[bytes], line: _Line) -> None:
        name = match[1].lower()
        if name in (b"image", b"figure"):
            self._argument(BlockKind.IMAGE, line, match.end())
            return
        if name in TELLING:
            self._telling(line, match.end())
            return
        self.at += 1
        if name in VERBATIM:
            self._body(line.column)
        elif name == b"raw":
            start, end = self._body(line.column)
            if b"html" in self.data[match.end() : line.end].lower():
                self.found.append(Block(BlockKind.RAW_HTML, start, end))
        elif name == b"parsed-literal":
            start, end = self._body(line.column)
            self.found.append(Block(BlockKind.TEXT, start, end))
        else:
            self.found.append(Block(BlockKind.TEXT, match.end(), line.end))


def blocks(data: bytes) -> list[Block]:
    """The blocks of a text that can hold URLs or comments, in order."""
    return _Blocks(data).run()


def _lines(data: bytes) -> list[_Line]:
    lines, start = [], 0
    for piece in data.splitlines(keepends=True):
        text = piece.rstrip(b"\r\n")
        indent = len(text) - len(text.lstrip(b" \t"))
        column = len(text[:indent].expandtabs())
        lines.append(_Line(start, start + len(text), indent, column, blank=indent == len(text)))
        start += len(piece)
    return lines


BORDER = re.compile(rb"\+-[-+]*+(?<=\+)[ \t]*+\Z")
_TABLE_RULE = re.compile(rb"[-=+]++\Z")
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
            if _TABLE_RULE.match(data, first, last):
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
