"""The `Archive` port on WARC files. Readers need no writer: `read` opens the file it needs."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Final

from holdfast.adapters.warc.files import make_folder, remove_file, sync_folder, translated
from holdfast.adapters.warc.members import members_of, unpack
from holdfast.adapters.warc.recovery import ORPHANS, KnownFiles, Recovered, recover
from holdfast.adapters.warc.writer import Writer
from holdfast.core.capture import Capture
from holdfast.core.chapters import Part
from holdfast.core.errors import ArchiveError, FormatError
from holdfast.core.ledger import Original
from holdfast.core.lineage import RecordRef
from holdfast.formats.warc import Info, Record, decode_capture, parse_record

__all__ = ["WarcArchive", "open_archive"]

FULL: Final = 1_000_000_000
"""Bytes after which a file is full."""


class WarcArchive:
    """A folder of WARC files: anybody's to read, one writer's to append to."""

    def __init__(self, folder: Path, *, writer: Writer | None = None, found: Recovered | None = None) -> None:
        self._folder = folder
        self._writer = writer
        self.aside = found.aside if found else ()
        self.lost = found.lost if found else {}

    def append(
        self, capture: Capture, original: Original | None = None, *, digest: str | None = None
    ) -> RecordRef:
        """Write a capture, as a revisit where `original` holds its body; durable only after `sync`."""
        if self._writer is None:
            raise ArchiveError(f"the archive {self._folder} was opened to read")
        return self._writer.append(capture, original, digest)

    def append_part(self, part: Part, at: datetime) -> tuple[str, int]:
        """Write a part of a chapter of the ledger: the file, and where it ends; durable only after `sync`."""
        if self._writer is None:
            raise ArchiveError(f"the archive {self._folder} was opened to read")
        return self._writer.append_part(part, at)

    def sync(self) -> None:
        """Make everything appended durable."""
        if self._writer is not None:
            self._writer.sync()

    def begin_file(self) -> None:
        """Go on in a new file."""
        if self._writer is not None:
            self._writer.begin_file()

    def drop_files(self, names: Collection[str]) -> int:
        """Remove these files; how many bytes that was."""
        freed = 0
        for name in names:
            with translated(self._folder / name):
                freed += remove_file(self._path(name))
        with translated(self._folder):
            sync_folder(self._folder)
        return freed

    def set_aside(self, names: Collection[str]) -> None:
        """Move files to the orphans as they are; those that are not there are left out."""
        orphans = self._folder / ORPHANS
        with translated(self._folder):
            make_folder(orphans)
            for name in names:
                with suppress(FileNotFoundError):
                    self._path(name).rename(orphans / name)
            sync_folder(orphans)
            sync_folder(self._folder)

    def close(self) -> None:
        """Close the file; what was appended and not synced is not promised to anybody."""
        if self._writer is not None:
            self._writer.close()

    def holds(self, ref: RecordRef) -> bool:
        """Whether the record at a reference can be read."""
        try:
            self.read(ref)
        except ArchiveError:
            return False
        return True

    def read(self, ref: RecordRef) -> Capture:
        """The capture at a reference, its length and digests checked."""
        if self._writer is not None:
            self._writer.flush()
        where = f"{ref.file} at {ref.offset}"
        records = [self._parsed(data, where) for data in unpack(self._bytes(ref), where)]
        if not records or records[0].type not in ("response", "revisit"):
            raise ArchiveError(f"{where}: no capture begins here")
        response, request = records[0], records[1] if len(records) > 1 else None
        try:
            return decode_capture(response, request, self._body_of(response, where))
        except (FormatError, ValueError) as error:
            raise ArchiveError(f"{where}: {error}") from error

    def _body_of(self, response: Record, where: str) -> bytes | None:
        """The body that a revisit refers to; None where the record has its own."""
        if not response.holds_same_body:
            return None
        if response.refers_to is None:
            raise ArchiveError(f"{where}: the revisit does not say where its body is")
        file, offset = response.refers_to
        origin = f"{file} at {offset}"
        path = self._path(file)
        with translated(path):
            _, _, data = next(members_of(path, offset))
        return self._parsed(data, origin).http[2]

    def _bytes(self, ref: RecordRef) -> bytes:
        path = self._path(ref.file)
        with translated(path), path.open("rb") as file:
            file.seek(ref.offset)
            data = file.read(ref.length)
        if len(data) < ref.length:
            missing = ref.length - len(data)
            raise ArchiveError(f"{ref.file} ends {missing} bytes short of the record at {ref.offset}")
        return data

    def _path(self, file: str) -> Path:
        path = self._folder / file
        if path.parent != self._folder:
            raise ArchiveError(f"{file!r} names no file of this archive")
        return path

    def _parsed(self, data: bytes, where: str) -> Record:
        try:
            return parse_record(data)
        except FormatError as error:
            raise ArchiveError(f"{where}: {error}") from error


def open_archive(
    folder: Path,
    known: KnownFiles,
    *,
    software: str,
    store_id: str = "",
    writer: str = "holdfast",
    limit: int = FULL,
) -> WarcArchive:
    """The archive with a writer; whoever calls holds the state folder's lock, or owns the writer's name.
    `store_id` is what ledger and archive know each other by.
    """
    with translated(folder):
        make_folder(folder)
        found = recover(folder, writer, known, limit)
    info = Info(software, store_id)
    return WarcArchive(folder, writer=Writer(folder, writer, info, limit, found), found=found)
