"""What can be wrong with a ledger's file: pages, keys, and what rows say of each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from holdfast.adapters.sql.laws import Law, broken_laws
from holdfast.adapters.sqlite.connection import SqliteDatabase
from holdfast.adapters.sqlite.migrations import applied, steps
from holdfast.core.errors import LedgerError

__all__ = ["check_file"]

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
        yield f"schema {applied(db)}, where this Holdfast needs {len(steps())}: run `holdfast db migrate`"
        return
    yield from (f"integrity: {row[0]}" for row in db.rows("PRAGMA integrity_check") if row[0] != "ok")
    for table, row_id, parent, _ in db.rows("PRAGMA foreign_key_check"):
        yield f"{table} row {row_id} names a row of {parent} that is not there"
    yield from broken_laws(db, web_key, _OWN_LAWS)
