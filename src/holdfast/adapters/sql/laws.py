"""What rows say of each other, and what may not be: the laws that no schema can state."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Final

from holdfast.adapters.sql.database import Database
from holdfast.adapters.sql.pages import LINK, link_of
from holdfast.core.judging import links_digest

__all__ = ["altered_links", "broken_laws"]

# One observation after another, in the order of both tables: nothing is gathered.
_LINKS: Final = f"""
SELECT o.observation_id, o.links_digest, {LINK} FROM observation o
LEFT JOIN link k ON k.observation_id = o.observation_id LEFT JOIN url t ON t.url_id = k.url_id
WHERE o.links_of IS NULL ORDER BY o.observation_id, k.ord
"""


def broken_laws(db: Database) -> Iterator[str]:
    """What is wrong, one sentence each."""
    for sentence, sql in _LAWS:
        if count := db.number(f"SELECT count(*) FROM ({sql}) AS found"):
            yield f"{sentence}: {count}"
    yield from altered_links(db)


def altered_links(db: Database) -> Iterator[str]:
    """Observations whose links are not those of their digest."""
    for (number, digest), rows in groupby(db.stream(_LINKS), key=itemgetter(0, 1)):
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
