"""A file's bytes, and where a byte stands for a person and for an editor.

1. Offsets count bytes from the start of the file, a byte order mark included.
2. Lines end at LF, CR LF or CR. Columns count from 1: `column` in characters, `utf16_column` in UTF-16
   code units. A byte order mark takes no column.
3. Bytes that are not UTF-8 are each read as `?`, so that offsets hold whatever the file contains.
4. Places that are asked in order are counted on from the one before, so that a line is read once.
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

    __slots__ = ("_ascii", "_at", "_column", "_first", "_line", "_lines", "_plain", "_utf16", "data")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._ascii = data.isascii()
        self._lines: list[int] = []
        # Whether every line ends with LF, so that counting LFs counts lines.
        self._plain = b"\r" not in data or data.count(b"\r") == data.count(b"\r\n")
        # The place that was asked last: its line, where that starts, and what stands before it on the line.
        self._first = len(BOM) if data.startswith(BOM) else 0
        self._at, self._line, self._column, self._utf16 = self._first, 1, 0, 0

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
        """The number of the line on which a byte stands."""
        return max(bisect_right(self.lines, offset), 1)

    def line_range(self, line: int) -> tuple[int, int]:
        """The bytes of a line, its end included."""
        lines = self.lines
        return lines[line - 1], lines[line] if line < len(lines) else len(self.data)

    def span(self, start: int, end: int) -> Span:
        """The place of some bytes; cheap if places are asked in order."""
        self._go(start)
        if self._ascii:
            column = start - self._first + 1
            return Span(start, end, self._line, column, column)
        text = decode(self.data[self._at : start])
        self._column += len(text)
        self._utf16 += len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2
        self._at = max(start, self._at)
        return Span(start, end, self._line, self._column + 1, self._utf16 + 1)

    def _go(self, start: int) -> None:
        """Go to the line of a place."""
        if not self._plain or start < self._at:
            line = self.line(start)
            if line == self._line and start >= self._at:
                return
            first = self.lines[line - 1]
        elif passed := self.data.count(b"\n", self._at, start):
            line, first = self._line + passed, self.data.rfind(b"\n", self._at, start) + 1
        else:
            if self._ascii:
                self._at = start
            return
        self._line = line
        self._first, self._column, self._utf16 = first, 0, 0
        self._at = start if self._ascii else first
