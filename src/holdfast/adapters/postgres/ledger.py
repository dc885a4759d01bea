"""The `Ledger` port on a PostgreSQL server: how it is opened, made, and brought up to date."""

from __future__ import annotations

from datetime import datetime

from holdfast.adapters.postgres.connection import PostgresDatabase
from holdfast.adapters.postgres.migrations import applied, ensure_current, migrate, steps
from holdfast.adapters.postgres.places import PostgresPlaces
from holdfast.adapters.sql.ledger import SqlLedger
from holdfast.core.errors import LedgerError
from holdfast.core.job import JobLease

__all__ = ["PostgresLedger", "migrate_database", "open_database", "open_postgres"]


class PostgresLedger(SqlLedger):
    """What is known, on a server."""

    def __init__(self, db: PostgresDatabase) -> None:
        self._places = PostgresPlaces(db)
        super().__init__(db, self._places)

    def close(self) -> None:
        """Close the server."""
        self._places.close()
        super().close()


def open_postgres(
    address: str,
    now: datetime,
    *,
    read_only: bool = False,
    alone: bool = False,
    lease: JobLease | None = None,
) -> PostgresLedger:
    """A ledger, made where there is none (unless read only); an older or newer schema is refused. One that is
    opened `alone` is refused to everybody else who writes, until it is closed; with a `lease`, what is
    written is written only as long as that holds.
    """
    db = open_database(address, now, read_only=read_only, alone=alone, lease=lease)
    return PostgresLedger(db)


def open_database(
    address: str,
    now: datetime,
    *,
    read_only: bool = False,
    alone: bool = False,
    lease: JobLease | None = None,
) -> PostgresDatabase:
    """The database of a ledger, as `open_postgres` opens it."""
    db = PostgresDatabase(address, read_only=read_only, fence=lease)
    try:
        ensure_current(db, now)
        if alone or lease:
            db.hold(alone=alone)
    except BaseException:
        db.close()
        raise
    return db


def migrate_database(address: str, now: datetime) -> tuple[int, int]:
    """Bring a database's schema up to date: the schema it had, the one it has."""
    db = PostgresDatabase(address)
    try:
        before = applied(db)
        if not before:
            raise LedgerError(f"there is no ledger at {db.name}")
        migrate(db, now)
    finally:
        db.close()
    return before, len(steps())
