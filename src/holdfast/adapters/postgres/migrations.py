"""The schema's numbered steps (`schema/NNNN_name.sql`), and which of them a database has.

A new database gets all steps at once. An older one is refused until `holdfast db migrate`. All steps that are
missing, with their rows, are one transaction, and one process at a time makes them.
"""

from __future__ import annotations

from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Final

from holdfast.adapters.postgres.connection import PostgresDatabase
from holdfast.adapters.sql.rows import micros
from holdfast.adapters.sql.steps import Step, check_applied, read_steps
from holdfast.core.chapters import STORE
from holdfast.core.errors import LedgerError, VersionError

__all__ = ["applied", "ensure_current", "migrate", "steps"]

_SCHEMA: Final = Path(__file__).with_name("schema")
_MIGRATING: Final = 0x484F4C45
_TABLE: Final = """
CREATE TABLE IF NOT EXISTS migration (
    number BIGINT PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL, applied_at BIGINT NOT NULL
)
"""


@cache
def steps() -> tuple[Step, ...]:
    """Every step known here, in order."""
    return read_steps(_SCHEMA)


def applied(db: PostgresDatabase) -> int:
    """How many steps a database has, each checked against the one known here; 0 for one without a ledger."""
    row = db.row("SELECT to_regclass('migration')::text")
    if row is None or row[0] is None:
        return 0
    rows = db.rows("SELECT number, name, sha256 FROM migration ORDER BY number")
    return check_applied(db.name, steps(), ((row[0], row[1], row[2]) for row in rows))


def ensure_current(db: PostgresDatabase, now: datetime) -> None:
    """Give a new database its schema; refuse one that needs `db migrate`."""
    count = applied(db)
    if count == len(steps()):
        return
    if not count and db.read_only:
        raise LedgerError(f"there is no ledger at {db.name}")
    if count:
        raise VersionError(
            f"{db.name} has schema {count}, this Holdfast needs {len(steps())}",
            hint="make a copy (pg_dump), then run `holdfast db migrate`",
        )
    migrate(db, now)


def migrate(db: PostgresDatabase, now: datetime) -> None:
    """Apply the steps that are missing."""
    with db.writing():
        db.execute("SELECT pg_advisory_xact_lock($1)", (_MIGRATING,))
        applied(db)  # refuses what is not known here; another process may have been first
        db.execute(_TABLE)
        have = {row[0] for row in db.rows("SELECT number FROM migration")}
        for step in [step for step in steps() if step.number not in have]:
            db.execute_script(step.sql)
            row = (step.number, step.name, step.sha256, micros(now))
            db.execute("INSERT INTO migration VALUES ($1, $2, $3, $4)", row)
        # the archive's copy of what a ledger says about itself is behind
        db.execute("UPDATE chapter SET is_current = 0 WHERE name = $1", (STORE,))
