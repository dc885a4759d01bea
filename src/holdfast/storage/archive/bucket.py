"""Objects of an S3 bucket, as archive files.

1. An object is written whole, under a name that was never used; readers see all of it or nothing.
2. Keys are given, never looked for: without them the library would ask addresses of cloud machines (SEC-1).
3. What the library cannot do after it tried again for a while is an error in words; it names no key.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import field
from datetime import timedelta
from typing import TYPE_CHECKING, BinaryIO, Final, Literal, cast

from holdfast.core.base.errors import ArchiveError
from holdfast.core.base.late_modules import naming_extras
from holdfast.core.base.values import dataclass
from holdfast.storage.archive.shelf import ORPHANS

with naming_extras():
    import obstore
    from obstore.exceptions import AlreadyExistsError, BaseError, NotFoundError, PermissionDeniedError
    from obstore.store import S3Store

if TYPE_CHECKING:
    from collections.abc import Buffer  # type: ignore[attr-defined] # from 3.12 on


_SUFFIX: Final = ".warc.gz"
_CHUNK: Final = 1 << 20
_PATIENCE: Final = timedelta(seconds=60)
_ANSWER_WITHIN: Final = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class BucketKeys:
    """Who asks, and where."""

    key_id: str
    secret: str = field(repr=False)
    token: str | None = field(default=None, repr=False)
    region: str = "us-east-1"
    endpoint: str | None = None


class Bucket:
    """The objects under one prefix: a `Shelf`."""

    def __init__(self, bucket: str, prefix: str, keys: BucketKeys, patience: timedelta = _PATIENCE) -> None:
        self.name = f"s3://{bucket}/{prefix}".rstrip("/")
        plain = bool(keys.endpoint and keys.endpoint.startswith("http://"))
        given = {"endpoint": keys.endpoint, "session_token": keys.token}
        with self._translated():
            self._store = S3Store(
                bucket,
                prefix=prefix or None,
                access_key_id=keys.key_id,
                secret_access_key=keys.secret,
                region=keys.region,
                client_options={"allow_http": plain, "timeout": _ANSWER_WITHIN},
                retry_config={"retry_timeout": patience, "max_retries": 20},
                **{name: value for name, value in given.items() if value},  # type: ignore[arg-type]
            )

    def files(self, *, aside: bool = False) -> Iterator[BucketFile]:
        """Every object that is an archive file, by name; with those that were set `aside`."""
        with self._translated():
            found = [(meta["path"], meta["size"]) for page in obstore.list(self._store) for meta in page]
        for path, size in sorted(found):
            folder, _, name = path.rpartition("/")
            if name.endswith(_SUFFIX) and (not folder or (aside and folder == ORPHANS)):
                yield BucketFile(self, path, size)

    def file(self, name: str) -> BucketFile:
        """An object by its name."""
        if "/" in name or name in ("", ".", ".."):
            raise ArchiveError(f"this archive has no file {name!r}")
        return BucketFile(self, name)

    def size(self, name: str) -> int | None:
        """How long an object is; None where there is none."""
        with self._translated():
            try:
                return int(obstore.head(self._store, name)["size"])
            except (NotFoundError, FileNotFoundError):
                return None

    def read(self, name: str, start: int, end: int) -> bytes:
        """A stretch of an object; shorter where the object ends before."""
        with self._translated():
            return bytes(obstore.get_range(self._store, name, start=start, end=end))

    def create(self, name: str, data: bytes) -> None:
        """Write a new object. One that is there with these very bytes is ours: the answer to the first try
        was lost on its way. One that is said to be there and is not (two tries met in the server, or it was
        killed in the first) is written without asking: the name is nobody else's.
        """
        with self._translated():
            try:
                obstore.put(self._store, name, data, mode="create", use_multipart=False)
            except AlreadyExistsError:
                there = self._whole(name)
                if there is None:
                    obstore.put(self._store, name, data, use_multipart=False)
                elif there != data:
                    raise ArchiveError(f"{self.name}/{name} was written by somebody else") from None

    def _whole(self, name: str) -> bytes | None:
        try:
            return bytes(obstore.get(self._store, name).bytes())
        except (NotFoundError, FileNotFoundError):
            return None

    def replace(self, name: str, pieces: Iterable[bytes]) -> None:
        """Other bytes for an object."""
        with self._translated():
            obstore.put(self._store, name, b"".join(pieces), use_multipart=False)

    def remove(self, names: Iterable[str]) -> int:
        """Take objects away, those that are there; how many bytes that was."""
        sizes = {name: size for name in names if (size := self.size(name)) is not None}
        if sizes:
            with self._translated():
                obstore.delete(self._store, list(sizes))
        return sum(sizes.values())

    def keep_aside(self, names: Iterable[str]) -> None:
        """Copy objects to the orphans, those that are there."""
        for name in names:
            if self.size(name) is not None:
                with self._translated():
                    obstore.copy(self._store, name, f"{ORPHANS}/{name}")

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (PermissionDeniedError, PermissionError) as error:
            raise ArchiveError(f"the archive {self.name} refuses these keys") from error
        except (NotFoundError, FileNotFoundError) as error:
            raise ArchiveError(f"the archive {self.name} is not complete: {_first_line(error)}") from error
        except (BaseError, OSError, ValueError) as error:
            raise ArchiveError(
                f"the archive {self.name} cannot be reached: {_first_line(error)}",
                hint="what was acknowledged is safe; start again when it is back",
            ) from error


class BucketFile:
    """An object, as the readers of archive files want it."""

    def __init__(self, bucket: Bucket, name: str, size: int | None = None) -> None:
        self._bucket = bucket
        self.name = name
        self._size = size

    def open(self, mode: Literal["rb"]) -> BinaryIO:  # noqa: ARG002 - there is no other
        """Its bytes, read a megabyte at a time."""
        raw = _ObjectReader(self._bucket, self.name, self.stat().st_size)
        return cast("BinaryIO", io.BufferedReader(raw, _CHUNK))

    def stat(self) -> _Size:
        """How long it is."""
        if self._size is None:
            self._size = self._bucket.size(self.name)
        if self._size is None:
            raise ArchiveError(f"{self._bucket.name}/{self.name} is not there")
        return _Size(self._size)

    def exists(self) -> bool:
        """Whether it is there."""
        if self._size is None:
            self._size = self._bucket.size(self.name)
        return self._size is not None


@dataclass(frozen=True, slots=True)
class _Size:
    st_size: int


class _ObjectReader(io.RawIOBase):
    """An object as a raw stream: each read is one request for a range."""

    def __init__(self, bucket: Bucket, name: str, size: int) -> None:
        self._bucket, self._name, self._size, self._at = bucket, name, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Buffer) -> int:
        view = memoryview(buffer)
        end = min(self._at + len(view), self._size)
        if self._at >= end:
            return 0
        data = self._bucket.read(self._name, self._at, end)
        view[: len(data)] = data
        self._at += len(data)
        return len(data)


def _first_line(error: BaseException) -> str:
    """What went wrong, without the pages that the library adds."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
