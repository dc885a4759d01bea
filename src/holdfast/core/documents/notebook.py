"""URLs in Jupyter notebooks: those of the Markdown cells. Code, raw cells and outputs cite nothing.

A cell's text is a JSON string, or a list of them. Places are those of the file: each character of the text
knows the bytes that stand for it, escapes included.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from typing import Any

from holdfast.core.base.errors import FormatError
from holdfast.core.base.values import dataclass
from holdfast.core.documents.found import BOM, Comment, Found, decode
from holdfast.core.documents.markdown_source import read_markdown

_TOKEN = re.compile(
    rb'[ \t\r\n]*+(?:("[^"\\]*+(?:\\.[^"\\]*+)*+")|([{}\[\]:,])|([^\s{}\[\]:,"]++))', re.DOTALL
)
_PIECE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]+"
)


@dataclass(frozen=True, slots=True)
class _String:
    """A string of the file: the bytes between its quotes."""

    start: int
    end: int


class _CellText:
    """The text of a cell, put together from pieces: each stands for itself, or is an escape."""

    __slots__ = ("_ends", "_here", "_lengths", "_starts", "text")

    def __init__(self, data: bytes, strings: list[_String]) -> None:
        pieces: list[bytes] = []
        self._here: list[int] = []  # where each piece starts in the text …
        self._starts: list[int] = []  # … and in the file
        self._ends: list[int] = []
        self._lengths: list[int] = []
        length = 0
        for string in strings:
            for piece in _PIECE.finditer(data, string.start, string.end):
                written = piece[0]
                meant = _unescaped(written) if written[:1] == b"\\" else written
                pieces.append(meant)
                self._here.append(length)
                self._starts.append(piece.start())
                self._ends.append(piece.end())
                self._lengths.append(len(meant))
                length += len(meant)
        self.text = b"".join(pieces)

    def _piece(self, offset: int) -> tuple[int, int | None]:
        """The piece in which a byte stands, and how far in, where it stands for itself."""
        piece = max(bisect_right(self._here, offset) - 1, 0)
        is_itself = self._ends[piece] - self._starts[piece] == self._lengths[piece]
        return piece, offset - self._here[piece] if is_itself else None

    def start(self, offset: int) -> int:
        """Where what stands for a byte starts in the file."""
        piece, inside = self._piece(offset)
        return self._starts[piece] + (inside or 0)

    def end(self, offset: int) -> int:
        """Where what stands for the byte before an offset ends in the file."""
        piece, inside = self._piece(max(offset - 1, 0))
        return self._ends[piece] if inside is None else self._starts[piece] + inside + 1

    def place(self, find: Found) -> Found:
        """The same find, in the file."""
        used_at = self.start(find.used_at) if find.used_at >= 0 else -1
        return find._replace(start=self.start(find.start), end=self.end(find.end), used_at=used_at)


def read_notebook(data: bytes) -> tuple[list[Found], list[Comment]]:
    """Every URL of a notebook's Markdown cells, and their comments."""
    root = _parse(data)
    found: list[Found] = []
    comments: list[Comment] = []
    cells = root.get("cells")
    for cell in cells if isinstance(cells, list) else ():
        if not isinstance(cell, dict) or not _says(data, cell.get("cell_type"), b"markdown"):
            continue
        source = cell.get("source")
        strings = source if isinstance(source, list) else [source]
        cell_text = _CellText(data, [s for s in strings if isinstance(s, _String)])
        cell_found, cell_comments = read_markdown(cell_text.text)
        found += [cell_text.place(find) for find in cell_found]
        comments += [Comment(c.text, cell_text.start(c.start), cell_text.end(c.end)) for c in cell_comments]
    return found, comments


def markdown_cells(data: bytes) -> bytes:
    """The text of a notebook's Markdown cells, one after the other."""
    cells = _parse(data).get("cells")
    texts = []
    for cell in cells if isinstance(cells, list) else ():
        if isinstance(cell, dict) and _says(data, cell.get("cell_type"), b"markdown"):
            source = cell.get("source")
            strings = source if isinstance(source, list) else [source]
            texts.append(_CellText(data, [s for s in strings if isinstance(s, _String)]).text)
    return b"\n\n".join(texts)


def _says(data: bytes, value: Any, word: bytes) -> bool:
    return isinstance(value, _String) and data[value.start : value.end] == word


def _unescaped(written: bytes) -> bytes:
    try:
        return str(json.loads(b'"' + written + b'"')).encode("utf-8", "replace")
    except ValueError:
        return b"?"


def _parse(data: bytes) -> dict[str, Any]:
    """The structure of what is valid JSON, with strings as places."""
    try:
        is_object = isinstance(json.loads(decode(data.removeprefix(BOM)), strict=False), dict)
    except (ValueError, RecursionError):
        is_object = False
    if not is_object:
        raise FormatError("the notebook is not valid JSON")
    at = len(BOM) if data.startswith(BOM) else 0
    root: dict[str, Any] = {}
    stack: list[Any] = []
    keys: list[_String | None] = []
    while match := _TOKEN.match(data, at):
        at = match.end()
        mark = match[2]
        if mark in (b"}", b"]"):
            stack.pop()
            keys.pop()
        elif mark not in (b",", b":"):
            value = root if not stack else _value(match)
            _put(data, stack, keys, value)
    return root


def _value(match: re.Match[bytes]) -> Any:
    if match[1] is not None:
        return _String(match.start(1) + 1, match.end(1) - 1)
    return {b"{": dict, b"[": list}.get(match[2], lambda: None)()


def _put(data: bytes, stack: list[Any], keys: list[_String | None], value: Any) -> None:
    """Put a value where it belongs: a key to remember, an entry of what is open, something to open."""
    if stack and isinstance(stack[-1], dict) and keys[-1] is None and isinstance(value, _String):
        keys[-1] = value
        return
    _add(data, stack, keys, value)
    if isinstance(value, (dict, list)):
        stack.append(value)
        keys.append(None)


def _add(data: bytes, stack: list[Any], keys: list[_String | None], value: Any) -> None:
    if not stack:
        return
    if isinstance(stack[-1], list):
        stack[-1].append(value)
    elif (key := keys[-1]) is not None:
        stack[-1][decode(data[key.start : key.end])] = value
        keys[-1] = None
