"""Where the text of a tight list item of Markdown ends, for which the parser gives no block of its own."""

from __future__ import annotations

import re

from holdfast.formats.documents.ahead import Ahead

__all__ = ["ListItems"]

_MARK = rb"(?:[\r\n]|[-+*][ \t\r\n]|[0-9]{1,9}[.)][ \t\r\n]|\Z)"
_ITEM_END = re.compile(rb"[\r\n]+[ \t]*(?:>|" + _MARK + rb")")
_QUOTED_ITEM_END = re.compile(rb"[\r\n]+[ \t>]*" + _MARK)
_QUOTED_LINE = re.compile(rb"[ \t\v\f]*+>")


class ListItems:
    """The ends of the items of one text."""

    __slots__ = ("_data", "_ends", "_line", "_passed", "_quoted", "_quoted_ends")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._ends: Ahead | None = None
        self._quoted_ends: Ahead | None = None
        self._line = self._passed = 0
        self._quoted = False

    def end(self, at: int) -> int:
        """The end of the item in which a place stands; places are asked in order."""
        data = self._data
        if self._ends is None or self._quoted_ends is None:
            self._ends, self._quoted_ends = Ahead(_ITEM_END, data), Ahead(_QUOTED_ITEM_END, data)
            self._quoted = _QUOTED_LINE.match(data) is not None
        line = data.rfind(b"\n", self._passed, at) + 1
        self._passed = at
        if line:
            self._line, self._quoted = line, _QUOTED_LINE.match(data, line, at) is not None
        match = (self._quoted_ends if self._quoted else self._ends).after(at)
        return match.start() if match else len(data)
