"""Which capture the archive holds where, and what the ledger knows of the archive's files."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

from holdfast.adapters.sql.database import Row
from holdfast.adapters.sql.rows import CAPTURE, CAPTURES_BY_FILE, IN_FILE_ORDER, capture_of, micros, moment
from holdfast.adapters.sql.session import Session
from holdfast.core.hashing import UrlKey
from holdfast.core.ledger import Original
from holdfast.core.lineage import CaptureRecord, RecordRef

__all__ = ["ArchiveTable"]

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
    """The `ArchiveLedger` port."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._db = session.db

    def captures(self) -> Iterator[CaptureRecord]:
        """Every capture that the archive holds, by file and offset."""
        sql = f"SELECT {CAPTURE} FROM {CAPTURES_BY_FILE} {IN_FILE_ORDER}"
        for row in self._db.stream(sql):
            yield capture_of(row)

    def ends(self) -> dict[str, int]:
        """How far each archive file is committed."""
        return dict(self._db.rows("SELECT name, committed_end FROM archive_file"))

    def originals_of(self, payloads: Collection[str]) -> dict[str, Original]:
        """The first capture that holds each body."""
        hashes = tuple((bytes.fromhex(payload),) for payload in payloads)
        return {row[0].hex(): _original(row) for row in self._db.rows_for(_ORIGINALS, hashes)}

    def last_of(self, asked: Mapping[UrlKey, str | None]) -> dict[UrlKey, Original]:
        """The last capture of each URL with a body: from the address asked, and one that was read, if any."""
        pairs = tuple((bytes.fromhex(key), address) for key, address in asked.items())
        return {UrlKey(row[0].hex()): _original(row) for row in self._db.rows_for(_LAST, pairs)}

    def lost(self) -> frozenset[str]:
        """Captures that the archive cannot give back."""
        sql = (
            "SELECT c.capture_id FROM lost_capture n CROSS JOIN capture c WHERE c.capture_seq = n.capture_seq"
        )
        return frozenset(row[0].hex() for row in self._db.rows(sql))

    def lose(self, refs: Collection[RecordRef], at: datetime) -> int:
        """The archive cannot give records back, nor others with a body that they alone held."""
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
        """What the files of this ledger's own archive name."""
        row = self._db.row("SELECT store_id FROM store WHERE is_own = 1")
        return str(row[0]) if row else ""

    def spare_files(self) -> tuple[str, ...]:
        """Files that hold nothing that is still needed."""
        return tuple(row[0] for row in self._db.rows("SELECT name FROM spare_file ORDER BY name"))

    def expect_spare(self, names: Collection[str]) -> None:
        """Files that are about to be written, and needed only if a later transaction says so."""
        with self._db.writing():
            self._db.execute_many(
                "INSERT INTO spare_file (name) VALUES ($1) ON CONFLICT DO NOTHING", [(n,) for n in names]
            )

    def spare_files_are_gone(self) -> None:
        """They have been deleted."""
        if self._db.number("SELECT count(*) FROM spare_file"):
            with self._db.writing():
                self._db.execute("DELETE FROM spare_file")


def _original(row: Row) -> Original:
    """What was asked for, then where the body is."""
    return Original(RecordRef(row[1], row[2], row[3]), row[4], moment(row[5]))
