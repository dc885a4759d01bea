"""Records into a Parquet file, by `pyarrow` (the extra `parquet`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from holdfast.core.base.late_modules import naming_extras
from holdfast.core.page.corpus import ExportRecord

with naming_extras():
    import pyarrow as pa
    import pyarrow.parquet as pq

_GROUP: Final = 5000
_TEXT: Final = pa.string()
_SCHEMA: Final = pa.schema(
    [
        ("id", _TEXT),
        ("change", _TEXT),
        ("url", _TEXT),
        ("title", _TEXT),
        ("headings", pa.list_(_TEXT)),
        ("name", _TEXT),
        ("kind", _TEXT),
        ("content", _TEXT),
        ("text", _TEXT),
        ("markdown", _TEXT),
        ("part", _TEXT),
        ("page_url", _TEXT),
        ("page_title", _TEXT),
        ("language", _TEXT),
        ("fetched_at", pa.timestamp("us", tz="UTC")),
        ("item_id", _TEXT),
    ]
)


class ParquetExport:
    """A new file of records, in groups of rows."""

    def __init__(self, path: Path) -> None:
        self._writer = pq.ParquetWriter(path, _SCHEMA, compression="zstd")
        self._waiting: list[dict[str, Any]] = []

    def write(self, record: ExportRecord) -> None:
        """Take a record."""
        self._waiting.append(_row(record))
        if len(self._waiting) >= _GROUP:
            self._flush()

    def close(self) -> None:
        """Write what waits, and close the file."""
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if self._waiting:
            self._writer.write_table(pa.Table.from_pylist(self._waiting, schema=_SCHEMA))
            self._waiting = []


def _row(record: ExportRecord) -> dict[str, Any]:
    page = record.page
    own = {name: getattr(record, name) for name in ("id", "url", "title", "name", "kind", "content", "part")}
    return {
        **own,
        "change": str(record.change),
        "headings": list(record.headings),
        "text": record.text,
        "markdown": record.markdown,
        "page_url": page.url,
        "page_title": page.title,
        "language": page.language,
        "fetched_at": page.fetched_at,
        "item_id": page.item_id,
    }
