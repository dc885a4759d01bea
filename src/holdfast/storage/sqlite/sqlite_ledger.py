"""The `Ledger` port on one SQLite file: how it is opened, made, brought up to date, and checked.

1. The schema has numbered steps (`schema/NNNN_name.sql`). A file remembers each step by number, name and
   SHA-256 of its text. A step that was applied with another text, or that is not known here, is refused:
   somebody else's schema is not guessed at.
2. A new file gets all steps at once. An older file is refused until `holdfast store migrate`, which keeps a
   copy beside it (`ledger.db.before-NNNN`) before it changes anything.
3. All steps that are missing, with their rows, are one transaction.
4. URLs and hosts get their numbers inside the transaction that needs them.
5. A check looks at the file's pages, at keys, and at what rows say of each other.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Final

from holdfast.core.base.errors import LedgerError, VersionError
from holdfast.core.base.hashing import UrlKey
from holdfast.core.lineage.chapters import STORE
from holdfast.core.url.url import Place
from holdfast.storage.ledger.columns import micros
from holdfast.storage.ledger.database import Step, check_applied, read_steps
from holdfast.storage.ledger.laws import Law, broken_laws
from holdfast.storage.ledger.ledger import Ledger
from holdfast.storage.sqlite.sqlite_file import APPLICATION_ID, SqliteDatabase, make_private


def open_ledger(path: Path, now: datetime, *, read_only: bool = False) -> Ledger:
    """A ledger, made where there is none (unless read only); an older or newer schema is refused."""
    db = open_file(path, now, read_only=read_only)
    return Ledger(db, SqlitePlaces(db))


def open_in_memory(now: datetime) -> Ledger:
    """An empty ledger, which is gone when it is closed: for what only looks, and for tests."""
    db = SqliteDatabase(Path(":memory:"))
    ensure_current(db, now)
    return Ledger(db, SqlitePlaces(db))


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
    """Give a new file its schema; refuse a file that needs `store migrate`."""
    count = applied(db)
    if count == len(steps()):
        return
    if count or db.read_only:
        raise VersionError(
            f"{db.path} has schema {count}, this Holdfast needs {len(steps())}",
            hint="run `holdfast store migrate`; it keeps a copy of the file",
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


_NEW_HOST: Final = "INSERT INTO host (name) VALUES ($1) ON CONFLICT (name) DO NOTHING RETURNING host_id"
_HOST: Final = "SELECT host_id FROM host WHERE name = $1"
_NEW_URL: Final = "INSERT INTO url (url_id, url_key, web_key, host_id, url) VALUES ($1, $2, $3, $4, $5)"
_URLS: Final = "SELECT url_key, web_key, url_id FROM url WHERE url_key IN ({})"
_MOVED: Final = "UPDATE url SET web_key = $1 WHERE url_id = $2"


class SqlitePlaces:
    """The register of a file: nobody else writes while a transaction is open, so the next number is free."""

    def __init__(self, db: SqliteDatabase) -> None:
        self._db = db

    def urls(self, places: Mapping[UrlKey, Place]) -> list[tuple[Place, int]]:
        """The numbers of URLs."""
        wanted = {bytes.fromhex(key): place for key, place in places.items()}
        found, moved, new = [], [], []
        for key, web_key, number in self._db.rows_for(_URLS, [(key,) for key in wanted]):
            place = wanted.pop(key)
            found.append((place, number))
            if web_key.hex() != place.web_key:
                moved.append((bytes.fromhex(place.web_key), number))
        if wanted:
            last = self._db.number("SELECT max(url_id) FROM url")
            hosts = self.hosts({place.host for place in wanted.values()})
            for number, (key, place) in enumerate(wanted.items(), last + 1):
                found.append((place, number))
                new.append((number, key, bytes.fromhex(place.web_key), hosts[place.host], place.url))
        self._db.execute_many(_NEW_URL, new)
        self._db.execute_many(_MOVED, moved)
        return found

    def hosts(self, names: Collection[str]) -> dict[str, int]:
        """The numbers of hosts."""
        db = self._db
        return {name: db.number(_NEW_HOST, (name,)) or db.number(_HOST, (name,)) for name in names}


# One writer at a time: every item is newer than the one written before it, whatever it is of.
_OWN_LAWS: Final[tuple[Law, ...]] = (
    (
        "items that are not newer than the one written before them",
        """SELECT 1 FROM item i JOIN item before ON before.item_seq = (
        SELECT max(item_seq) FROM item WHERE item_seq < i.item_seq)
        WHERE i.created_at <= before.created_at AND NOT EXISTS (SELECT 1 FROM store WHERE is_own = 0)""",
    ),
)


def check_file(path: Path, web_key: Callable[[str], str | None] | None = None) -> Iterator[str]:
    """What is wrong with a file, one sentence each: pages, keys, and what rows say of each other. With
    `web_key`, which gives a URL's key under the `web` policy, those keys are checked as well.
    """
    if not path.exists():
        raise LedgerError(f"there is no ledger at {path}")
    try:
        db = SqliteDatabase(path, read_only=True)
    except LedgerError as error:
        yield error.message
        return
    try:
        yield from _problems(db, web_key)
    except LedgerError as error:
        yield error.message
    except (ValueError, LookupError, TypeError) as error:  # what a row says cannot be: that is damage, too
        yield f"a row cannot be read: {error}"
    finally:
        db.close()


def _problems(db: SqliteDatabase, web_key: Callable[[str], str | None] | None) -> Iterator[str]:
    if applied(db) != len(steps()):
        yield f"schema {applied(db)}, where this Holdfast needs {len(steps())}: run `holdfast store migrate`"
        return
    yield from (f"integrity: {row[0]}" for row in db.rows("PRAGMA integrity_check") if row[0] != "ok")
    for table, row_id, parent, _ in db.rows("PRAGMA foreign_key_check"):
        yield f"{table} row {row_id} names a row of {parent} that is not there"
    yield from broken_laws(db, web_key, _OWN_LAWS)
