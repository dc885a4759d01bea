"""What rows say of each other, and what may not be: the laws that no schema can state."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from holdfast.core.base.hashing import links_digest, url_key
from holdfast.core.links.citing import unsupported_key
from holdfast.core.url.url import Place
from holdfast.storage.ledger.chapter_rows import altered_chapters
from holdfast.storage.ledger.kept_sums import KEPT_LAWS
from holdfast.storage.ledger.page_table import LINK, link_of

if TYPE_CHECKING:
    from holdfast.storage.ledger.database import Database

Law = tuple[str, str]
"""A sentence, and the question that finds what breaks it."""

# One observation after another, in the order of both tables: nothing is gathered.
_LINKS: Final = f"""
SELECT o.observation_id, o.links_digest, {LINK} FROM observation o
LEFT JOIN link k ON k.observation_id = o.observation_id LEFT JOIN url t ON t.url_id = k.url_id
WHERE o.links_of IS NULL ORDER BY o.observation_id, k.ord
"""


def broken_laws(
    db: Database, web_key: Callable[[str], str | None] | None = None, own: Sequence[Law] = ()
) -> Iterator[str]:
    """What is wrong, one sentence each; `own` are the laws that this kind of database keeps besides. With
    `web_key`, which gives a URL's key under the `web` policy, those keys are checked as well.
    """
    for sentence, sql in (*_LAWS, *KEPT_LAWS, *own):
        if count := db.number(f"SELECT count(*) FROM ({sql}) AS found"):
            yield f"{sentence}: {count}"
    yield from altered_links(db)
    yield from _altered_urls(db, web_key)
    for name in altered_chapters(db):
        yield f"the rows of {name} are not those that were written"


def _altered_urls(db: Database, web_key: Callable[[str], str | None] | None) -> Iterator[str]:
    """URLs whose keys or host are not their own."""
    sql = "SELECT u.url, u.url_key, u.web_key, h.name FROM url u JOIN host h USING (host_id)"
    for url, key, web, host in db.stream(sql):
        own = url_key(url)
        if key.hex() not in (own, unsupported_key(url)):
            yield f"the key of {url} is not its own"
        if Place(url, own, own).host != host:
            yield f"the host of {url} is not its own"
        if web_key is not None and (made := web_key(url)) is not None and made != web.hex():
            yield f"the key by which {url} is found is not its own"


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
        AND NOT EXISTS (SELECT 1 FROM tombstone) AND NOT EXISTS (SELECT 1 FROM store WHERE is_own = 0)""",
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
    (
        "observations that are not of the time, or in the place, of their capture",
        """SELECT 1 FROM observation o JOIN capture c USING (capture_seq)
        WHERE o.fetched_at <> c.fetched_at OR o.rank <> c.rank OR o.stamp <> c.stamp""",
    ),
    (
        "captures of this store that are not in the order in which they were written",
        "SELECT 1 FROM capture WHERE stamp < 0 OR (stamp = 0 AND rank <> capture_seq)",
    ),
    (
        "runs that were brought without a place, or placed without having been brought",
        "SELECT 1 FROM run WHERE (rank IS NULL) <> (stamp = 0)",
    ),
    (
        "observations under another recipe than their run's or their item's",
        """SELECT 1 FROM observation o JOIN run r ON r.run_seq = o.run_seq
        JOIN item i ON i.item_seq = o.item_seq
        WHERE o.recipe_id <> r.recipe_id OR o.recipe_id <> i.recipe_id""",
    ),
    (
        "observations of another URL than their item's, or with links of another URL's",
        """SELECT 1 FROM observation o JOIN item i ON i.item_seq = o.item_seq
        LEFT JOIN observation links ON links.observation_id = o.links_of
        WHERE o.url_id <> i.url_id OR links.url_id <> o.url_id OR links.links_of IS NOT NULL""",
    ),
    (
        "links that are not numbered one after another",
        """SELECT 1 FROM link GROUP BY observation_id HAVING min(ord) <> 0 OR max(ord) <> count(*) - 1""",
    ),
    (
        "pages of a time, or with links, that no observation had",
        """SELECT 1 FROM page g LEFT JOIN observation o ON o.observation_id = g.links_of
        WHERE o.url_id IS DISTINCT FROM g.url_id OR o.links_of IS NOT NULL OR NOT EXISTS (
        SELECT 1 FROM observation s WHERE s.recipe_id = o.recipe_id AND s.url_id = g.url_id
        AND s.fetched_at = g.fetched_at)""",
    ),
    (
        "pages with a validator that no answer had",
        """SELECT 1 FROM page g JOIN observation o ON o.observation_id = g.links_of
        WHERE (g.etag IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM observation s JOIN capture c USING (capture_seq)
        WHERE s.recipe_id = o.recipe_id AND s.url_id = g.url_id AND c.etag = g.etag))
        OR (g.last_modified IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM observation s JOIN capture c USING (capture_seq)
        WHERE s.recipe_id = o.recipe_id AND s.url_id = g.url_id AND c.last_modified = g.last_modified))""",
    ),
    ("permits to forget that were left behind", "SELECT 1 FROM forgetting"),
)
