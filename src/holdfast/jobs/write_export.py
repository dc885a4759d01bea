"""A mirror's records into a file, or through a program of the user's own.

A file is written beside its name and takes it when it is whole: nobody reads half an export.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from holdfast.adapters.programs import stream_through
from holdfast.adapters.system import replaceable
from holdfast.core.base.errors import UsageError
from holdfast.core.page.corpus import ExportRecord
from holdfast.questions.rows.table import schema_of
from holdfast.storage.sqlite.sqlite_export import SqliteExport

if TYPE_CHECKING:
    from types import TracebackType


class _Sink(Protocol):
    def write(self, record: ExportRecord) -> None: ...

    def close(self) -> None: ...


def record_lines(records: Iterable[ExportRecord]) -> Iterator[bytes]:
    """Records as lines of JSON."""
    schema = schema_of("export")
    for record in records:
        yield json.dumps(schema.encode(record), ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def mapped(lines: Iterator[bytes], command: str, environment: Mapping[str, str]) -> Iterator[bytes]:
    """Lines as a program gives them back."""
    return stream_through(command, lines, environment)


def write_records(records: Iterable[ExportRecord], path: Path, form: str) -> int:
    """Write records to a file; how many they were."""
    count = 0
    with _Whole(path) as part:
        sink = _sink(form, part)
        try:
            for record in records:
                sink.write(record)
                count += 1
        finally:
            sink.close()
    return count


class _Whole:
    """A file that takes its name when it is whole; where something fails there is none."""

    def __init__(self, path: Path) -> None:
        self._path = replaceable(path)
        self._part = self._path.with_name(f"{self._path.name}.part")

    def __enter__(self) -> Path:
        if not self._path.absolute().parent.is_dir():
            raise UsageError(f"there is no folder {self._path.absolute().parent}")
        self._part.unlink(missing_ok=True)
        return self._part

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._part.replace(self._path)
        else:
            with suppress(OSError):
                self._part.unlink()


class _Lines:
    """A file of JSON lines."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb")

    def write(self, record: ExportRecord) -> None:
        self._file.writelines(record_lines([record]))

    def close(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()


def _sink(form: str, path: Path) -> _Sink:
    if form == "jsonl":
        return _Lines(path)
    if form == "sqlite":
        return SqliteExport(path)
    from holdfast.adapters.parquet import ParquetExport  # noqa: PLC0415 - an extra

    return ParquetExport(path)
