"""Every record of an archive, one after another: whether it is intact, whether the ledger knows it, and the
index by which replay tools find it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby

from holdfast.adapters.warc.files import translated
from holdfast.adapters.warc.members import has_own_header, stretches_of
from holdfast.adapters.warc.shelf import ArchiveFile, Shelf
from holdfast.core.errors import FormatError
from holdfast.core.lineage import CaptureRecord
from holdfast.formats.cdxj import cdxj_line
from holdfast.formats.warc import decode_capture
from holdfast.formats.warc_record import Record, parse_record, payload_digest

__all__ = ["Survey", "index_lines"]


class Survey:
    """A walk over all files, next to what the ledger has of them. `problems` may be read once."""

    def __init__(
        self,
        shelf: Shelf,
        committed: Mapping[str, int],
        captures: Iterable[CaptureRecord],
        lost: Collection[str] = (),
    ) -> None:
        self._shelf = shelf
        self._lost = lost
        self._committed = committed
        self._captures = captures
        self.damaged: set[str] = set()
        self.files = 0
        self.records = 0
        self.captures = 0

    def problems(self) -> Iterator[str]:
        """What is wrong, one sentence each; captures come by file and offset."""
        by_file = groupby(self._captures, key=lambda capture: capture.ref.file if capture.ref else "")
        seen = set()
        for name, captures in by_file:
            seen.add(name)
            yield from self._check_file(name, captures)
        for path in self._shelf.files():
            if path.name not in seen:
                if path.name not in self._committed:
                    yield f"{path.name}: the ledger knows nothing of this file"
                yield from self._check_file(path.name, ())

    def _check_file(self, name: str, captures: Iterable[CaptureRecord]) -> Iterator[str]:
        path = self._shelf.file(name)
        if not path.exists():
            if missing := sum(1 for capture in captures if capture.capture_id not in self._lost):
                yield f"{name}: the file is missing, and with it {missing} captures"
            return
        self.files += 1
        found, lost = _Found(), []
        yield from self._check_records(path, found)
        for capture in captures:
            self.captures += 1
            if capture.capture_id in self._lost:
                lost.append(capture)
            else:
                yield from _disagreement(capture, found.records)
        if found.damage:
            self.damaged.add(name)
        yield from found.unexplained(name, lost)
        end, size = self._committed.get(name, 0), path.stat().st_size
        if size < end:
            yield f"{name}: the file has {size} bytes, where {end} were committed"
        if end and size > end:
            yield f"{name}: {size - end} bytes after the committed end; the next writer moves them aside"

    def _check_records(self, path: ArchiveFile, found: _Found) -> Iterator[str]:
        """Check each record by itself; `found` learns where records begin, and what bodies they promise."""
        with translated(path.name):
            for offset, length, data in stretches_of(path):
                try:
                    if isinstance(data, str):
                        raise FormatError(data)
                    self.records += 1
                    record = parse_record(data)
                    _check_payload(record)
                except (FormatError, ValueError) as error:
                    found.damage[offset] = str(error)
                    continue
                found.records[offset] = (length, record.field("WARC-Payload-Digest"))
                if not has_own_header(path, offset) and not record.is_filler:
                    yield f"{path.name} at {offset}: the gzip header is not the one Holdfast writes"


@dataclass(slots=True)
class _Found:
    """What a file holds: records by offset, with length and promised body; damage by offset, in words."""

    records: dict[int, tuple[int, str | None]] = field(default_factory=dict)
    damage: dict[int, str] = field(default_factory=dict)

    def unexplained(self, name: str, lost: Iterable[CaptureRecord]) -> Iterator[str]:
        """Damage that has not been noted as loss before."""
        refs = [capture.ref for capture in lost if capture.ref]
        for offset, what in self.damage.items():
            if not any(ref.offset <= offset < ref.offset + ref.length for ref in refs):
                yield what if what.startswith(name) else f"{name} at {offset}: {what}"


def index_lines(shelf: Shelf, committed: Mapping[str, int]) -> list[str]:
    """The CDXJ lines of everything committed, sorted by bytes."""
    lines = []
    for name, end in sorted(committed.items()):
        path = shelf.file(name)
        with translated(name):
            for offset, length, data in stretches_of(path):
                if offset >= end:
                    break
                if isinstance(data, str):
                    continue
                line = cdxj_line(parse_record(data), name, offset, length)
                if line is not None:
                    lines.append(line)
    return sorted(lines, key=str.encode)


def _check_payload(record: Record) -> None:
    """A response's payload is what its digest says; a revisit's is another record's affair."""
    if record.type == "response":
        decode_capture(record, None)


def _disagreement(capture: CaptureRecord, lengths: Mapping[int, tuple[int, str | None]]) -> Iterator[str]:
    """What the ledger says of a capture that the archive does not bear out."""
    ref = capture.ref
    if ref is None:
        return
    where = f"{ref.file} at {ref.offset}"
    first, at = lengths.get(ref.offset), ref.offset
    while at < ref.offset + ref.length and at in lengths:
        at += lengths[at][0]
    if first is None or first[0] == ref.length or at != ref.offset + ref.length:
        yield f"{where}: the capture of {capture.url} is not there"
    elif first[1] != f"sha256:{capture.payload_sha256 or payload_digest(b'')}":
        yield f"{where}: the capture of {capture.url} has another body than the ledger says"
