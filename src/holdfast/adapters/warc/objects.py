"""An archive in a bucket, opened: to read, to write, and what no ledger knows there."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from urllib.parse import urlsplit

from holdfast.adapters.warc.archive import WarcArchive
from holdfast.adapters.warc.bucket import Bucket, BucketFile
from holdfast.adapters.warc.object_writer import ObjectWriter
from holdfast.core.errors import ConfigError
from holdfast.core.packing import FULL_OBJECT
from holdfast.formats.warc_record import Info

__all__ = ["UnknownObjects", "bucket_and_prefix", "open_objects", "writer_name"]


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
