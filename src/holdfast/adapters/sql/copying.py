"""Every row of one ledger into another that is empty, whatever databases they are in.

1. What is read is one moment of the source; what is written is one transaction: all of it, or nothing.
2. Rows keep their numbers, so nothing that names a row by its number has to be told.
3. Not copied: which steps of its schema a database has, counts that it keeps by itself, and tables that only
   one kind of database has (work in hand, which is of no use elsewhere). The chapter that tells of those
   steps is due again.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Final

from holdfast.adapters.sql.database import Database
from holdfast.adapters.sql.kept import KEPT_BY_DATABASE
from holdfast.core.chapters import STORE
from holdfast.core.errors import LedgerError, UsageError

__all__ = ["copy_rows", "require_empty"]

_OWN: Final = frozenset({"migration"}) | KEPT_BY_DATABASE
_AT_ONCE: Final = 5_000


def copy_rows(source: Database, target: Database, seen: Callable[[str, int], object]) -> int:
    """Copy; how many rows there are. `seen` is told the table and how many rows of it are done."""
    there = target.tables()
    total = 0
    with source.snapshot(), target.filling():
        require_empty(target)
        for table, columns in source.tables().items():
            if table in _OWN or table not in there:
                continue
            if set(columns) != set(there[table]):
                raise LedgerError(f"{source.name} and {target.name} have other columns of {table}")
            if target.row(f"SELECT 1 FROM {table} LIMIT 1"):  # rows that an empty ledger is made with
                target.execute(f"DELETE FROM {table}")
            names = ", ".join(columns)
            rows = source.stream(f"SELECT {names} FROM {table}")
            while batch := list(islice(rows, _AT_ONCE)):
                target.append(table, names, batch)
                total += len(batch)
                seen(table, total)
        target.execute("UPDATE chapter SET is_current = 0 WHERE name = $1", (STORE,))
    return total


def require_empty(target: Database) -> None:
    """Refuse a ledger that has rows. Whatever one knows, it knows of a URL, a run or a document."""
    for table in ("url", "run", "document"):
        if target.row(f"SELECT 1 FROM {table} LIMIT 1"):
            raise UsageError(
                f"the ledger {target.name} is not empty",
                hint="name a database, or a folder, that has no ledger yet",
            )
