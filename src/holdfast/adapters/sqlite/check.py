"""What can be wrong with a ledger's file: pages, keys, and what rows say of each other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from holdfast.adapters.sql.laws import broken_laws
from holdfast.adapters.sqlite.connection import SqliteDatabase
from holdfast.adapters.sqlite.migrations import applied, steps
from holdfast.core.errors import LedgerError

__all__ = ["check_file"]


def check_file(path: Path) -> Iterator[str]:
    """What is wrong with a file, one sentence each: pages, keys, and what rows say of each other."""
    if not path.exists():
        raise LedgerError(f"there is no ledger at {path}")
    try:
        db = SqliteDatabase(path, read_only=True)
    except LedgerError as error:
        yield error.message
        return
    try:
        yield from _problems(db)
    except LedgerError as error:
        yield error.message
    finally:
        db.close()


def _problems(db: SqliteDatabase) -> Iterator[str]:
    if applied(db) != len(steps()):
        yield f"schema {applied(db)}, where this Holdfast needs {len(steps())}: run `holdfast db migrate`"
        return
    yield from (f"integrity: {row[0]}" for row in db.rows("PRAGMA integrity_check") if row[0] != "ok")
    for table, row_id, parent, _ in db.rows("PRAGMA foreign_key_check"):
        yield f"{table} row {row_id} names a row of {parent} that is not there"
    yield from broken_laws(db)
