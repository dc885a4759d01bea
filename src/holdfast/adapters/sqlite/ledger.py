"""The `Ledger` port on one SQLite file: how it is opened, made, and brought up to date."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

from holdfast.adapters.sql.ledger import SqlLedger
from holdfast.adapters.sqlite.connection import SqliteDatabase, make_private
from holdfast.adapters.sqlite.migrations import applied, ensure_current, migrate, steps
from holdfast.adapters.sqlite.places import SqlitePlaces
from holdfast.core.errors import LedgerError

__all__ = ["copy_ledger", "migrate_file", "open_file", "open_ledger"]


def open_ledger(path: Path, now: datetime, *, read_only: bool = False) -> SqlLedger:
    """A ledger, made where there is none (unless read only); an older or newer schema is refused."""
    db = open_file(path, now, read_only=read_only)
    return SqlLedger(db, SqlitePlaces(db))


def open_file(path: Path, now: datetime, *, read_only: bool = False) -> SqliteDatabase:
    """The database of a ledger, as `open_ledger` opens it."""
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
    return db


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


def copy_ledger(ledger: Path, copy: Path) -> dict[str, int]:
    """The ledger as it is at one moment; how far each archive file is committed in it."""
    make_private(copy)
    db = SqliteDatabase(ledger, read_only=True)
    try:
        db.execute("PRAGMA query_only = OFF")  # it is the copy that is written
        db.execute("VACUUM INTO ?", (str(copy),))
    finally:
        db.close()
    with copy.open("rb") as file:
        os.fsync(file.fileno())
    db = SqliteDatabase(copy, read_only=True)
    try:
        return dict(db.rows("SELECT name, committed_end FROM archive_file"))
    finally:
        db.close()
        for tail in ("-wal", "-shm"):
            copy.with_name(copy.name + tail).unlink(missing_ok=True)
