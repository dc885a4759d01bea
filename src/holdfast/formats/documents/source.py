"""A file's bytes, and where a byte stands for a person and for an editor.

1. Offsets count bytes from the start of the file, a byte order mark included.
2. Lines end at LF, CR LF or CR. Columns count from 1: `column` in characters, `utf16_column` in UTF-16
   code units. A byte order mark takes no column.
3. Bytes that are no UTF-8 are each read as `?`, so that offsets hold whatever the file contains.
"""

from __future__ import annotations

import codecs
from bisect import bisect_right
from itertools import accumulate

from holdfast.core.page import Span

__all__ = ["BOM", "Source", "decode"]

BOM = codecs.BOM_UTF8


def _one_for_one(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "?" * (error.end - error.start), error.end


codecs.register_error("holdfast-one-for-one", _one_for_one)


def decode(data: bytes) -> str:
    """The text of the bytes; its UTF-8 form is exactly as long as they are."""
    return data.decode("utf-8", "holdfast-one-for-one")


class Source:
    """Bytes that can tell lines and columns."""

    __slots__ = ("_ascii", "_counted", "_lines", "_plain", "data")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._ascii = data.isascii()
        self._lines: list[int] = []
        self._counted = (0, 1)  # a byte, and its line
        # Whether every line ends with LF, so that counting LFs counts lines, and places are asked in order.
        self._plain = b"\r" not in data or data.count(b"\r") == data.count(b"\r\n")

    @property
    def lines(self) -> list[int]:
        """Where each line starts; the first one after a byte order mark."""
        if not self._lines:
            first = len(BOM) if self.data.startswith(BOM) else 0
            ends = [*accumulate(map(len, self.data.splitlines(keepends=True)))]
            if self.data[-1:] not in (b"\n", b"\r"):
                del ends[-1:]  # no line begins where the last one just stops
            self._lines = [first, *ends]
        return self._lines

    def line(self, offset: int) -> int:
        """The number of the line on which a byte stands; asked in order, it counts on."""
        if not self._plain:
            return max(bisect_right(self.lines, offset), 1)
        counted, line = self._counted
        if offset < counted:  # back and forth, as to definitions: a list of lines is cheaper
            self._plain = False
            return self.line(offset)
        line += self.data.count(b"\n", counted, offset)
        self._counted = (offset, line)
        return line

    def line_range(self, line: int) -> tuple[int, int]:
        """The bytes of a line, its end included."""
        lines = self.lines
        return lines[line - 1], lines[line] if line < len(lines) else len(self.data)

    def span(self, start: int, end: int) -> Span:
        """The place of some bytes."""
        line = self.line(start)
        first = self.data.rfind(b"\n", 0, start) + 1 if self._plain else self.lines[line - 1]
        if line == 1 and not first and self.data.startswith(BOM):
            first = len(BOM)
        column = start - first + 1
        if self._ascii or (before := self.data[first:start]).isascii():
            return Span(start, end, line, column, column)
        text = decode(before)
        return Span(start, end, line, len(text) + 1, len(text.encode("utf-16-le")) // 2 + 1)
