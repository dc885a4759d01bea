"""A file of exported records, written in groups."""

from __future__ import annotations

from datetime import UTC, datetime

import apsw
import pytest

from holdfast.adapters.sqlite.export import file
from holdfast.core.export import ExportedPage, ExportRecord, RecordChange

NOW = datetime(2026, 11, 16, tzinfo=UTC)


@pytest.mark.spec("EXP-1")
def test_records_are_numbered_on_from_group_to_group(tmp_path, monkeypatch):
    monkeypatch.setattr(file, "_GROUP", 2)
    export = file.SqliteExport(tmp_path / "records.db")
    page = ExportedPage("https://e.org/", "k", "P", None, NOW, "i", "c")
    for anchor in "abcde":
        export.write(ExportRecord(page, RecordChange.NEW, anchor, ("P",), None, "prose", "c", "text", "text"))
    export.close()
    written = apsw.Connection(str(tmp_path / "records.db")).execute("SELECT ord, anchor FROM record")
    assert list(written) == list(enumerate("abcde", 1))
