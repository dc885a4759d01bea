"""Every record of an archive, one after another; and the CDXJ index, by which replay tools find records.

1. Of each record it is told whether it is intact, and whether the ledger knows it.
2. The index has one line a capture, sorted, as replay tools read it:

    <key> <14 digits of time> {"url":…,"mime":…,"status":…,"digest":…,"length":…,"offset":…,"filename":…}

The key is the address turned around (`com,example)/path?query`) and reduced as replay tools reduce it:
lower case, no `www.`, no default port, no trailing slash, query pairs sorted. It finds records; it is no
identity of ours.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from holdfast.core.base.errors import FormatError
from holdfast.core.base.figures import counted
from holdfast.core.lineage.lineage import CaptureRecord, RecordRef
from holdfast.core.url.url import Url, parse_url
from holdfast.core.web.capture import header
from holdfast.storage.archive.members import has_own_header, stretches_of
from holdfast.storage.archive.shelf import ArchiveFile, Shelf, translated
from holdfast.storage.archive.warc_capture import decode_capture
from holdfast.storage.archive.warc_record import Record, parse_record, payload_digest


class Survey:
    """All files read through, and compared with what the ledger has of them. `problems` may be read once."""

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
                yield f"{name}: the file is missing, and with it {counted(missing, 'capture')}"
            return
        self.files += 1
        damage, lost = dict[int, str](), list[RecordRef]()
        records = _Records(self._records(path, damage))
        for capture in captures:
            self.captures += 1
            if capture.ref is None:
                continue
            if capture.capture_id in self._lost:
                lost.append(capture.ref)
            else:
                yield from _disagreement(capture, capture.ref, records.between(capture.ref))
        records.read_on()
        yield from records.remarks
        if damage:
            self.damaged.add(name)
        yield from _unexplained(name, damage, lost)
        yield from self._size(name, path)

    def _size(self, name: str, path: ArchiveFile) -> Iterator[str]:
        end, size = self._committed.get(name, 0), path.stat().st_size
        if size < end:
            yield f"{name}: the file has {size} bytes, where {end} were committed"
        if end and size > end:
            yield f"{name}: {size - end} bytes after the committed end; the next writer moves them aside"

    def _records(self, path: ArchiveFile, damage: dict[int, str]) -> Iterator[_Found | str]:
        """Each record, checked by itself, or a remark on it; `damage` is told what cannot be read."""
        with translated(path.name), path.open("rb") as heads:
            for offset, length, data in stretches_of(path):
                try:
                    if isinstance(data, str):
                        raise FormatError(data)
                    self.records += 1
                    record = parse_record(data)
                    _check_payload(record)
                except (FormatError, ValueError) as error:
                    damage[offset] = str(error)
                    continue
                yield _Found(offset, length, record.field("WARC-Payload-Digest"))
                if not has_own_header(heads, offset) and not record.is_filler:
                    yield f"{path.name} at {offset}: the gzip header is not the one Holdfast writes"


def _unexplained(name: str, damage: Mapping[int, str], lost: Sequence[RecordRef]) -> Iterator[str]:
    """Damage that has not been noted as loss before."""
    for offset, what in damage.items():
        if not any(ref.offset <= offset < ref.offset + ref.length for ref in lost):
            yield what if what.startswith(name) else f"{name} at {offset}: {what}"


class _Found(NamedTuple):
    """A record: where it begins, how long it is, which body it promises."""

    offset: int
    length: int
    digest: str | None


class _Records:
    """The records of a file beside its captures, which come in the same order: few are held at a time."""

    def __init__(self, records: Iterator[_Found | str]) -> None:
        self._records = records
        self._window: deque[_Found] = deque()
        self.remarks: list[str] = []

    def between(self, ref: RecordRef) -> list[_Found]:
        """The records that begin within a reference; those before it are done with."""
        while self._window and self._window[0].offset < ref.offset:
            self._window.popleft()
        end = ref.offset + ref.length
        while (not self._window or self._window[-1].offset < end) and (found := self._next()) is not None:
            if found.offset >= ref.offset:
                self._window.append(found)
        return [found for found in self._window if found.offset < end]

    def read_on(self) -> None:
        """Read the records that no capture names."""
        while self._next() is not None:
            pass

    def _next(self) -> _Found | None:
        for found in self._records:
            if not isinstance(found, str):
                return found
            self.remarks.append(found)
        return None


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


def _disagreement(capture: CaptureRecord, ref: RecordRef, found: Sequence[_Found]) -> Iterator[str]:
    """What the ledger says of a capture that the archive does not bear out; `found` are the records there."""
    where = f"{ref.file} at {ref.offset}"
    at = ref.offset
    for record in found:
        if record.offset == at:
            at += record.length
    first = found[0] if found and found[0].offset == ref.offset else None
    if first is None or first.length == ref.length or at != ref.offset + ref.length:
        yield f"{where}: the capture of {capture.url} is not there"
    elif first.digest != f"sha256:{capture.payload_sha256 or payload_digest(b'')}":
        yield f"{where}: the capture of {capture.url} has another body than the ledger says"


_WWW = re.compile(r"^www\d*\.")


def surt(url: Url) -> str:
    """The key of an address."""
    host = url.host.lower()
    turned = host.strip("[]") if host.startswith("[") else ",".join(reversed(_WWW.sub("", host).split(".")))
    port = f":{url.port}" if url.port is not None else ""
    path = url.path.lower().rstrip("/") or "/"
    query = "&".join(sorted((url.query or "").lower().split("&")))
    return f"{turned}{port}){path}" + (f"?{query}" if query else "")


def cdxj_line(record: Record, file: str, offset: int, length: int) -> str | None:
    """The line of a response or revisit; None for other records."""
    target = record.field("WARC-Target-URI") or ""
    url = parse_url(target)
    if record.type not in ("response", "revisit") or not isinstance(url, Url):
        return None
    first, fields, _ = record.http
    mime = (header(fields, "Content-Type") or "unk").partition(";")[0].strip() or "unk"
    status = first.split(" ")[1] if " " in first else "-"
    kind = {"mime": "warc/revisit"} if record.type == "revisit" else {"mime": mime, "status": status}
    facts = {
        "url": target,
        **kind,
        "digest": record.field("WARC-Payload-Digest") or "-",
        "length": str(length),
        "offset": str(offset),
        "filename": file,
    }
    time = re.sub(r"\D", "", record.field("WARC-Date") or "")[:14]
    return f"{surt(url)} {time} {json.dumps(facts, ensure_ascii=False)}"
