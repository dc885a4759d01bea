"""Gzip members, one a record: made in one go, and read whole or not at all.

A member is unpacked piece by piece. One that holds more than a record may have is damage: none of it is kept,
and the walk goes on behind it.

`isal` packs three times as fast as zlib at nearly its ratio; every gzip reader can unpack it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO, Final

from holdfast.core.base.errors import ArchiveError
from holdfast.core.base.late_modules import naming_extras

with naming_extras():
    from isal import igzip_lib, isal_zlib

if TYPE_CHECKING:
    from holdfast.storage.archive.shelf import ArchiveFile


_GZIP: Final = 31  # window bits: deflate inside a gzip wrapper
_LEVEL: Final = 2
_CHUNK: Final = 1 << 20
_LITTLE: Final = 1 << 16
_MOST_IN_VAIN: Final = 1 << 26
MOST_IN_RECORD: Final = (1 << 30) + (1 << 20)
"""Bytes of a record, its header included."""
_HAS_COMMENT: Final = 0x10
_BAD_GZIP: Final[type[Exception]] = isal_zlib.error  # type: ignore[assignment] # its stub has an instance


def pack(record: bytes) -> bytes:
    """A record as one gzip member."""
    return igzip_lib.compress(record, _LEVEL, igzip_lib.COMP_GZIP)


def pack_to(record: bytes, length: int) -> bytes:
    """A record as one gzip member of a given length, padded with a comment in its header. Where there is no
    room for the record, an empty member; where there is none for that either, nothing that can be unpacked.
    """
    for content in (record, b""):
        packed = pack(content)
        room = length - len(packed) - 1
        if room >= 0:
            header = packed[:3] + bytes([packed[3] | _HAS_COMMENT]) + packed[4:10]
            return header + b"-" * room + b"\0" + packed[10:]
    return bytes(length)


def has_own_header(file: BinaryIO, offset: int) -> bool:
    """Whether a member begins with the bytes that `pack` writes; no checksum of gzip covers them."""
    file.seek(offset)
    return file.read(len(_HEADER)) == _HEADER


def unpack(data: bytes, where: str) -> list[bytes]:
    """The records of members that follow each other and end where the data ends."""
    records = []
    while data:
        member = _Member(BytesIO(), where, data)
        records.append(member.whole(MOST_IN_RECORD))
        data = member.rest
    return records


def next_member(path: ArchiveFile, start: int, mark: bytes | None = None) -> int | None:
    """Where the next whole member begins, at an offset or after it: one of our own making, or one that begins
    with another `mark`. What looks like a beginning and is none is tried as often as a file has room for
    accidents, not more: each try may go far.
    """
    header = mark or _HEADER
    with path.open("rb") as file, path.open("rb") as tries:
        file.seek(start)
        kept, base, left = b"", start, _MOST_IN_VAIN
        while data := file.read(_CHUNK):
            window, at = kept + data, -1
            left += len(data)
            while (at := window.find(header, at + 1)) >= 0:
                tries.seek(base + at)
                member = _Member(tries, path.name, at_once=_LITTLE)
                with suppress(ArchiveError):
                    member.pass_over()
                    return base + at
                left -= member.taken
                if left < 0:
                    return None
            kept = window[1 - len(header) :]
            base += len(window) - len(kept)
    return None


def member_at(path: ArchiveFile, offset: int) -> bytes:
    """The record of the member that begins at an offset."""
    for _, _, record in members_of(path, offset):
        if isinstance(record, str):
            raise ArchiveError(record)
        return record
    raise ArchiveError(f"{path.name} at {offset}: the file ends before")


def members_of(
    path: ArchiveFile, start: int = 0, most: int | None = None
) -> Iterator[tuple[int, int, bytes | str]]:
    """Offset, length and record of each member from an offset on, or words for one that holds more than a
    record may have; a torn one ends it with an error.
    """
    for offset, member in _members(path, start):
        record: bytes | str
        try:
            record = member.whole(MOST_IN_RECORD if most is None else most)
        except _TooLargeError as error:
            member.pass_over()
            record = error.message
        yield offset, member.length, record


def pieces_of(
    path: ArchiveFile, start: int = 0, mark: bytes | None = None
) -> Iterator[tuple[int, Iterator[bytes]]]:
    """Offset and content of each member from an offset on, in pieces, which are to be taken before the next
    member is asked for: they raise where the member is damaged, and the walk goes on after that.
    """
    at: int | None = start
    while at is not None:
        begun = at
        try:
            for offset, member in _members(path, at):
                begun = offset
                yield offset, member.pieces
            at = None
        except ArchiveError:
            at = next_member(path, begun + 1, mark)


def stretches_of(
    path: ArchiveFile, start: int = 0, *, mark: bytes | None = None
) -> Iterator[tuple[int, int, bytes | str]]:
    """Offset, length and record of each member from an offset on; what cannot be read comes as a stretch of
    damage, with words in the place of the record, and the walk goes on after it.
    """
    at: int | None = start
    while at is not None:
        end = at
        try:
            for offset, length, record in members_of(path, at):
                end = offset + length
                yield offset, length, record
            at = None
        except ArchiveError as error:
            at = next_member(path, end + 1, mark)
            yield end, (at or path.stat().st_size) - end, error.message


class _TooLargeError(ArchiveError):
    """A member holds more than a record may have."""


class _Member:
    """A gzip member: its content in pieces, each taken once. How long it is, and what was read behind it, is
    known when all were taken; how much of the file that took, at any time.
    """

    def __init__(self, file: BinaryIO, where: str, data: bytes = b"", at_once: int = _CHUNK) -> None:
        self._file = file
        self._where = where
        self._at_once = at_once
        self.pieces = self._unpacked(data)
        self.taken = 0
        self.length = -1
        self.rest = b""

    def whole(self, most: int) -> bytes:
        """All of it."""
        parts, size = [], 0
        for piece in self.pieces:
            size += len(piece)
            if size > most:
                raise _TooLargeError(f"{self._where}: more than {most} bytes in one record")
            parts.append(piece)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def pass_over(self) -> None:
        """Go to its end."""
        for _ in self.pieces:
            pass

    def _unpacked(self, data: bytes) -> Iterator[bytes]:
        unpacker = isal_zlib.decompressobj(_GZIP)
        piece = b""
        self.taken = len(data)
        while not unpacker.eof:
            if len(piece) < _CHUNK and not data:
                if not (data := self._file.read(self._at_once)):
                    raise ArchiveError(f"{self._where}: the record is cut short")
                self.taken += len(data)
            try:
                piece = unpacker.decompress(data, _CHUNK)
            except _BAD_GZIP as error:
                raise ArchiveError(f"{self._where}: no intact gzip member ({error})") from error
            data = unpacker.unconsumed_tail
            if piece:
                yield piece
        self.rest = unpacker.unused_data
        self.length = self.taken - len(self.rest)


def _members(path: ArchiveFile, start: int) -> Iterator[tuple[int, _Member]]:
    """Each member and where it begins; what nobody takes of one is passed over."""
    with path.open("rb") as file:
        file.seek(start)
        offset, data = start, b""
        while data or (data := file.read(_CHUNK)):
            member = _Member(file, f"{path.name} at {offset}", data)
            yield offset, member
            member.pass_over()
            if member.length < 0:
                raise ArchiveError(f"{path.name} at {offset}: no intact gzip member")
            data = member.rest
            offset += member.length


_HEADER: Final = pack(b"")[:10]
