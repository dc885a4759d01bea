"""Where an archive that is written anew has its captures: tables of this connection's own, on disk as the
ledger is. What a capture repeats is found there by its body, or, for a 304, by its URL.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from holdfast.adapters.sql.database import Database
from holdfast.adapters.sql.rows import CAPTURE, CAPTURES_BY_FILE, IN_FILE_ORDER, capture_of, micros, moment
from holdfast.core.ledger import Original
from holdfast.core.lineage import CaptureRecord, RecordRef

__all__ = ["MOVE_TABLES", "MovedTable"]

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
