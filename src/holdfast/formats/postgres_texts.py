"""Values that PostgreSQL has no words for.

1. A text cannot hold U+0000. It is written as U+0001 U+0001, and U+0001 as U+0001 U+0002: nothing is lost,
   and texts still sort by their bytes as they did before.
2. Many values travel as one text: those of one type as an array (`{1,2}`, `{"a","b"}`), rows as lines.
3. A glob (`*`, `?`, `[…]`) becomes a regular expression over the whole text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import cast

__all__ = ["array_text", "copy_text", "glob_to_regex", "text_from", "text_to"]

_NULL = r"\N"
_ESCAPES = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"})
_SPECIAL = re.compile(r"[\\\t\n\r\0\1]")
_PIECE = re.compile(r"\[(!|\^)?(\]?[^\]]*)\]|.", re.DOTALL)


def text_to(text: str) -> bytes:
    """A text as it is kept."""
    data = text.encode()
    if b"\0" in data or b"\1" in data:
        data = data.replace(b"\1", b"\1\2").replace(b"\0", b"\1\1")
    return data


def text_from(data: bytes) -> str:
    """What `text_to` made, as it was."""
    text = data.decode()
    if "\1" in text:
        return re.sub("\1([\1\2])", lambda found: "\0" if found[1] == "\1" else "\1", text)
    return text


def copy_text(rows: Iterable[Sequence[object]]) -> str:
    """Rows, whose columns are of one type each, as COPY reads them."""
    lines = zip(*map(_copied, zip(*rows, strict=True)), strict=True)
    return "\n".join(map("\t".join, lines)) + "\n"


def array_text(values: Sequence[object]) -> str:
    """Values of one type, or None, as PostgreSQL reads an array."""
    return "{" + ",".join(map(_element, values)) + "}"


def glob_to_regex(pattern: str) -> str:
    """A glob as PostgreSQL's `~` wants it."""
    return "^" + "".join(_piece(found) for found in _PIECE.finditer(pattern)) + "$"


def _copied(column: Sequence[object]) -> Iterable[str]:
    """A column's values as they stand between tabs: many, so that each is touched as little as can be."""
    present = [value for value in column if value is not None]
    if len(present) < len(column):
        told = iter(_copied(present))
        return [_NULL if value is None else next(told) for value in column]
    match present[:1]:
        case [str()]:
            texts = cast("list[str]", present)
            return map(_escaped, texts) if _SPECIAL.search("".join(texts)) else texts
        case [bytes()]:
            return [f"\\\\x{value.hex()}" for value in cast("list[bytes]", present)]
        case _:
            return map(str, present)


def _escaped(text: str) -> str:
    return text_to(text).decode().translate(_ESCAPES)


def _element(value: object) -> str:
    if isinstance(value, str):
        return '"' + (_quoted(value) if '"' in value or "\\" in value else value) + '"'
    if isinstance(value, bytes):
        return f'"\\\\x{value.hex()}"'
    return "NULL" if value is None else str(value)


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _piece(found: re.Match[str]) -> str:
    text = found[0]
    if found[2] is not None:
        inside = found[2].replace("\\", "\\\\").replace("[", "\\[")
        return f"[{'^' if found[1] else ''}{inside}]"
    if text == "[":
        return "(?!)"  # a bracket that is not closed matches nothing
    return {"*": ".*", "?": "."}.get(text) or (text if text.isalnum() else f"\\{text}")
