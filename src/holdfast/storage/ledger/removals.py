"""The one exception to "written once" (LIN-1): what somebody wants forgotten, and what no item needs.

A purge is one transaction. It holds the permit that the guards ask for, takes the rows out, writes
tombstones, points the captures that stay to where the archive has them now, and seals the runs anew over
what is left. What rows refer to is checked once, at the end: row by row, every capture that moves would
walk all items.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Final, Protocol

from holdfast.core.base.hashing import UrlKey
from holdfast.core.lineage.ledger_values import Original, Purged, Removal, Tombstone
from holdfast.core.lineage.lineage import CaptureRecord, RecordRef
from holdfast.core.url.url import Place
from holdfast.storage.ledger.archive_table import MOVE_TABLES, MovedTable
from holdfast.storage.ledger.columns import micros, moment, place_of
from holdfast.storage.ledger.kept_sums import recount_brought
from holdfast.storage.ledger.run_table import seal_of

if TYPE_CHECKING:
    from holdfast.storage.ledger.connection import LedgerSession


class MovedCaptures(Protocol):
    """Captures on their way to new files of an archive. There may be millions of them, so this lives where
    the ledger does.
    """

    def staying(self) -> Iterator[CaptureRecord]:
        """Read every archived capture that is not taken out, by file and offset."""
        ...

    def original(self, record: CaptureRecord) -> Original | None:
        """Read where a body is that a capture repeats, among those noted before it."""
        ...

    def note(self, record: CaptureRecord, ref: RecordRef | None) -> None:
        """Write where a capture is now; None: the archive lost it. What is never noted stays where it is."""
        ...

    def leave(self, record: CaptureRecord, ref: RecordRef) -> None:
        """Write that a capture stays where it is: others may repeat its body."""
        ...


Rewrite = Callable[[MovedCaptures], None]
"""Writes an archive anew, durably."""


_AT_ONCE: Final = 1_000
_GOING: Final = (
    """CREATE TEMP TABLE going_capture AS SELECT capture_seq FROM capture
    WHERE url_id IN (SELECT url_id FROM going_url) OR capture_id IN (SELECT capture_id FROM going_id)""",
    """CREATE TEMP TABLE going_item AS SELECT item_seq FROM item
    WHERE url_id IN (SELECT url_id FROM going_url)
    OR capture_seq IN (SELECT capture_seq FROM going_capture)""",
    """CREATE TEMP TABLE going_observation AS SELECT observation_id FROM observation
    WHERE url_id IN (SELECT url_id FROM going_url) OR item_seq IN (SELECT item_seq FROM going_item)
    OR capture_seq IN (SELECT capture_seq FROM going_capture)""",
)
_REMOVALS: Final = (
    """INSERT INTO removal SELECT g.label_id, g.path, u.url FROM page g JOIN url u ON u.url_id = g.url_id
    WHERE g.url_id IN (SELECT url_id FROM going_url) OR g.item_seq IN (SELECT item_seq FROM going_item)
    ON CONFLICT DO NOTHING""",
    """INSERT INTO removal SELECT r.label_id, '', u.url FROM frontier f JOIN run r ON r.run_seq = f.run_seq
    JOIN url u ON u.url_id = f.url_id WHERE f.url_id IN (SELECT url_id FROM going_url)
    ON CONFLICT DO NOTHING""",
)
_LEAVES: Final = """
INSERT INTO absence (label_id, left_at, url_id) SELECT label_id, $1, url_id FROM page
WHERE gone_at IS NULL
AND (url_id IN (SELECT url_id FROM going_url) OR item_seq IN (SELECT item_seq FROM going_item))
ON CONFLICT DO NOTHING
"""
_REMOVAL: Final = """
INSERT INTO removal SELECT label_id, $1, '' FROM label WHERE name = $2 ON CONFLICT DO NOTHING
"""
_DELETE: Final = (
    """DELETE FROM page WHERE url_id IN (SELECT url_id FROM going_url)
    OR item_seq IN (SELECT item_seq FROM going_item)""",
    "DELETE FROM link WHERE observation_id IN (SELECT observation_id FROM going_observation)",
    "DELETE FROM observation WHERE observation_id IN (SELECT observation_id FROM going_observation)",
    "UPDATE purge_count SET purges = purges + 1 WHERE EXISTS (SELECT 1 FROM going_observation)",
    """DELETE FROM edge WHERE source_seq IN (SELECT item_seq FROM going_item)
    OR target_seq IN (SELECT item_seq FROM going_item)""",
    "DELETE FROM section WHERE item_seq IN (SELECT item_seq FROM going_item)",
    "DELETE FROM item WHERE item_seq IN (SELECT item_seq FROM going_item)",
    "DELETE FROM lost_capture WHERE capture_seq IN (SELECT capture_seq FROM going_capture)",
    "DELETE FROM capture WHERE capture_seq IN (SELECT capture_seq FROM going_capture)",
    "DELETE FROM frontier WHERE url_id IN (SELECT url_id FROM going_url)",
    "DELETE FROM alternate WHERE url_id IN (SELECT url_id FROM going_url)",
    """DELETE FROM alias WHERE url_id IN (SELECT url_id FROM going_url)
    OR target_id IN (SELECT url_id FROM going_url)""",
)
_GOING_URL: Final = """
INSERT INTO going_url SELECT url_id FROM url WHERE url_key = $1 ON CONFLICT DO NOTHING
"""
_TEMPORARY: Final = (
    "going_url",
    "going_id",
    "going_capture",
    "going_item",
    "going_observation",
    *MOVE_TABLES,
)
_MOVE: Final = (
    """CREATE TEMP TABLE moving AS
    SELECT c.*, m.file, m.first, m.length FROM capture c JOIN moved m ON m.capture_id = c.capture_id""",
    "DELETE FROM capture WHERE capture_seq IN (SELECT capture_seq FROM moving)",
    """INSERT INTO archive_file (name, committed_end)
    SELECT file, max(first + length) FROM moving WHERE file IS NOT NULL GROUP BY file
    ON CONFLICT (name) DO UPDATE SET committed_end = excluded.committed_end""",
    """INSERT INTO capture SELECT capture_seq, capture_id, run_seq, url_id, requested_url, final_url, status,
    fetched_at, content_type, etag, last_modified, payload_sha256,
    (SELECT file_id FROM archive_file WHERE name = file), first, length, rank, stamp FROM moving""",
    """UPDATE page SET etag = NULL, last_modified = NULL
    WHERE url_id IN (SELECT url_id FROM moving WHERE file IS NULL)""",
)
_NOTE_LOST: Final = """
INSERT INTO lost_capture SELECT capture_seq, $1 FROM moving WHERE file IS NULL ON CONFLICT DO NOTHING
"""
_SPARE: Final = (
    "DELETE FROM spare_file WHERE name IN (SELECT name FROM archive_file)",
    """INSERT INTO spare_file SELECT name FROM archive_file WHERE file_id NOT IN (
    SELECT file_id FROM capture WHERE file_id IS NOT NULL) ON CONFLICT DO NOTHING""",
    "DELETE FROM archive_file WHERE file_id NOT IN (SELECT file_id FROM capture WHERE file_id IS NOT NULL)",
)


class ForgettingTable:
    """Taking rows out again: the one exception to "written once" (LIN-1, STA-4)."""

    def __init__(self, session: LedgerSession) -> None:
        self._session = session
        self._db = session.db

    def places_at(self, web_key: UrlKey) -> tuple[Place, ...]:
        """Read every policy's URL for a place."""
        rows = self._db.rows(
            "SELECT url, url_key, web_key FROM url WHERE web_key = $1", (bytes.fromhex(web_key),)
        )
        return tuple(place_of(*row) for row in rows)

    def places_on(self, host: str) -> Iterator[Place]:
        """Read every URL on a host (with its port, unless that is the default) that anything was seen of."""
        rows = self._db.stream(
            "SELECT u.url, u.url_key, u.web_key FROM host h CROSS JOIN url u WHERE u.host_id = h.host_id"
            " AND h.name = $1 AND (EXISTS (SELECT 1 FROM capture c WHERE c.url_id = u.url_id) OR EXISTS ("
            "SELECT 1 FROM recipe p CROSS JOIN item i"
            " WHERE i.recipe_id = p.recipe_id AND i.url_id = u.url_id))",
            (host,),
        )
        return (place_of(*row) for row in rows)

    def tombstones(self) -> Iterator[Tombstone]:
        """Read what was forgotten, by URL."""
        sql = "SELECT u.url, u.url_key, u.web_key, t.forgotten_at FROM tombstone t JOIN url u USING (url_id)"
        for row in self._db.stream(sql + " ORDER BY u.url"):
            yield Tombstone(place_of(*row[:3]), moment(row[3]))

    def unneeded_captures(self) -> Iterator[str]:
        """Read which archived captures show no item, no image of a current page, and no page itself: where
        the content was taken from the Markdown that a page names, its links come from the page all the same.
        """
        sql = """
        SELECT c.capture_id FROM capture c WHERE c.file_id IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM observation o WHERE o.capture_seq = c.capture_seq)
        AND NOT EXISTS (SELECT 1 FROM link k JOIN page g ON g.links_of = k.observation_id
                        WHERE k.url_id = c.url_id AND k.kind = 'image')
        AND NOT (c.status BETWEEN 200 AND 299 AND EXISTS (
            SELECT 1 FROM label l CROSS JOIN page g WHERE g.label_id = l.label_id AND g.url_id = c.url_id))
        """
        for row in self._db.stream(sql):
            yield row[0].hex()

    def purge(
        self,
        keys: Collection[UrlKey],
        captures: Iterable[str],
        rewrite: Rewrite,
        at: datetime,
        files: Sequence[tuple[str, str]] = (),
    ) -> Purged:
        """Write, in one transaction: take out everything seen of URLs, with a tombstone for each, and single
        captures. Inside it `rewrite` is called, once it is clear what stays, and says where the archive has
        that now. The files of what goes, and `files` (label and path), are noted as still to be removed.
        """
        with self._session.purging():
            self._choose(keys, captures)
            rewrite(MovedTable(self._db))
            for sql in _REMOVALS:
                self._db.execute(sql)
            self._db.execute_many(_REMOVAL, [(path, label) for label, path in files])
            return self._take_out(at)

    def removals(self) -> tuple[Removal, ...]:
        """Read what is still to be taken out of mirrors' folders."""
        sql = "SELECT l.name, m.path, m.url FROM removal m JOIN label l USING (label_id) ORDER BY 1, 2, 3"
        return tuple(Removal(*row) for row in self._db.rows(sql))

    def removed(self, label: str) -> None:
        """Write that a mirror's folder has none of it any more."""
        with self._session.writing():
            sql = "DELETE FROM removal WHERE label_id = (SELECT label_id FROM label WHERE name = $1)"
            self._db.execute(sql, (label,))

    def _choose(self, keys: Collection[UrlKey], captures: Iterable[str]) -> None:
        """Which rows go, in tables of this connection's own."""
        db = self._db
        db.execute("CREATE TEMP TABLE going_url (url_id BIGINT PRIMARY KEY)")
        db.execute(f"CREATE TEMP TABLE going_id (capture_id {db.bytes_type} PRIMARY KEY)")
        rows = [(bytes.fromhex(key),) for key in keys]
        db.execute_many(_GOING_URL, rows)
        names = iter(captures)
        while some := list(islice(names, _AT_ONCE)):
            db.execute_many("INSERT INTO going_id VALUES ($1)", [(bytes.fromhex(name),) for name in some])
        for sql in _GOING:
            db.execute(sql)

    def _take_out(self, at: datetime) -> Purged:
        db = self._db
        db.execute("INSERT INTO forgetting (permit) VALUES (1)")
        runs = [row[0] for row in db.rows("SELECT run_seq FROM run_progress WHERE seal IS NOT NULL")]
        purged = Purged(*(db.number(f"SELECT count(*) FROM {name}") for name in _TEMPORARY[2:4]))
        db.execute(_LEAVES, (micros(at),))
        for sql in _DELETE:
            db.execute(sql)
        tombs = "INSERT INTO tombstone SELECT url_id, $1 FROM going_url WHERE true ON CONFLICT DO NOTHING"
        db.execute(tombs, (micros(at),))
        self._move(at)
        for run in runs if purged.items else ():
            db.execute("UPDATE run_progress SET seal = $1 WHERE run_seq = $2", (seal_of(db, run), run))
        if purged.items:
            recount_brought(db, all_runs=True)
        for name in _TEMPORARY:
            db.execute(f"DROP TABLE IF EXISTS {name}")
        db.execute("DELETE FROM forgetting")
        db.execute("DELETE FROM chapter")  # the archive was written anew, without them
        return purged

    def _move(self, at: datetime) -> None:
        """Captures are written once; under the permit they are taken out and put back elsewhere."""
        db = self._db
        for sql in _MOVE:
            db.execute(sql)
        db.execute(_NOTE_LOST, (micros(at),))
        db.execute("DROP TABLE moving")
        for sql in _SPARE:
            db.execute(sql)
