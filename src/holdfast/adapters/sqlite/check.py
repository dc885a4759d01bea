"""What can be wrong with a ledger's file: pages, keys, and what rows say of each other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Final

from holdfast.adapters.sqlite.connection import Database
from holdfast.adapters.sqlite.migrations import applied, steps
from holdfast.adapters.sqlite.pages import LINK, link_of
from holdfast.core.errors import LedgerError
from holdfast.core.judging import links_digest

__all__ = ["check_file"]

# One observation after another, in the order of both tables: nothing is gathered.
_LINKS: Final = f"""
SELECT o.observation_id, o.links_digest, {LINK} FROM observation o
LEFT JOIN link k ON k.observation_id = o.observation_id LEFT JOIN url t ON t.url_id = k.url_id
WHERE o.links_of IS NULL ORDER BY o.observation_id, k.ord
"""


def check_file(path: Path) -> Iterator[str]:
    """What is wrong with a file, one sentence each: pages, keys, and what rows say of each other."""
    if not path.exists():
        raise LedgerError(f"there is no ledger at {path}")
    try:
        db = Database(path, read_only=True)
    except LedgerError as error:
        yield error.message
        return
    try:
        yield from _problems(db)
    except LedgerError as error:
        yield error.message
    finally:
        db.close()


def _problems(db: Database) -> Iterator[str]:
    if applied(db) != len(steps()):
        yield f"schema {applied(db)}, where this Holdfast needs {len(steps())}: run `holdfast db migrate`"
        return
    yield from (f"integrity: {row[0]}" for row in db.rows("PRAGMA integrity_check") if row[0] != "ok")
    for table, row_id, parent, _ in db.rows("PRAGMA foreign_key_check"):
        yield f"{table} row {row_id} names a row of {parent} that is not there"
    for sentence, sql in _LAWS:
        if count := db.number(f"SELECT count(*) FROM ({sql})"):
            yield f"{sentence}: {count}"
    yield from _altered_links(db)


def _altered_links(db: Database) -> Iterator[str]:
    """Observations whose links are not those of their digest."""
    for (number, digest), rows in groupby(db.rows(_LINKS), key=itemgetter(0, 1)):
        links = tuple(link_of(row[2:]) for row in rows if row[2] is not None)
        if links_digest(links) != digest:
            yield f"the links of observation {number} are not those of their digest"


_LAWS = (
    (
        "later versions of a URL without a supersedes edge",
        """SELECT 1 FROM item i WHERE EXISTS (
        SELECT 1 FROM item older WHERE older.url_id = i.url_id AND older.recipe_id = i.recipe_id
        AND older.item_seq < i.item_seq)
        AND NOT EXISTS (SELECT 1 FROM edge e WHERE e.source_seq = i.item_seq AND e.kind = 'supersedes')
        AND NOT EXISTS (SELECT 1 FROM tombstone)""",
    ),
    (
        "links of an observation or to a URL that is not there",
        """SELECT 1 FROM link k WHERE NOT EXISTS (SELECT 1 FROM url u WHERE u.url_id = k.url_id)
        OR NOT EXISTS (SELECT 1 FROM observation o WHERE o.observation_id = k.observation_id)""",
    ),
    (
        "sections of an item that is not there",
        "SELECT 1 FROM section s WHERE NOT EXISTS (SELECT 1 FROM item i WHERE i.item_seq = s.item_seq)",
    ),
    (
        "items that no capture was observed to show",
        """SELECT 1 FROM item i WHERE NOT EXISTS (
        SELECT 1 FROM observation o WHERE o.item_seq = i.item_seq AND o.capture_seq = i.capture_seq)""",
    ),
    (
        "supersedes edges between versions (VER-4)",
        """SELECT 1 FROM edge e JOIN item s ON s.item_seq = e.source_seq
        JOIN item t ON t.item_seq = e.target_seq
        WHERE e.kind = 'supersedes' AND s.recipe_id <> t.recipe_id""",
    ),
    (
        "supersedes edges to an item that is not older",
        """SELECT 1 FROM edge e JOIN item s ON s.item_seq = e.source_seq
        JOIN item t ON t.item_seq = e.target_seq
        WHERE e.kind = 'supersedes' AND s.created_at <= t.created_at""",
    ),
    (
        "captures beyond the committed end of their archive file",
        """SELECT 1 FROM capture c JOIN archive_file f ON f.file_id = c.file_id
        WHERE c.file_offset + c.file_length > f.committed_end""",
    ),
    ("permits to forget that were left behind", "SELECT 1 FROM forgetting"),
)
