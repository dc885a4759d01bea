"""An archive in a bucket: what was gathered becomes one object, whole; and what no ledger knows there.

1. One `sync` makes one object (more where there is a lot): a WARC file of its own, with its own first
   record. When it returns, the object is there. A reference says where a capture will stand.
2. A writer's name is its own for ever: the time it began, the run it writes for, the epoch of its lease. So
   no name is used twice, and no two machines write to the same one. Names sort by time.
3. After a failure the writer is broken for good. An object that no ledger knows is left alone: it may be
   somebody's who has not committed yet. `verify` names it, `store prune --orphans` removes it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from urllib.parse import urlsplit

from holdfast.core.base.errors import ArchiveError, ConfigError
from holdfast.core.lineage.chapters import Part, RefusedAddress
from holdfast.core.lineage.ledger_values import Original
from holdfast.core.lineage.lineage import RecordRef
from holdfast.core.web.capture import Capture
from holdfast.storage.archive.archive import WarcArchive
from holdfast.storage.archive.bucket import Bucket, BucketFile
from holdfast.storage.archive.members import pack
from holdfast.storage.archive.packing import FULL_OBJECT
from holdfast.storage.archive.shelf import file_name
from holdfast.storage.archive.warc_capture import encode_capture
from holdfast.storage.archive.warc_record import Info, encode_info, encode_told


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


def bucket_and_prefix(address: str) -> tuple[str, str]:
    """What an address names, s3://BUCKET/PREFIX."""
    parts = urlsplit(address)
    if parts.scheme != "s3" or not parts.hostname or parts.username or parts.query or parts.fragment:
        raise ConfigError(
            "the archive's address cannot be read",
            hint="it looks like s3://bucket/prefix; its keys stand in the environment",
        )
    return parts.hostname, parts.path.strip("/")


def open_objects(
    bucket: Bucket, *, software: str, store_id: str, writer: str, limit: int = FULL_OBJECT
) -> WarcArchive:
    """The archive with a writer, which has to have a name of its own."""
    own = ObjectWriter(bucket, writer, Info(software, store_id), min(limit, FULL_OBJECT))
    return WarcArchive(bucket, writer=own)


def writer_name(at: datetime, owner: str) -> str:
    """A name that no other writer has, if nobody else has this owner's: names sort by time."""
    return f"{at:%Y%m%dT%H%M%S}{at.microsecond:06d}-{owner}"


class UnknownObjects:
    """The objects of a bucket that a ledger does not know, and those that were set aside: a `Shelf`."""

    def __init__(self, bucket: Bucket, known: Collection[str]) -> None:
        self._bucket, self._known = bucket, known
        self.name = bucket.name

    def files(self) -> Iterator[BucketFile]:
        """Every one of them."""
        for file in self._bucket.files(aside=True):
            if file.name not in self._known:
                yield file

    def file(self, name: str) -> BucketFile:
        """An object by its name."""
        return BucketFile(self._bucket, name)

    def read(self, name: str, start: int, end: int) -> bytes:
        """A stretch of an object."""
        return self._bucket.read(name, start, end)

    def replace(self, name: str, pieces: Iterable[bytes]) -> None:
        """Other bytes for an object."""
        self._bucket.replace(name, pieces)

    def remove(self, names: Iterable[str]) -> int:
        """Take objects away."""
        return self._bucket.remove(names)

    def keep_aside(self, names: Iterable[str]) -> None:
        """They were set aside already."""
