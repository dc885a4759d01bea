"""What the tables need of a database."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol

from holdfast.core.batch import Numbers
from holdfast.core.errors import LedgerError

__all__ = ["Change", "ConstraintError", "Database", "Glob", "Row", "by_table"]

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
