"""Files of WARC records that others made, plain or packed with gzip: their captures, one after another.

What cannot be read is named and passed over. The body of a revisit is looked up by its digest among the
records of the same files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final

from holdfast.adapters.warc.files import translated
from holdfast.adapters.warc.members import pieces_of
from holdfast.core.capture import Capture
from holdfast.core.errors import ArchiveError, FormatError
from holdfast.core.figures import counted
from holdfast.formats.warc_foreign import MOST_IN_BODY, Foreign, answer_of, foreign_capture, records_in
from holdfast.formats.warc_record import Record

__all__ = ["ForeignFiles", "digest_of_file"]

_GZIP: Final = b"\x1f\x8b\x08"
_CHUNK: Final = 1 << 20
_MOST_NAMED: Final = 1_000


class ForeignFiles:
    """Files to be taken in; `flaws` are known once the captures have been read. Of a body `most` bytes are
    taken.
    """

    def __init__(self, files: Sequence[Path], most: int = MOST_IN_BODY) -> None:
        self._files = files
        self._most = most
        self._bodies: dict[str, Callable[[], Foreign]] = {}
        self._flaws: list[str] = []
        self._unnamed = 0

    @property
    def flaws(self) -> tuple[str, ...]:
        """What was passed over; of very much the first is named, and the rest counted."""
        more = (f"and {counted(self._unnamed, 'record')} more that cannot be read",) if self._unnamed else ()
        return (*self._flaws, *more)

    def captures(self) -> Iterator[tuple[Capture, str]]:
        """Each capture, and where it stands."""
        for path in self._files:
            for where, record, again in self._records(path):
                try:
                    capture = foreign_capture(record, self._body_of(record), self._most)
                except (FormatError, ValueError) as error:
                    self._flaw(f"{where}: {error}")
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
            for offset, pieces, size in _members(path):
                try:
                    for inner, record in records_in(pieces, size, self._most):
                        where = f"{path.name} at {offset + inner}"
                        if isinstance(record, str):
                            self._flaw(f"{where}: {record}")
                        else:
                            yield where, record, partial(_again, path, offset, inner, self._most)
                except ArchiveError as error:
                    self._flaw(error.message)

    def _flaw(self, words: str) -> None:
        if len(self._flaws) < _MOST_NAMED:
            self._flaws.append(words)
        else:
            self._unnamed += 1


def _members(path: Path) -> Iterator[tuple[int, Iterator[bytes], int | None]]:
    """A packed file's members, or a plain file as it is: in pieces, with the size where that is known."""
    if _is_packed(path):
        for offset, pieces in pieces_of(path, mark=_GZIP):
            yield offset, pieces, None
    else:
        with path.open("rb") as file:
            yield 0, iter(partial(file.read, _CHUNK), b""), path.stat().st_size


def _again(path: Path, offset: int, inner: int, most: int) -> Foreign:
    if _is_packed(path):
        _, pieces = next(pieces_of(path, offset))
        _, record = next(records_in(_after(pieces, inner), most=most))
    else:
        with path.open("rb") as file:
            file.seek(inner)
            _, record = next(records_in(iter(partial(file.read, _CHUNK), b""), most=most))
    if isinstance(record, str):
        raise FormatError(record)
    return answer_of(record)


def _after(pieces: Iterator[bytes], size: int) -> Iterator[bytes]:
    """What comes after so many bytes."""
    for piece in pieces:
        if size < len(piece):
            return chain([piece[size:]], pieces)
        size -= len(piece)
    return iter(())


def _is_packed(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(3) == _GZIP


def digest_of_file(path: Path) -> str:
    """What a file is known by, wherever it lies."""
    with translated(path), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
