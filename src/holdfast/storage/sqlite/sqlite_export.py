"""Records into an SQLite file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Final

from holdfast.core.page.corpus import ExportRecord
from holdfast.storage.sqlite.sqlite_file import SqliteDatabase

if TYPE_CHECKING:
    from holdfast.storage.ledger.database import Row

_SCHEMA: Final = Path(__file__).with_name("export.sql")
_GROUP: Final = 1000
_PAGE: Final = "INSERT INTO page VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
_RECORD: Final = "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


class SqliteExport:
    """A new file of records."""

    def __init__(self, path: Path) -> None:
        self._db = SqliteDatabase(path)
        self._db.execute("PRAGMA journal_mode = DELETE")
        self._db.execute(_SCHEMA.read_text(encoding="utf-8"))
        self._waiting: list[ExportRecord] = []
        self._written = 0

    def write(self, record: ExportRecord) -> None:
        """Take a record."""
        self._waiting.append(record)
        if len(self._waiting) >= _GROUP:
            self._flush()

    def close(self) -> None:
        """Write what waits, and close the file."""
        self._flush()
        self._db.close()

    def _flush(self) -> None:
        rows = [_row(record, self._written + n) for n, record in enumerate(self._waiting, 1)]
        with self._db.writing():
            self._db.execute_many(_PAGE, [_page(record) for record in self._waiting])
            self._db.execute_many(_RECORD, rows)
        self._written += len(rows)
        self._waiting = []


def _page(record: ExportRecord) -> Row:
    page = record.page
    said = (page.url, page.title, page.language, page.fetched_at.isoformat())
    return (page.url_key, *said, page.item_id, page.content_sha256)


def _row(record: ExportRecord, number: int) -> Row:
    names = (record.id, record.page.url_key, number, record.change, record.anchor, record.url, record.title)
    headings = json.dumps(record.headings, ensure_ascii=False)
    said = (headings, record.name, record.kind, record.content, record.text, record.markdown, record.part)
    return (*names, *said)
