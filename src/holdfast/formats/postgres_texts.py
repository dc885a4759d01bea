"""Values that PostgreSQL has no words for.

1. A text cannot hold U+0000. It is written as U+0001 U+0001, and U+0001 as U+0001 U+0002: nothing is lost,
   and texts still sort by their bytes as they did before.
2. A glob (`*`, `?`, `[…]`) becomes a regular expression over the whole text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

__all__ = ["glob_to_regex", "is_plain", "text_from", "text_to"]

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


def is_plain(rows: Iterable[Sequence[object]]) -> bool:
    """Whether every text in these rows, whose columns are of one type each, is kept as it is."""
    for column in zip(*rows, strict=True):
        if isinstance(next(filter(None, column), None), str):
            text = "".join(filter(None, column))
            if "\0" in text or "\1" in text:
                return False
    return True


def glob_to_regex(pattern: str) -> str:
    """A glob as PostgreSQL's `~` wants it."""
    return "^" + "".join(_piece(found) for found in _PIECE.finditer(pattern)) + "$"


def _piece(found: re.Match[str]) -> str:
    text = found[0]
    if found[2] is not None:
        inside = found[2].replace("\\", "\\\\").replace("[", "\\[")
        return f"[{'^' if found[1] else ''}{inside}]"
    if text == "[":
        return "(?!)"  # a bracket that is not closed matches nothing
    return {"*": ".*", "?": "."}.get(text) or (text if text.isalnum() else f"\\{text}")
