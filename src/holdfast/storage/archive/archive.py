"""The `Archive` port on WARC files, wherever they lie.

Readers need no writer: `read` opens what it needs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime
from operator import attrgetter
from pathlib import Path
from typing import Final, Protocol

from holdfast.core.base.errors import ArchiveError, FormatError
from holdfast.core.lineage.chapters import Part, RefusedAddress
from holdfast.core.lineage.ledger_values import Original
from holdfast.core.lineage.lineage import RecordRef
from holdfast.core.web.capture import Capture
from holdfast.storage.archive.members import member_at, unpack
from holdfast.storage.archive.recovery import KnownFiles, Recovered, recover
from holdfast.storage.archive.shelf import (
    ORPHANS,
    ArchiveFile,
    FolderShelf,
    Shelf,
    make_folder,
    piece_of,
    translated,
)
from holdfast.storage.archive.warc_capture import decode_capture
from holdfast.storage.archive.warc_record import Info, Record, parse_record
from holdfast.storage.archive.warc_writer import Writer

FULL: Final = 1_000_000_000
"""Bytes after which a file is full."""
_WITH_BODY: Final = b"WARC/1.1\r\nWARC-Type: response\r\n"
"""How a capture begins that is not a revisit."""
_NEAR: Final = 64 * 1024
_AT_ONCE: Final = 4 * 1024 * 1024
"""Bytes between two records that are read with them, and bytes that are read in one go."""


class ArchiveWriter(Protocol):
    """The end of an archive."""

    def append(self, capture: Capture, original: Original | None, digest: str | None) -> RecordRef:
        """Gather a capture's records; where they will stand."""
        ...

    def append_told(self, told: Part | RefusedAddress, at: datetime) -> tuple[str, int]:
        """Gather what the ledger tells; the file, and where the record will end."""
        ...

    def sync(self) -> None:
        """Everything appended is durable when this returns."""
        ...

    def begin_file(self) -> None:
        """What comes next goes to a file of its own."""
        ...

    def next_files(self, count: int) -> tuple[str, ...]:
        """What the next files will be called, if one is begun now, as far as that is known."""
        ...

    def gathered(self, file: str, start: int, end: int | None) -> bytes | None:
        """A stretch of what is not written yet; None where it is."""
        ...

    def close(self) -> None:
        """Nothing more is written."""
        ...


class WarcArchive:
    """WARC files: anybody's to read, one writer's to add to."""

    def __init__(
        self, shelf: Shelf, *, writer: ArchiveWriter | None = None, found: Recovered | None = None
    ) -> None:
        self._shelf = shelf
        self._writer = writer
        self.aside = found.aside if found else ()
        self.lost = found.lost if found else {}

    def append(
        self, capture: Capture, original: Original | None = None, *, digest: str | None = None
    ) -> RecordRef:
        """Write a capture, as a revisit where `original` holds its body; durable only after `sync`."""
        if self._writer is None:
            raise ArchiveError(f"the archive {self._shelf.name} was opened to read")
        return self._writer.append(capture, original, digest)

    def append_told(self, told: Part | RefusedAddress, at: datetime) -> tuple[str, int]:
        """Write what the ledger tells: the file, and where it ends; durable only after `sync`."""
        if self._writer is None:
            raise ArchiveError(f"the archive {self._shelf.name} was opened to read")
        return self._writer.append_told(told, at)

    def sync(self) -> None:
        """Make everything appended durable."""
        if self._writer is not None:
            self._writer.sync()

    def begin_file(self) -> None:
        """Go on in a new file."""
        if self._writer is not None:
            self._writer.begin_file()

    def next_files(self, count: int) -> tuple[str, ...]:
        """What the next files will be called, if one is begun now."""
        return self._writer.next_files(count) if self._writer is not None else ()

    def drop_files(self, names: Collection[str]) -> int:
        """Remove these files; how many bytes that was."""
        return self._shelf.remove(names)

    def keep_aside(self, names: Collection[str]) -> None:
        """Copy files to the orphans as they are; those that are not there are left out."""
        self._shelf.keep_aside(names)

    def close(self) -> None:
        """Close the file; what was appended and not synced is not promised to anybody."""
        if self._writer is not None:
            self._writer.close()

    def unreadable(self, refs: Collection[RecordRef]) -> set[RecordRef]:
        """The references at which no record can be read, as far as the checksums of its members say. Records
        that lie near each other are read in one go.
        """
        lost: set[RecordRef] = set()
        for near in _near(refs):
            first, end = near[0], max(ref.offset + ref.length for ref in near)
            try:
                data = self._stretch(first.file, first.offset, end)
            except ArchiveError:
                data = b""
            for ref in near:
                at = ref.offset - first.offset
                if not self._is_whole(ref, data[at : at + ref.length]):
                    lost.add(ref)
        return lost

    def _is_whole(self, ref: RecordRef, data: bytes) -> bool:
        try:
            members = unpack(data, ref.file) if len(data) == ref.length else []
            if not members or not members[0].startswith(_WITH_BODY):
                self.read(ref)
        except ArchiveError:
            return False
        return True

    def read(self, ref: RecordRef) -> Capture:
        """The capture at a reference, its length and digests checked."""
        where = f"{ref.file} at {ref.offset}"
        records = [self._parsed(data, where) for data in unpack(self._bytes(ref), where)]
        if not records or records[0].type not in ("response", "revisit"):
            raise ArchiveError(f"{where}: no capture begins here")
        response, request = records[0], records[1] if len(records) > 1 else None
        try:
            return decode_capture(response, request, self._body_of(response, ref), records[2:])
        except (FormatError, ValueError) as error:
            raise ArchiveError(f"{where}: {error}") from error

    def _body_of(self, response: Record, ref: RecordRef) -> bytes | None:
        """The body that a revisit refers to; None where the record has its own."""
        if not response.holds_same_body:
            return None
        if response.refers_to is None:
            raise ArchiveError(f"{ref.file} at {ref.offset}: the revisit does not say where its body is")
        file, offset = response.refers_to
        origin = f"{file} at {offset}"
        gathered = self._writer.gathered(file, offset, None) if self._writer else None
        if gathered is not None:
            return self._parsed(unpack(gathered, origin)[0], origin).http[2]
        path, at = self._home_of(file, offset, ref)
        with translated(f"{self._shelf.name}/{file}"):
            data = member_at(path, at)
        return self._parsed(data, origin).http[2]

    def _home_of(self, file: str, offset: int, ref: RecordRef) -> tuple[ArchiveFile, int]:  # noqa: ARG002 - the port
        """Where the record lies that a revisit at a reference names."""
        return self._shelf.file(file), offset

    def _bytes(self, ref: RecordRef) -> bytes:
        data = self._stretch(ref.file, ref.offset, ref.offset + ref.length)
        if len(data) < ref.length:
            missing = ref.length - len(data)
            raise ArchiveError(f"{ref.file} ends {missing} bytes short of the record at {ref.offset}")
        return data

    def _stretch(self, file: str, start: int, end: int) -> bytes:
        gathered = self._writer.gathered(file, start, end) if self._writer else None
        return self._shelf.read(file, start, end) if gathered is None else gathered

    def _parsed(self, data: bytes, where: str) -> Record:
        try:
            return parse_record(data)
        except FormatError as error:
            raise ArchiveError(f"{where}: {error}") from error


def _near(refs: Collection[RecordRef]) -> Iterator[list[RecordRef]]:
    """References in groups: of one file, and near each other."""
    near: list[RecordRef] = []
    end = 0
    for ref in sorted(refs, key=attrgetter("file", "offset")):
        is_far = near and (ref.file != near[0].file or ref.offset > end + _NEAR)
        if is_far or (near and ref.offset + ref.length > near[0].offset + _AT_ONCE):
            yield near
            near, end = [], 0
        near.append(ref)
        end = max(end, ref.offset + ref.length)
    if near:
        yield near


class OrphanArchive(WarcArchive):
    """The orphans of an archive, to read. What their revisits name lies among them, in the same piece of a
    file, or where it always was.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(FolderShelf(folder / ORPHANS))
        self._beside = FolderShelf(folder)

    def _home_of(self, file: str, offset: int, ref: RecordRef) -> tuple[ArchiveFile, int]:
        piece = piece_of(ref.file)
        if piece is not None and piece[0] == file and offset >= piece[1]:
            return self._shelf.file(ref.file), offset - piece[1]
        whole = self._shelf.file(file)
        return whole if whole.exists() else self._beside.file(file), offset


def open_archive(
    folder: Path,
    known: KnownFiles,
    *,
    software: str,
    store_id: str = "",
    writer: str = "holdfast",
    limit: int = FULL,
) -> WarcArchive:
    """The archive with a writer; whoever calls holds the store's lock, or owns the writer's name.
    `store_id` is what ledger and archive know each other by.
    """
    with translated(folder):
        make_folder(folder)
        found = recover(folder, writer, known, limit)
    info = Info(software, store_id)
    return WarcArchive(FolderShelf(folder), writer=Writer(folder, writer, info, limit, found), found=found)
