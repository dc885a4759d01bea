"""What the tables need of a database, and the schema's numbered steps.

A step (`schema/NNNN_name.sql`) is known by number, name and SHA-256 of its text. A step that was applied
with another text, or that is not known here, is refused: somebody else's schema is not guessed at.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from holdfast.core.base.errors import LedgerError, VersionError
from holdfast.core.base.values import dataclass
from holdfast.core.lineage.batch import Numbers

Row = tuple[Any, ...]


class ConstraintError(LedgerError):
    """A row that the schema does not allow."""


class Change(NamedTuple):
    """What is done for each of many rows, said twice: for one row, and for all rows of a table that stands in
    place of `{}`. A file is quicker row by row, a server is not.
    """

    each: str
    together: str


class Glob(NamedTuple):
    """How a text is compared with a glob: the operator, and the pattern that it wants."""

    operator: str
    pattern: Callable[[str], str]


class Database(Protocol):
    """A connection. Not for two threads at once. In SQL, values stand as `$1, $2, …`."""

    @property
    def name(self) -> str:
        """The name that people see; it shows no secret."""
        ...

    @property
    def bytes_type(self) -> str:
        """The name of the type of bytes."""
        ...

    @property
    def glob(self) -> Glob:
        """How texts are compared with a glob."""
        ...

    @property
    def makes_json(self) -> bool:
        """Whether `json_array` is there, and gives the compact lines that chapters are told in."""
        ...

    def tables(self) -> dict[str, tuple[str, ...]]:
        """Every table by name, with the names of its columns."""
        ...

    def snapshot(self) -> AbstractContextManager[None]:
        """A transaction that only reads: all its answers are of one moment."""
        ...

    def writing(self) -> AbstractContextManager[None]:
        """A transaction that may write: durable when it is left, undone when it is left by an error."""
        ...

    def purging(self) -> AbstractContextManager[None]:
        """A transaction that takes rows out while nobody else writes. What rows refer to is checked at its
        end; then the room that they took is cleaned.
        """
        ...

    def filling(self) -> AbstractContextManager[None]:
        """A transaction that fills an empty ledger: rows bring their own numbers, and may name rows that come
        later. New rows get numbers after theirs from then on.
        """
        ...

    def attempt(self) -> AbstractContextManager[None]:
        """A part of a transaction; if it fails, questions can still be asked, to say why."""
        ...

    def lock(self, keys: Collection[str]) -> None:
        """Inside a transaction: wait until no other one that named one of these keys is open."""
        ...

    def new_numbers(self, count: int) -> Numbers:
        """Inside a transaction, for that many findings: numbers that no row has and no other writer gets."""
        ...

    def execute(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Do something; how many rows were written."""
        ...

    def execute_many(self, sql: str, rows: Sequence[Sequence[Any]]) -> int:
        """Do something for each row, in order; how many rows were written."""
        ...

    def change(self, change: Change, rows: Sequence[Row]) -> int:
        """Do something for each row, none of which is of the same thing as another; how many were written."""
        ...

    def append(self, table: str, columns: str, rows: Iterable[Sequence[Any]]) -> None:
        """Write many rows that are new, in the fastest way there is; a server begins while rows are made."""
        ...

    def row(self, sql: str, values: Sequence[Any] = ()) -> Row | None:
        """The first row, if there is one; what writes with RETURNING is finished."""
        ...

    def rows(self, sql: str, values: Sequence[Any] = ()) -> Iterator[Row]:
        """Rows of an answer that is small. Do not write to what is being read."""
        ...

    def stream(self, sql: str, values: Sequence[Any] = ()) -> Iterator[Row]:
        """Rows as they are read, however many there are. Do not write to what is being read."""
        ...

    def rows_for(self, sql: str, wanted: Sequence[Row], after: Sequence[Any] = ()) -> Iterator[Row]:
        """Rows for any of many. In place of `{}` stands a table of them; it counts as one value for each of
        its columns, so those of `after` are numbered from there on.
        """
        ...

    def number(self, sql: str, values: Sequence[Any] = ()) -> int:
        """The one number that a question is answered with."""
        ...

    def close(self) -> None:
        """Close it."""
        ...


def by_table(columns: Iterable[Row]) -> dict[str, tuple[str, ...]]:
    """Pairs of a table and a column of it, gathered."""
    tables: dict[str, tuple[str, ...]] = {}
    for table, column in columns:
        tables[table] = (*tables.get(table, ()), column)
    return tables


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the schema."""

    number: int
    name: str
    sql: str

    @property
    def sha256(self) -> str:
        """The digest by which a database remembers it."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


def read_steps(folder: Path) -> tuple[Step, ...]:
    """Every step of a folder, in order."""
    return tuple(
        Step(int(file.name[:4]), file.stem[5:], file.read_text(encoding="utf-8"))
        for file in sorted(folder.glob("*.sql"))
    )


def check_applied(name: str, steps: Sequence[Step], rows: Iterable[tuple[int, str, str]]) -> int:
    """How many steps a database has, each checked against the one known here."""
    known = {step.number: step for step in steps}
    count = 0
    for number, step_name, sha256 in rows:
        if number not in known:
            raise VersionError(
                f"{name} has schema {number} ({step_name}); this Holdfast knows {len(known)}",
                hint="use the newer Holdfast that wrote it",
            )
        if known[number].sha256 != sha256:
            raise LedgerError(
                f"{name} has another schema step {number} than this Holdfast; it is of an unreleased one",
                hint="`holdfast store rebuild` makes a ledger from the archive, and keeps this one beside it",
            )
        count += 1
    return count
