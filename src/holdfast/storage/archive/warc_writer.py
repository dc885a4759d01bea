"""Writing to the end of one WARC file, and to the next file when it is full.

1. Records are gathered in memory and handed over when `sync` is called or enough are there; a reference
   says where a capture will stand.
2. After a failed write or sync the writer is broken for good: a second fsync may lie about the first.
   The next `open_archive` moves aside what was not committed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from holdfast.adapters.system import NOT_FOLLOWED, sync_folder
from holdfast.core.base.errors import ArchiveError
from holdfast.core.lineage.chapters import Part, RefusedAddress
from holdfast.core.lineage.ledger_values import Original
from holdfast.core.lineage.lineage import RecordRef
from holdfast.core.web.capture import Capture
from holdfast.storage.archive.members import pack
from holdfast.storage.archive.shelf import file_name, translated
from holdfast.storage.archive.warc_capture import encode_capture
from holdfast.storage.archive.warc_record import Info, encode_info, encode_told

if TYPE_CHECKING:
    from holdfast.storage.archive.recovery import Recovered

_APPEND: Final = os.O_WRONLY | os.O_APPEND | NOT_FOLLOWED
_GATHER: Final = 1 << 20


class Writer:
    """The end of one file, and the next file when it is full."""

    def __init__(self, folder: Path, writer: str, info: Info, limit: int, found: Recovered) -> None:
        self._folder, self._name, self._info, self._limit = folder, writer, info, limit
        self._number, self._offset = found.number, found.offset
        self._gathered: list[bytes] = []
        self._gathered_size = 0
        self._handle: int | None = None
        self._unsynced: list[int] = []
        self._new_names = False
        self._broken = False

    def append(self, capture: Capture, original: Original | None, digest: str | None) -> RecordRef:
        """Gather a capture's records; where they will stand."""
        if self._offset >= self._limit:
            self.flush()
            self._retire()
        if self._handle is None:
            self._open(capture.fetched_at)
        start, file = self._offset, file_name(self._name, self._number)
        for record in encode_capture(capture, f"{file}:{start}", original, digest):
            self._gather(pack(record))
        if self._gathered_size >= _GATHER:
            self.flush()
        return RecordRef(file, start, self._offset - start)

    def append_told(self, told: Part | RefusedAddress, at: datetime) -> tuple[str, int]:
        """Gather what the ledger tells; the file, and where the record will end."""
        if self._offset >= self._limit:
            self.flush()
            self._retire()
        if self._handle is None:
            self._open(at)
        file = file_name(self._name, self._number)
        self._gather(pack(encode_told(told, f"{file}:{self._offset}", at)))
        if self._gathered_size >= _GATHER:
            self.flush()
        return file, self._offset

    def begin_file(self) -> None:
        """What comes next goes to a file of its own."""
        if self._offset:
            self.flush()
            self._retire()

    def next_files(self, count: int) -> tuple[str, ...]:
        """What the next files will be called, if one is begun now."""
        first = self._number + bool(self._offset)
        return tuple(file_name(self._name, number) for number in range(first, first + count))

    def gathered(self, file: str, start: int, end: int | None) -> bytes | None:  # noqa: ARG002 - the port
        """What is not written yet: nothing, once this is called. Whoever asks reads the file."""
        self.flush()
        return None

    def flush(self) -> None:
        """Hand what was gathered to the operating system."""
        if not self._gathered:
            return
        data, self._gathered, self._gathered_size = b"".join(self._gathered), [], 0
        with self._trying():
            view, handle = memoryview(data), self._require_handle()
            while view:
                view = view[os.write(handle, view) :]

    def sync(self) -> None:
        """Everything appended is durable when this returns."""
        self.flush()
        with self._trying():
            for handle in [*self._unsynced, *([self._handle] if self._handle is not None else [])]:
                os.fdatasync(handle)
            if self._new_names:
                sync_folder(self._folder)
        for handle in self._unsynced:
            os.close(handle)
        self._unsynced, self._new_names = [], False

    def close(self) -> None:
        """Close the files; nothing more is written."""
        handles = [*self._unsynced, *([self._handle] if self._handle is not None else [])]
        self._unsynced, self._handle, self._broken = [], None, True
        for handle in handles:
            os.close(handle)

    def _gather(self, member: bytes) -> None:
        self._gathered.append(member)
        self._gathered_size += len(member)
        self._offset += len(member)

    def _open(self, at: datetime) -> None:
        name = file_name(self._name, self._number)
        is_new = self._offset == 0
        flags = _APPEND | (os.O_CREAT | os.O_EXCL if is_new else 0)
        with self._trying():
            self._handle = os.open(self._folder / name, flags, 0o600)
        if is_new:
            self._new_names = True
            self._gather(pack(encode_info(self._info, name, at)))

    def _retire(self) -> None:
        """The file is full: it is synced with the next batch, and the next number is taken."""
        if self._handle is not None:
            self._unsynced.append(self._handle)
        self._handle, self._number, self._offset = None, self._number + 1, 0

    def _require_handle(self) -> int:
        if self._handle is None:
            raise ArchiveError(f"the archive {self._folder} is closed")
        return self._handle

    @contextmanager
    def _trying(self) -> Iterator[None]:
        """Whatever goes wrong inside ends this writer."""
        if self._broken:
            raise ArchiveError(
                f"writing to the archive {self._folder} failed before, or it was closed",
                hint="start again: what was acknowledged is safe",
            )
        try:
            with translated(self._folder):
                yield
        except BaseException:
            self._broken = True
            raise
