"""The schema's numbered steps (`schema/NNNN_name.sql`), and which of them a file has.

1. A file remembers each step by number, name and SHA-256 of its text. A step that was applied with
   another text, or that is not known here, is refused: somebody else's schema is not guessed at.
2. A new file gets all steps at once. An older file is refused until `holdfast db migrate`, which keeps a
   copy beside it (`ledger.db.before-NNNN`) before it changes anything.
3. All steps that are missing, with their rows, are one transaction.
"""

from __future__ import annotations

from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Final

from holdfast.adapters.sql.rows import micros
from holdfast.adapters.sql.steps import Step, check_applied, read_steps
from holdfast.adapters.sqlite.connection import APPLICATION_ID, SqliteDatabase, make_private
from holdfast.core.chapters import STORE
from holdfast.core.errors import LedgerError, VersionError

__all__ = ["applied", "ensure_current", "migrate", "steps"]

_SCHEMA: Final = Path(__file__).with_name("schema")
_TABLE = """
CREATE TABLE migration (
    number     INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    sha256     TEXT NOT NULL,
    applied_at INTEGER NOT NULL
) STRICT
"""


@cache
def steps() -> tuple[Step, ...]:
    """Every step known here, in order."""
    return read_steps(_SCHEMA)


def applied(db: SqliteDatabase) -> int:
    """How many steps a file has, each checked against the one known here; 0 for an empty file."""
    if not db.number("SELECT count(*) FROM sqlite_master"):
        return 0
    if db.number("PRAGMA application_id") != APPLICATION_ID:
        raise LedgerError(f"{db.path} is a database, but not a ledger of Holdfast")
    rows = db.rows("SELECT number, name, sha256 FROM migration ORDER BY number")
    return check_applied(str(db.path), steps(), ((row[0], row[1], row[2]) for row in rows))


def ensure_current(db: SqliteDatabase, now: datetime) -> None:
    """Give a new file its schema; refuse a file that needs `db migrate`."""
    count = applied(db)
    if count == len(steps()):
        return
    if count or db.read_only:
        raise VersionError(
            f"{db.path} has schema {count}, this Holdfast needs {len(steps())}",
            hint="run `holdfast db migrate`; it keeps a copy of the file",
        )
    migrate(db, now)


def _missing(db: SqliteDatabase) -> list[Step]:
    """The steps that a file does not have."""
    have = {row[0] for row in db.rows("SELECT number FROM migration")} if applied(db) else set()
    return [step for step in steps() if step.number not in have]


def migrate(db: SqliteDatabase, now: datetime) -> Path | None:
    """Apply the steps that are missing; the copy made beforehand, where there was something to copy."""
    missing = _missing(db)
    copy = None
    if missing and len(missing) < len(steps()):
        copy = _copied(db, f"{db.path.name}.before-{missing[0].number:04d}")
    with db.writing():  # all or nothing: a kill in between must not leave a file that nobody wants to open
        for step in _missing(db):  # another process may have been first
            if step.number == 1:
                db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                db.execute(_TABLE)
            db.execute(step.sql)
            row = (step.number, step.name, step.sha256, micros(now))
            db.execute("INSERT INTO migration VALUES ($1, $2, $3, $4)", row)
        if missing:  # the archive's copy of what a ledger says about itself is behind
            db.execute("UPDATE chapter SET is_current = 0 WHERE name = $1", (STORE,))
    return copy


def _copied(db: SqliteDatabase, name: str) -> Path:
    """A whole copy of the file under a name that is free; what a killed attempt left is written over."""
    draft, copy, number = db.path.with_name(f"{name}.partial"), db.path.with_name(name), 1
    draft.unlink(missing_ok=True)
    while copy.exists():
        number += 1
        copy = db.path.with_name(f"{name}-{number}")
    make_private(draft)
    db.execute("VACUUM INTO $1", (str(draft),))
    return draft.rename(copy)
