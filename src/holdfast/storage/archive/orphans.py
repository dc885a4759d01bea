"""Records that no ledger knows, kept beside the archive (STA-7): looked through, forgotten, removed.

A record that is forgotten is overwritten by a filler of the same length, so that every other record stays
where revisits say it is. The filler is a `metadata` record, padded in its gzip header's comment. A chapter of
a lost ledger goes whole when one of its rows names a forgotten address: its title stands in another row.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress

from holdfast.core.base.errors import FormatError
from holdfast.storage.archive.members import pack_to, stretches_of
from holdfast.storage.archive.shelf import ArchiveFile, Shelf, translated
from holdfast.storage.archive.warc_record import HOP_TO, decode_part, encode_filler, parse_record

_ADDRESSES = (
    "WARC-Target-URI",
    "Holdfast-Requested-URI",
    "Holdfast-Final-URI",
    "Holdfast-Alternate-Of",
    HOP_TO,
)


_QUOTED_ADDRESS = re.compile(rb'"https?://(?:[^"\\]|\\.)*+"')


class Orphans:
    """The orphans of an archive; to change them one must be its only writer."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    def files(self) -> tuple[tuple[str, int], ...]:
        """Names and sizes."""
        with translated(self._shelf.name):
            return tuple((file.name, file.stat().st_size) for file in self._shelf.files())

    def remove(self) -> int:
        """Remove them all; how many bytes that was."""
        return self._shelf.remove([file.name for file in self._shelf.files()])

    def forget(self, is_meant: Callable[[str], bool]) -> int:
        """Take out what was fetched from addresses, what has the same body, and chapters that name them; how
        many records.
        """
        bodies: set[str] = set()
        count = 0
        with translated(self._shelf.name):
            files = list(self._shelf.files())
            for path in files:
                for _, _, digest, addresses in _records(path):
                    if digest and any(map(is_meant, addresses)):
                        bodies.add(digest)
            for path in files:
                going = [
                    (offset, length)
                    for offset, length, digest, addresses in _records(path)
                    if digest in bodies or any(map(is_meant, addresses))
                ]
                if going:
                    self._shelf.replace(path.name, _without(path, going))
                    count += len(going)
        return count


def _records(path: ArchiveFile) -> Iterator[tuple[int, int, str | None, list[str]]]:
    """Where each record that can be read stands, the digest of its body (of a chapter, what its parts share),
    and the addresses it names.
    """
    for offset, length, data in stretches_of(path):
        try:
            record = parse_record(data) if isinstance(data, bytes) else None
        except FormatError:
            continue
        part = decode_part(record) if record is not None else None
        if part is not None:
            yield offset, length, f"chapter {part.chapter}", _addresses_in(part.text)
        elif record is not None:
            has_body = record.holds_same_body or bool(record.http[2])
            digest = record.field("WARC-Payload-Digest") if has_body else None
            yield offset, length, digest, [text for name in _ADDRESSES if (text := record.field(name))]


def _addresses_in(rows: bytes) -> list[str]:
    """The addresses that lines of JSON name."""
    found = []
    for text in _QUOTED_ADDRESS.findall(rows):
        with suppress(ValueError):  # damage that looks like an address
            found.append(json.loads(text))
    return found


def _without(path: ArchiveFile, going: list[tuple[int, int]]) -> Iterator[bytes]:
    """A file's bytes, with fillers in the place of some stretches."""
    with path.open("rb") as file:
        for offset, length in going:
            while left := offset - file.tell():
                yield file.read(min(left, 1 << 20))
            yield pack_to(encode_filler(), length)
            file.seek(offset + length)
        while data := file.read(1 << 20):
            yield data
