"""What rows of a batch refer to; and values that PostgreSQL has no words for.

1. The server looks at what the rows of one statement refer to together (`0013_…sql`, `0015_…sql`,
   `0017_…sql`). A caller that moves many rows, in an order in which one may name another that comes later,
   has it look at all of them at the end.
2. A text cannot hold U+0000. It is written as U+0001 U+0001, and U+0001 as U+0001 U+0002: nothing is lost,
   and texts still sort by their bytes as they did before.
3. Many values travel as one text: those of one type as an array (`{1,2}`, `{"a","b"}`), rows as lines.
4. A glob (`*`, `?`, `[…]`) becomes a regular expression over the whole text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, cast

LATER: Final = "SET LOCAL holdfast.named_rows = 'at the end'"
"""Inside a transaction: whoever says this asks `lost_references` before it ends."""

REFERENCES: Final = {
    "url": (("host_id", "host", "host_id"),),
    "capture": (
        ("run_seq", "run", "run_seq"),
        ("url_id", "url", "url_id"),
        ("file_id", "archive_file", "file_id"),
    ),
    "item": (
        ("run_seq", "run", "run_seq"),
        ("recipe_id", "recipe", "recipe_id"),
        ("url_id", "url", "url_id"),
        ("capture_seq", "capture", "capture_seq"),
    ),
    "observation": (
        ("capture_seq", "capture", "capture_seq"),
        ("recipe_id", "recipe", "recipe_id"),
        ("run_seq", "run", "run_seq"),
        ("url_id", "url", "url_id"),
        ("item_seq", "item", "item_seq"),
        ("links_of", "observation", "observation_id"),
    ),
    "page": (
        ("label_id", "label", "label_id"),
        ("url_id", "url", "url_id"),
        ("item_seq", "item", "item_seq"),
        ("links_of", "observation", "observation_id"),
    ),
    "frontier": (("run_seq", "run", "run_seq"), ("url_id", "url", "url_id")),
}
"""By table: a column, and the table and column in which its value has to be."""


def lost_references() -> tuple[tuple[str, str], ...]:
    """A sentence for each reference, and the question that finds rows which break it."""
    return tuple(
        (f"rows of {table} name a row of {named} that is not there", _missing(table, column, named, key))
        for table, references in REFERENCES.items()
        for column, named, key in references
    )


def _missing(table: str, column: str, named: str, key: str) -> str:
    return (
        f"SELECT 1 FROM {table} w WHERE w.{column} IS NOT NULL"
        f" AND NOT EXISTS (SELECT 1 FROM {named} t WHERE t.{key} = w.{column})"
    )


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
