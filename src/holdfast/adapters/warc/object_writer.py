"""The end of an archive in a bucket: what was gathered becomes one object, whole.

1. One `sync` makes one object (more where there is a lot): a WARC file of its own, with its own first record.
   When it returns, the object is there. A reference says where a capture will stand.
2. A writer's name is its own for ever: the time it began, the run it writes for, the epoch of its lease. So
   no name is used twice, and no two machines write to the same one. Names sort by time.
3. After a failure the writer is broken for good. An object that no ledger knows is left alone: it may be
   somebody's who has not committed yet. `archive check` names it, `gc --orphans` removes it.
"""

from __future__ import annotations

from datetime import datetime

from holdfast.adapters.warc.bucket import Bucket
from holdfast.adapters.warc.files import file_name
from holdfast.adapters.warc.members import pack
from holdfast.core.capture import Capture
from holdfast.core.chapters import Part, RefusedAddress
from holdfast.core.errors import ArchiveError
from holdfast.core.ledger import Original
from holdfast.core.lineage import RecordRef
from holdfast.formats.warc import encode_capture
from holdfast.formats.warc_chapters import encode_told
from holdfast.formats.warc_record import Info, encode_info

__all__ = ["ObjectWriter"]


class ObjectWriter:
    """What was appended and is not written yet."""

    def __init__(self, bucket: Bucket, writer: str, info: Info, limit: int) -> None:
        self._bucket, self._name, self._info, self._limit = bucket, writer, info, limit
        self._number = 1
        self._gathered = bytearray()
        self._broken = False

    def append(self, capture: Capture, original: Original | None, digest: str | None) -> RecordRef:
        """Gather a capture's records; where they will stand."""
        file, start = self._place(capture.fetched_at)
        for record in encode_capture(capture, f"{file}:{start}", original, digest):
            self._gathered += pack(record)
        return RecordRef(file, start, len(self._gathered) - start)

    def append_told(self, told: Part | RefusedAddress, at: datetime) -> tuple[str, int]:
        """Gather what the ledger tells; the object, and where the record will end."""
        file, start = self._place(at)
        self._gathered += pack(encode_told(told, f"{file}:{start}", at))
        return file, len(self._gathered)

    def sync(self) -> None:
        """Everything appended is durable when this returns."""
        self._require_whole()
        if not self._gathered:
            return
        try:
            self._bucket.create(file_name(self._name, self._number), bytes(self._gathered))
        except BaseException:
            self._broken = True
            raise
        self._gathered = bytearray()
        self._number += 1

    begin_file = sync

    def next_files(self, count: int) -> tuple[str, ...]:
        """What the next objects will be called, if one is begun now."""
        first = self._number + bool(self._gathered)
        return tuple(file_name(self._name, number) for number in range(first, first + count))

    def gathered(self, file: str, start: int, end: int | None) -> bytes | None:
        """A stretch of what is not written yet; None where it is."""
        if self._gathered and file == file_name(self._name, self._number):
            return bytes(self._gathered[start:end])
        return None

    def close(self) -> None:
        """Nothing more is written."""
        self._broken = True

    def _place(self, at: datetime) -> tuple[str, int]:
        """The object at hand, and where its next record begins."""
        self._require_whole()
        if len(self._gathered) >= self._limit:
            self.sync()
        file = file_name(self._name, self._number)
        if not self._gathered:
            self._gathered += pack(encode_info(self._info, file, at))
        return file, len(self._gathered)

    def _require_whole(self) -> None:
        if self._broken:
            raise ArchiveError(
                f"writing to the archive {self._bucket.name} failed before, or it was closed",
                hint="start again: what was acknowledged is safe",
            )
