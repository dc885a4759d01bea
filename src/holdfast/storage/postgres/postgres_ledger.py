"""The `Ledger` port on a PostgreSQL server: how it is opened, made, brought up to date, and checked.

1. The schema has numbered steps (`schema/NNNN_name.sql`). A new database gets all steps at once. An older
   one is refused until `holdfast store migrate`. All steps that are missing, with their rows, are one
   transaction, and one process at a time makes them.
2. URLs and hosts get their numbers in transactions of their own, over a connection of their own. Each
   writes hosts or URLs alone, in the order of their names, and is over at once. So nobody waits for a
   writer that judges a batch, and no two wait for each other.
3. What a batch that failed has named stays: a URL that nothing is known of says nothing.
4. The transactions that give numbers need not wait for the disk: the batch that names them does, and its
   place in the log is behind theirs.
5. Keys and most references are the server's own care; those of batches are looked at by the check.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Final

from holdfast.core.base.errors import LedgerError, VersionError
from holdfast.core.base.hashing import UrlKey
from holdfast.core.lineage.chapters import STORE
from holdfast.core.lineage.shared_jobs import JobLease
from holdfast.core.url.url import Place
from holdfast.storage.ledger.columns import micros
from holdfast.storage.ledger.database import Step, check_applied, read_steps
from holdfast.storage.ledger.laws import broken_laws
from holdfast.storage.ledger.ledger import Ledger
from holdfast.storage.postgres.postgres_server import PostgresDatabase
from holdfast.storage.postgres.references import array_text, lost_references


class PostgresLedger(Ledger):
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
    """Give a new database its schema; refuse one that needs `store migrate`."""
    count = applied(db)
    if count == len(steps()):
        return
    if not count and db.read_only:
        raise LedgerError(f"there is no ledger at {db.name}")
    if count:
        raise VersionError(
            f"{db.name} has schema {count}, this Holdfast needs {len(steps())}",
            hint="make a copy (pg_dump), then run `holdfast store migrate`",
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


_NEW_HOSTS: Final = """
INSERT INTO host (name) SELECT name FROM unnest($1::text[]) AS name ON CONFLICT (name) DO NOTHING
"""
_HOSTS: Final = "SELECT name, host_id FROM host WHERE name IN ({})"
_URLS: Final = "SELECT url_key, web_key, url_id FROM url WHERE url_key IN ({})"
_NEW_URLS: Final = """
INSERT INTO url (url_key, web_key, host_id, url)
SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::text[]) ON CONFLICT (url_key) DO NOTHING
RETURNING url_key, url_id
"""
_MOVED: Final = "UPDATE url SET web_key = $1 WHERE url_id = $2"


class PostgresPlaces:
    """The register of a server's ledger."""

    def __init__(self, db: PostgresDatabase) -> None:
        self._main = db
        self._own: PostgresDatabase | None = None

    def urls(self, places: Mapping[UrlKey, Place]) -> list[tuple[Place, int]]:
        """The numbers of URLs."""
        wanted = {bytes.fromhex(key): place for key, place in sorted(places.items())}
        found, moved = self._known(wanted)
        missing = {key: place for key, place in wanted.items() if key not in found}
        if missing:
            hosts = self.hosts({place.host for place in missing.values()})
            rows = [(key, bytes.fromhex(p.web_key), hosts[p.host], p.url) for key, p in missing.items()]
            found |= dict(self._db.rows(_NEW_URLS, [*map(array_text, zip(*rows, strict=True))]))
            if late := {key: place for key, place in missing.items() if key not in found}:
                new, other = self._known(late)  # another writer was first
                found |= new
                moved += other
        self._db.execute_many(_MOVED, sorted(moved, key=lambda row: row[1]))
        return [(place, found[key]) for key, place in wanted.items()]

    def hosts(self, names: Collection[str]) -> dict[str, int]:
        """The numbers of hosts."""
        found = self._known_hosts(names)
        if missing := sorted(set(names) - found.keys()):
            self._db.execute(_NEW_HOSTS, (array_text(missing),))
            found |= self._known_hosts(missing)
        return found

    def close(self) -> None:
        """Close the connection."""
        if self._own is not None:
            self._own.close()

    @property
    def _db(self) -> PostgresDatabase:
        if self._own is None:
            self._own = PostgresDatabase(self._main.address, settings=("synchronous_commit = off",))
        return self._own

    def _known(self, wanted: Mapping[bytes, Place]) -> tuple[dict[bytes, int], list[tuple[bytes, int]]]:
        """Numbers of those that are there; and the web keys among them that are not what they were."""
        found, moved = {}, []
        for key, web_key, number in self._db.rows_for(_URLS, [(key,) for key in wanted]):
            found[key] = number
            if web_key.hex() != wanted[key].web_key:
                moved.append((bytes.fromhex(wanted[key].web_key), number))
        return found, moved

    def _known_hosts(self, names: Collection[str]) -> dict[str, int]:
        return dict(self._db.rows_for(_HOSTS, [(name,) for name in names]))


def check_database(address: str, web_key: Callable[[str], str | None] | None = None) -> Iterator[str]:
    """What is wrong, one sentence each; `web_key` as for a file."""
    db = PostgresDatabase(address, read_only=True)
    try:
        count = applied(db)
        if count != len(steps()):
            yield f"schema {count}, where this Holdfast needs {len(steps())}: run `holdfast store migrate`"
            return
        yield from broken_laws(db, web_key, lost_references())
    except LedgerError as error:
        yield error.message
    except (ValueError, LookupError, TypeError) as error:  # what a row says cannot be: that is damage, too
        yield f"a row cannot be read: {error}"
    finally:
        db.close()
