"""The `Ledger` port on one SQLite file: how it is opened, made, and brought up to date."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from holdfast.adapters.sql.ledger import SqlLedger
from holdfast.adapters.sqlite.connection import SqliteDatabase, make_private
from holdfast.adapters.sqlite.migrations import applied, ensure_current, migrate, steps
from holdfast.adapters.sqlite.places import SqlitePlaces
from holdfast.core.errors import LedgerError

__all__ = ["migrate_file", "open_ledger"]


def open_ledger(path: Path, now: datetime, *, read_only: bool = False) -> SqlLedger:
    """A ledger, made where there is none (unless read only); an older or newer schema is refused."""
    if read_only and not path.exists():
        raise LedgerError(f"there is no ledger at {path}")
    if not read_only:
        make_private(path)
    db = SqliteDatabase(path, read_only=read_only)
    try:
        ensure_current(db, now)
    except BaseException:
        db.close()
        raise
    return SqlLedger(db, SqlitePlaces(db))


def migrate_file(path: Path, now: datetime) -> tuple[int, int, Path | None]:
    """Bring a file's schema up to date: the schema it had, the one it has, the copy that was kept."""
    if not path.exists():
        raise LedgerError(f"there is no ledger at {path}")
    db = SqliteDatabase(path)
    try:
        before = applied(db)
        copy = migrate(db, now)
    finally:
        db.close()
    return before, len(steps()), copy
