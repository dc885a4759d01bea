"""A file of exported records, written in groups."""

from __future__ import annotations

from datetime import UTC, datetime

import apsw
import pytest

from holdfast.core.page.corpus import ExportedPage, ExportRecord, RecordChange
from holdfast.storage.sqlite import sqlite_export

NOW = datetime(2026, 11, 16, tzinfo=UTC)


@pytest.mark.spec("EXP-1")
def test_records_are_numbered_on_from_group_to_group(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite_export, "_GROUP", 2)
    export = sqlite_export.SqliteExport(tmp_path / "records.db")
    page = ExportedPage("https://e.org/", "k", "P", None, NOW, "i", "c")
    for anchor in "abcde":
        export.write(ExportRecord(page, RecordChange.NEW, anchor, ("P",), None, "prose", "c", "text", "text"))
    export.close()
    written = apsw.Connection(str(tmp_path / "records.db")).execute("SELECT ord, anchor FROM record")
    assert list(written) == list(enumerate("abcde", 1))
