"""Which capture the archive holds where, and what the ledger knows of the archive's files.

Where an archive that is written anew has its captures is kept in tables of this connection's own, on disk
as the ledger is. What a capture repeats is found there by its body, or, for a 304, by its URL.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from holdfast.core.base.hashing import UrlKey
from holdfast.core.lineage.ledger_values import Original
from holdfast.core.lineage.lineage import CaptureRecord, RecordRef
from holdfast.storage.ledger.columns import (
    CAPTURE,
    CAPTURES_BY_FILE,
    IN_FILE_ORDER,
    capture_of,
    micros,
    moment,
)

if TYPE_CHECKING:
    from holdfast.storage.ledger.connection import LedgerSession
    from holdfast.storage.ledger.database import Database, Row

_FIRST: Final = """
SELECT min(capture_seq) FROM capture WHERE payload_sha256 = {} AND file_id IS NOT NULL
AND capture_seq NOT IN (SELECT capture_seq FROM lost_capture)
"""
_ORIGINALS: Final = f"""
WITH wanted (payload) AS ({{}})
SELECT w.payload, f.name, c.file_offset, c.file_length, c.final_url, c.fetched_at
FROM wanted w JOIN capture c ON c.capture_seq = ({_FIRST.format("w.payload")})
JOIN archive_file f ON f.file_id = c.file_id
"""
_LAST: Final = f"""
WITH wanted (url_key, address) AS ({{}})
SELECT w.url_key, f.name, c.file_offset, c.file_length, c.final_url, c.fetched_at
FROM wanted w JOIN url u ON u.url_key = w.url_key
JOIN capture last ON last.capture_seq = (
    SELECT h.capture_seq FROM capture h WHERE h.url_id = u.url_id AND h.status = 200
    AND h.file_id IS NOT NULL AND h.payload_sha256 IS NOT NULL
    AND h.capture_seq NOT IN (SELECT capture_seq FROM lost_capture)
    ORDER BY h.final_url IS NOT DISTINCT FROM w.address DESC,
    EXISTS (SELECT 1 FROM observation o WHERE o.capture_seq = h.capture_seq) DESC,
    h.rank DESC, h.stamp DESC, h.capture_seq LIMIT 1)
JOIN capture c ON c.capture_seq = ({_FIRST.format("last.payload_sha256")})
JOIN archive_file f ON f.file_id = c.file_id
"""

_AT: Final = "SELECT capture_seq FROM capture JOIN archive_file USING (file_id) WHERE name = $1 AND "
_LOST: Final = "SELECT count(*) FROM lost_capture"
# A body is held by the first capture that has it: with that one, every repeat of it is lost.
_LOSE_REPEATS: Final = """
INSERT INTO losing SELECT c.capture_seq FROM capture c WHERE c.file_id IS NOT NULL
AND c.payload_sha256 IS NOT NULL AND EXISTS (
    SELECT 1 FROM losing WHERE losing.capture_seq = (
        SELECT min(first.capture_seq) FROM capture first WHERE first.payload_sha256 = c.payload_sha256
        AND first.file_id IS NOT NULL AND first.capture_seq NOT IN (SELECT capture_seq FROM lost_capture)))
ON CONFLICT DO NOTHING
"""
_ASK_WHOLE: Final = """
UPDATE page SET etag = NULL, last_modified = NULL WHERE url_id IN (
    SELECT url_id FROM capture WHERE capture_seq IN (SELECT capture_seq FROM losing))
"""
_NOTE_LOST: Final = """
INSERT INTO lost_capture (capture_seq, noted_at) SELECT capture_seq, $1 FROM losing WHERE true
ON CONFLICT DO NOTHING
"""


class ArchiveTable:
    """What the ledger knows of the archive: which capture is where."""

    def __init__(self, session: LedgerSession) -> None:
        self._session = session
        self._db = session.db

    def captures(self) -> Iterator[CaptureRecord]:
        """Read every capture that the archive holds, by file and offset."""
        sql = f"SELECT {CAPTURE} FROM {CAPTURES_BY_FILE} {IN_FILE_ORDER}"
        for row in self._db.stream(sql):
            yield capture_of(row)

    def ends(self) -> dict[str, int]:
        """Read how far each archive file is committed; what is beyond was never acknowledged."""
        return dict(self._db.rows("SELECT name, committed_end FROM archive_file"))

    def originals_of(self, payloads: Collection[str]) -> dict[str, Original]:
        """Read which archived capture holds each of these bodies; one that none holds is left out."""
        hashes = tuple((bytes.fromhex(payload),) for payload in payloads)
        return {row[0].hex(): _original(row) for row in self._db.rows_for(_ORIGINALS, hashes)}

    def last_of(self, asked: Mapping[UrlKey, str | None]) -> dict[UrlKey, Original]:
        """Read which archived capture last had a body for each of these URLs: what a 304 confirms. One that
        came from the address beside the key goes before those from other addresses of the same URL; among
        those, one that shows an item goes before one that nothing was made of.
        """
        pairs = tuple((bytes.fromhex(key), address) for key, address in asked.items())
        return {UrlKey(row[0].hex()): _original(row) for row in self._db.rows_for(_LAST, pairs)}

    def lost(self) -> frozenset[str]:
        """Read which captures the archive cannot give back; that they are lost has been noted."""
        sql = (
            "SELECT c.capture_id FROM lost_capture n CROSS JOIN capture c WHERE c.capture_seq = n.capture_seq"
        )
        return frozenset(row[0].hex() for row in self._db.rows(sql))

    def lose(self, refs: Collection[RecordRef], at: datetime) -> int:
        """Write that the archive cannot give records back, nor those whose body they alone held. Their pages
        are asked for whole the next time. How many captures were not noted before.
        """
        return self._lose(_AT + "file_offset = $2", [(ref.file, ref.offset) for ref in refs], at)

    def lose_beyond(self, ends: Mapping[str, int], at: datetime) -> int:
        """Files end sooner than was committed."""
        return self._lose(_AT + "file_offset + file_length > $2", list(ends.items()), at)

    def _lose(self, which: str, wanted: Sequence[tuple[str, int]], at: datetime) -> int:
        db, before = self._db, self._db.number(_LOST)
        with self._session.writing():
            db.execute("UPDATE chapter SET is_current = 0")  # files of pages lose their validators
            db.execute("CREATE TEMP TABLE losing (capture_seq BIGINT PRIMARY KEY)")
            db.execute_many(f"INSERT INTO losing {which} ON CONFLICT DO NOTHING", wanted)
            db.execute(_LOSE_REPEATS)
            db.execute(_ASK_WHOLE)
            db.execute(_NOTE_LOST, (micros(at),))
            db.execute("DROP TABLE losing")
        return db.number(_LOST) - before

    def store_id(self) -> str:
        """Read what the files of this ledger's own archive name as the store they are a part of."""
        row = self._db.row("SELECT store_id FROM store WHERE is_own = 1")
        return str(row[0]) if row else ""

    def spare_files(self) -> tuple[str, ...]:
        """Read which archive files hold nothing that is needed: any more, or as yet."""
        return tuple(row[0] for row in self._db.rows("SELECT name FROM spare_file ORDER BY name"))

    def expect_spare(self, names: Collection[str]) -> None:
        """Write that files are about to be written, which are needed only if a later transaction says so."""
        with self._db.writing():
            self._db.execute_many(
                "INSERT INTO spare_file (name) VALUES ($1) ON CONFLICT DO NOTHING", [(n,) for n in names]
            )

    def spare_files_are_gone(self) -> None:
        """Write that they have been deleted."""
        if self._db.number("SELECT count(*) FROM spare_file"):
            with self._db.writing():
                self._db.execute("DELETE FROM spare_file")


def _original(row: Row) -> Original:
    """What was asked for, then where the body is."""
    return Original(RecordRef(row[1], row[2], row[3]), row[4], moment(row[5]))


MOVE_TABLES: Final = ("moved", "moved_body", "moved_latest")
_TABLES: Final = (
    "CREATE TEMP TABLE moved (capture_id {} PRIMARY KEY, file TEXT, first BIGINT, length BIGINT)",
    """CREATE TEMP TABLE moved_body (payload {} PRIMARY KEY, file TEXT, first BIGINT, length BIGINT,
    final_url TEXT, fetched_at BIGINT)""",
    """CREATE TEMP TABLE moved_latest (url_key {0} NOT NULL, final_url TEXT NOT NULL, payload {0},
    PRIMARY KEY (url_key, final_url))""",
)
_STAYING: Final = f"""
SELECT {CAPTURE} FROM {CAPTURES_BY_FILE}
AND c.capture_seq NOT IN (SELECT capture_seq FROM going_capture) {IN_FILE_ORDER}
"""
_BODY: Final = "SELECT file, first, length, final_url, fetched_at FROM moved_body WHERE payload = $1"
_LATEST: Final = """
SELECT b.file, b.first, b.length, b.final_url, b.fetched_at
FROM moved_latest l JOIN moved_body b ON b.payload = l.payload
WHERE l.url_key = $1 AND l.final_url IN ($2, '') ORDER BY l.final_url DESC LIMIT 1
"""
_NOTE_LATEST: Final = """
INSERT INTO moved_latest VALUES ($1, $2, $3)
ON CONFLICT (url_key, final_url) DO UPDATE SET payload = excluded.payload
"""
_NOT_MODIFIED: Final = 304


class MovedTable:
    """The `MovedCaptures` port, inside a purge."""

    def __init__(self, db: Database) -> None:
        self._db = db
        for sql in _TABLES:
            db.execute(sql.format(db.bytes_type))

    def staying(self) -> Iterator[CaptureRecord]:
        """Every archived capture that is not taken out, by file and offset."""
        return (capture_of(row) for row in self._db.stream(_STAYING))

    def original(self, record: CaptureRecord) -> Original | None:
        """Where a body is that a capture repeats."""
        row = None
        if record.status == _NOT_MODIFIED:
            row = self._db.row(_LATEST, (bytes.fromhex(record.place.key), record.final_url))
        elif record.payload_sha256:
            row = self._db.row(_BODY, (bytes.fromhex(record.payload_sha256),))
        return Original(RecordRef(*row[:3]), row[3], moment(row[4])) if row else None

    def note(self, record: CaptureRecord, ref: RecordRef | None) -> None:
        """Where a capture is now."""
        db, where = self._db, (ref.file, ref.offset, ref.length) if ref else (None, None, None)
        db.execute("INSERT INTO moved VALUES ($1, $2, $3, $4)", (bytes.fromhex(record.capture_id), *where))
        if ref is not None:
            self.leave(record, ref)

    def leave(self, record: CaptureRecord, ref: RecordRef) -> None:
        """A capture is there: others may repeat its body."""
        if not record.payload_sha256 or record.status == _NOT_MODIFIED:
            return
        db, where = self._db, (ref.file, ref.offset, ref.length)
        key, payload = bytes.fromhex(record.place.key), bytes.fromhex(record.payload_sha256)
        db.execute(
            "INSERT INTO moved_body VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
            (payload, *where, record.final_url, micros(record.fetched_at)),
        )
        db.execute_many(_NOTE_LATEST, [(key, record.final_url, payload), (key, "", payload)])
