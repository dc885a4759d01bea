"""URLs in Jupyter notebooks: those of the Markdown cells. Code, raw cells and outputs cite nothing.

A cell's text is a JSON string, or a list of them. Places are those of the file: each character of the text
knows the bytes that stand for it, escapes included.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from holdfast.core.errors import FormatError
from holdfast.formats.documents.found import Comment, Found
from holdfast.formats.documents.markdown import read_markdown
from holdfast.formats.documents.source import BOM, decode

__all__ = ["read_notebook"]

_TOKEN = re.compile(rb'[ \t\r\n]*(?:("(?:[^"\\]|\\.)*")|([{}\[\]:,])|([^\s{}\[\]:,"]+))', re.DOTALL)
_PIECE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]+"
)
_MAX_DEPTH = 200


@dataclass(frozen=True, slots=True)
class _String:
    """A string of the file: the bytes between its quotes."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _CellText:
    """The text of a cell, and for each of its bytes where what stands for it starts and ends in the file."""

    text: bytes
    starts: list[int]
    ends: list[int]

    def place(self, find: Found) -> Found:
        """The same find, in the file."""
        used_at = self.starts[find.used_at] if find.used_at >= 0 else -1
        return find._replace(start=self.starts[find.start], end=self.ends[find.end - 1], used_at=used_at)


def read_notebook(data: bytes) -> tuple[list[Found], list[Comment]]:
    """Every URL of a notebook's Markdown cells, and their comments."""
    root = _parse(data)
    found: list[Found] = []
    comments: list[Comment] = []
    cells = root.get("cells") if isinstance(root, dict) else None
    for cell in cells if isinstance(cells, list) else ():
        if not isinstance(cell, dict) or not _says(data, cell.get("cell_type"), b"markdown"):
            continue
        source = cell.get("source")
        strings = source if isinstance(source, list) else [source]
        cell_text = _text(data, [s for s in strings if isinstance(s, _String)])
        cell_found, cell_comments = read_markdown(cell_text.text)
        found += [cell_text.place(find) for find in cell_found]
        comments += [
            Comment(c.text, cell_text.starts[c.start], cell_text.ends[c.end - 1]) for c in cell_comments
        ]
    return found, comments


def _says(data: bytes, value: Any, word: bytes) -> bool:
    return isinstance(value, _String) and data[value.start : value.end] == word


def _text(data: bytes, strings: list[_String]) -> _CellText:
    text = bytearray()
    starts: list[int] = []
    ends: list[int] = []
    for string in strings:
        for piece in _PIECE.finditer(data, string.start, string.end):
            written = piece[0]
            if written[:1] == b"\\":
                meant = _unescaped(written)
                starts += [piece.start()] * len(meant)
                ends += [piece.end()] * len(meant)
            else:
                meant = written
                starts += range(piece.start(), piece.end())
                ends += range(piece.start() + 1, piece.end() + 1)
            text += meant
    return _CellText(bytes(text), starts, ends)


def _unescaped(written: bytes) -> bytes:
    try:
        return str(json.loads(b'"' + written + b'"')).encode("utf-8", "replace")
    except ValueError:
        return b"?"


def _parse(data: bytes) -> Any:
    """The file's structure, with strings as places."""
    at = len(BOM) if data.startswith(BOM) else 0
    stack: list[Any] = []
    keys: list[_String | None] = []
    root: Any = None
    while match := _TOKEN.match(data, at):
        at = match.end()
        if root is not None and not stack:
            raise FormatError("the notebook is not valid JSON")
        mark = match[2]
        if mark in (b"}", b"]"):
            stack.pop()
            keys.pop()
        elif mark not in (b",", b":"):
            value = _value(match)
            root = value if root is None else root
            _put(data, stack, keys, value)
    if stack or not isinstance(root, dict) or data[at:].strip():
        raise FormatError("the notebook is not valid JSON")
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
        if len(stack) > _MAX_DEPTH:
            raise FormatError("the notebook is nested too deeply")


def _add(data: bytes, stack: list[Any], keys: list[_String | None], value: Any) -> None:
    if not stack:
        return
    if isinstance(stack[-1], list):
        stack[-1].append(value)
    elif (key := keys[-1]) is not None:
        stack[-1][decode(data[key.start : key.end])] = value
        keys[-1] = None
