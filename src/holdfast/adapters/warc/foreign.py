"""Files of WARC records that others made, plain or packed with gzip: their captures, one after another.

What cannot be read is named and passed over. The body of a revisit is looked up by its digest among the
records of the same files.
"""

from __future__ import annotations

import hashlib
import mmap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from holdfast.adapters.warc.files import translated
from holdfast.adapters.warc.members import member_at, stretches_of
from holdfast.core.capture import Capture
from holdfast.core.errors import FormatError
from holdfast.formats.warc_foreign import Foreign, answer_of, foreign_capture, records_in
from holdfast.formats.warc_record import Record

__all__ = ["ForeignFiles", "digest_of_file"]

_GZIP: Final = b"\x1f\x8b\x08"


class ForeignFiles:
    """Files to be taken in; `flaws` are known once the captures have been read."""

    def __init__(self, files: Sequence[Path]) -> None:
        self._files = files
        self._bodies: dict[str, Callable[[], Foreign]] = {}
        self.flaws: list[str] = []

    def captures(self) -> Iterator[tuple[Capture, str]]:
        """Each capture, and where it stands."""
        for path in self._files:
            for where, record, again in self._records(path):
                try:
                    capture = foreign_capture(record, self._body_of(record))
                except (FormatError, ValueError) as error:
                    self.flaws.append(f"{where}: {error}")
                    continue
                digest = record.field("WARC-Payload-Digest")
                if record.type == "response" and digest:
                    self._bodies.setdefault(digest, again)
                if capture is not None:
                    yield capture, where

    def _body_of(self, record: Record) -> Foreign | None:
        if record.type != "revisit" or not (record.field("WARC-Profile") or "").endswith(
            "identical-payload-digest"
        ):
            return None
        found = self._bodies.get(record.field("WARC-Payload-Digest") or "")
        if found is None:
            raise FormatError("the revisit's body is in none of these files")
        return found()

    def _records(self, path: Path) -> Iterator[tuple[str, Record, Callable[[], Foreign]]]:
        """Where a record stands, the record, and how to read its answer again."""
        with translated(path):
            for offset, data in _pieces(path):
                if isinstance(data, str):
                    self.flaws.append(
                        data if data.startswith(path.name) else f"{path.name} at {offset}: {data}"
                    )
                    continue
                for inner, record in records_in(data):
                    where = f"{path.name} at {offset + inner}"
                    if isinstance(record, str):
                        self.flaws.append(f"{where}: {record}")
                    else:
                        yield where, record, partial(_again, path, offset, inner)


def _pieces(path: Path) -> Iterator[tuple[int, bytes | mmap.mmap | str]]:
    """A packed file's members, or a plain file as it is, mapped: it may be larger than the memory."""
    if _is_packed(path):
        for offset, _, data in stretches_of(path, mark=_GZIP):
            yield offset, data
    elif path.stat().st_size:
        with _mapped(path) as view:
            yield 0, view


def _again(path: Path, offset: int, inner: int) -> Foreign:
    if _is_packed(path):
        _, record = next(records_in(member_at(path, offset), inner))
    else:
        with _mapped(path) as data:
            _, record = next(records_in(data, inner))
    if isinstance(record, str):
        raise FormatError(record)
    return answer_of(record)


def _is_packed(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(3) == _GZIP


@contextmanager
def _mapped(path: Path) -> Iterator[mmap.mmap]:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        yield data


def digest_of_file(path: Path) -> str:
    """What a file is known by, wherever it lies."""
    with translated(path), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
