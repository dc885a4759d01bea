"""The ledger in chapters, as the archive keeps them (STA-7): rows of tables as lines of JSON.

1. A chapter is all that the ledger has of one thing: `run ID`, `mirror LABEL`, `citations`, `store`.
2. Lines: `{"table": …, "columns": […]}`, then one array a row, until the next such line. Times are
   microseconds since 1970, hashes are hex. Rows name each other by numbers that hold within one store.
3. A long chapter is kept in parts, each of which can be read by itself; the last one says that it is.
4. The digest of a chapter is SHA-256 over its lines, but for tables that may move without it (`web_key`).
5. `ToldRun` is a run as its chapter tells it, where the chapter's numbers are those of another ledger: who
   it was, how it ended, and where its captures stood.
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from typing import Any, Final, NamedTuple

from holdfast.core.base.hashing import SettingsDigest
from holdfast.core.base.plain_data import read_json
from holdfast.core.lineage.lineage import NO_TALLY, Job, RecordRef, Run, RunTally
from holdfast.core.url.policy import Recipe

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


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class ToldRun(NamedTuple):
    """A run, when and how it ended, if it did, and where the archive had its captures."""

    run: Run
    ended_at: datetime | None
    tally: RunTally
    captures: frozenset[RecordRef]


def told_run(rows: Iterable[tuple[str, Mapping[str, Any]]]) -> ToldRun | None:
    """The run of a chapter; None where it tells of none."""
    run, ended_at, tally, captures = None, None, NO_TALLY, set()
    for table, row in rows:
        if table == "run":
            run = Run(
                run_id=row["run_id"],
                job=Job(row["job"]),
                recipe=Recipe.parse(row["version"]),
                identity_digest=SettingsDigest(row["identity_digest"]),
                started_at=_moment(row["started_at"]),
                label=row["label"],
                reprocessing_of=row["reprocessing_of"],
            )
        elif table == "run_progress":
            ended_at = _moment(row["ended_at"]) if row["ended_at"] is not None else None
            tally = RunTally.of(json.loads(row["summary"] or "{}"))
        elif table == "capture" and row["file"]:
            captures.add(RecordRef(row["file"], row["file_offset"], row["file_length"]))
    return ToldRun(run, ended_at, tally, frozenset(captures)) if run else None


class RunsByPlace:
    """The runs of mirrors, by where their captures stood before a file was cut or moved."""

    def __init__(self, told: Iterable[ToldRun | None]) -> None:
        self._by_id: dict[str, ToldRun] = {}
        self._by_place: dict[RecordRef, str] = {}
        for run in told:
            if run is not None and run.run.job is Job.MIRROR:
                self._by_id[run.run.run_id] = run
                self._by_place.update(dict.fromkeys(run.captures, run.run.run_id))

    def run_id(self, ref: RecordRef, piece: tuple[str, int] | None) -> str:
        """The run of a capture, or nothing; `piece` names the file that it was cut off, and where."""
        stood = RecordRef(piece[0], ref.offset + piece[1], ref.length) if piece else ref
        return self._by_place.get(stood, "")

    def oldest_first(self, run_ids: Iterable[str]) -> list[ToldRun | None]:
        """The runs of these ids in the order of their starts; last, for the empty id, none."""
        known = [self._by_id[run_id] for run_id in run_ids if run_id]
        ordered: list[ToldRun | None] = [*sorted(known, key=lambda told: told.run.started_at)]
        return [*ordered, None] if "" in run_ids else ordered


def _moment(micros: int) -> datetime:
    return _EPOCH + timedelta(microseconds=micros)
