"""The ledger in chapters, as the archive keeps them (STA-7): rows of tables as lines of JSON.

1. A chapter is all that the ledger has of one thing: `run ID`, `mirror LABEL`, `citations`, `store`.
2. Lines: `{"table": …, "columns": […]}`, then one array a row, until the next such line. Times are
   microseconds since 1970, hashes are hex. Rows name each other by numbers that hold within one store.
3. A long chapter is kept in parts, each of which can be read by itself; the last one says that it is.
4. The digest of a chapter is SHA-256 over its lines, but for tables that may move without it (`web_key`).
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left
from collections.abc import Generator, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, Final, NamedTuple

from holdfast.core.plain_data import read_json

__all__ = [
    "CITATIONS",
    "MIRROR",
    "RUN",
    "STORE",
    "ChapterLines",
    "Part",
    "PassingDigest",
    "RefusedAddress",
    "digest_of",
    "parts_of",
    "tables_in",
]

RUN: Final = "run "
MIRROR: Final = "mirror "
CITATIONS: Final = "citations"
STORE: Final = "store"
UNDIGESTED: Final = frozenset({"web_key"})
_PART: Final = 1_000_000


class ChapterLines(NamedTuple):
    """Rows of a chapter that follow each other, as JSON; `columns` are those of their table."""

    table: str
    columns: tuple[str, ...]
    rows: Sequence[str]

    def by_column(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """The table, and each row by its columns."""
        for row in self.rows:
            yield self.table, dict(zip(self.columns, json.loads(row), strict=True))


class Part(NamedTuple):
    """A stretch of a chapter; `number` counts from 1."""

    chapter: str
    number: int
    is_last: bool
    text: bytes


class RefusedAddress(NamedTuple):
    """An address that a run did not ask for, or whose answer it did not take, and why."""

    run_id: str
    url: str
    words: str


class PassingDigest:
    """Lines on their way, and the digest of those that have passed."""

    def __init__(self, lines: Iterable[ChapterLines]) -> None:
        self._lines = lines
        self._digest = hashlib.sha256()

    def __iter__(self) -> Iterator[ChapterLines]:
        for lines in self._lines:
            if lines.rows and lines.table not in UNDIGESTED:
                rows = f"\n{lines.table} ".join(lines.rows)
                self._digest.update(f"{lines.table} {rows}\n".encode())
            yield lines

    def digest(self) -> str:
        """The digest by which an altered row is seen."""
        return self._digest.hexdigest()


def digest_of(lines: Iterable[ChapterLines]) -> str:
    """The digest by which an altered row is seen."""
    passing = PassingDigest(lines)
    for _ in passing:
        pass
    return passing.digest()


def parts_of(chapter: str, lines: Iterable[ChapterLines], most: int = _PART) -> Generator[Part, None, None]:
    """A chapter in parts of about so many characters."""
    gathered: list[str] = []
    size, table, number = 0, "", 1
    for some in lines:
        rows = some.rows
        while rows:
            if size >= most:
                yield Part(chapter, number, is_last=False, text=_text(gathered))
                gathered, size, table, number = [], 0, "", number + 1
            if some.table != table:
                table = some.table
                gathered.append(json.dumps({"table": table, "columns": some.columns}))
            sizes = list(accumulate(map(len, rows), initial=size))  # before the first row, and after each
            taken = min(bisect_left(sizes, most), len(rows))
            gathered += rows[:taken]
            rows, size = rows[taken:], sizes[taken]
    yield Part(chapter, number, is_last=True, text=_text(gathered))


def tables_in(text: bytes) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows of a part: the table, and the values by column. ValueError where it is not a part."""
    table, columns = "", []
    for line in text.split(b"\n")[:-1]:  # a text may hold other kinds of line breaks
        value = read_json(line)
        if isinstance(value, dict):
            table, columns = str(value["table"]), value["columns"]
        else:
            yield table, dict(zip(columns, value, strict=True))


def _text(lines: list[str]) -> bytes:
    return "\n".join([*lines, ""]).encode()
