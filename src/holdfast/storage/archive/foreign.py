"""WARC files that others wrote, read as far as they go: WARC/1.0 and 1.1, any digests, bodies as sent.

1. Transfer and content codings are undone, as the fetcher does; the fields stay as they were sent.
2. A record that is cut short, says so itself (`WARC-Truncated`), or cannot be read is an error, never a
   page; but a redirect is one whatever became of its body.
3. Only answers to http and https requests are captures.
4. Files are plain or packed with gzip; their captures come one after another. What cannot be read is named
   and passed over. The body of a revisit is looked up by its digest among the records of the same files.
5. No more is held than one record of the size that is taken; a larger one is named and passed over. A header
   that lies costs what follows it up to the next line that begins a record.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final

from holdfast.core.base.errors import ArchiveError, FormatError
from holdfast.core.base.figures import counted, in_utc
from holdfast.core.base.values import dataclass
from holdfast.core.url.url import Url, parse_url
from holdfast.core.web.body import BodyCollector, BodyLimits, BodyTooLargeError
from holdfast.core.web.capture import Capture, Headers, header
from holdfast.core.web.codings import CodingError
from holdfast.core.web.outcome import REDIRECTS
from holdfast.storage.archive.members import pieces_of
from holdfast.storage.archive.shelf import translated
from holdfast.storage.archive.warc_record import Record, whole_number

_BEGIN: Final = re.compile(rb"WARC/1\.[01]\r?\n")
_LONGEST_BEGIN: Final = 10
_HEAD_END: Final = re.compile(rb"\r?\n\r?\n")
_HEAD_ENDS: Final = re.compile(rb"\r?\n\r?\n|(?P<other>\n)(?=WARC/1\.[01]\r?\n)")
_MOST_HEAD: Final = 1 << 20
MOST_IN_BODY: Final = 64 << 20
"""Bytes of a body that are taken, as sent and once decoded: as many as the fetcher takes, unless told."""
_RATIO: Final = 10_000
_STATUS: Final = re.compile(r"[1-9][0-9]{2}")


@dataclass(frozen=True, slots=True)
class Foreign:
    """An HTTP answer: its status and fields, and its body as it was sent, which a revisit does not have."""

    status: int
    version: str
    headers: Headers
    body: bytes


def records_in(
    pieces: Iterable[bytes], size: int | None = None, most: int = MOST_IN_BODY
) -> Iterator[tuple[int, Record | str]]:
    """Where each record begins, and the record; what cannot be read, or is too large to be taken, comes as
    words. `size` is how many bytes there are, where that is known.
    """
    window = _Window(pieces)
    record: Record | str | None = None
    while True:
        at = window.at
        if window.pass_over_to_begin() and not isinstance(record, str):
            yield at, "no WARC record begins here"
        if not window.data:
            return
        at = window.at
        record = _record(window, None if size is None else size - at, most + _MOST_HEAD)
        yield at, record


def _record(window: _Window, left: int | None, most: int) -> Record | str:
    """The record that begins at a window's start; what is not taken of it is passed over."""
    bad, begin = "the record is cut short, or its header cannot be read", window.first_line()
    end = window.head_end(begin)
    if end is None:
        return bad
    fields = {name.lower(): value for name, value in reversed(_fields(window.data[begin : end[0]]))}
    length = whole_number(fields.get("content-length"))
    if length is None or (left is not None and end[1] + length > left):
        window.drop(begin)
        return bad
    if length > most:
        window.pass_over(end[1] + length)
        return f"the record has {length} bytes, more than are taken"
    if not window.fill(end[1] + length):
        window.drop(begin)
        return bad
    block = bytes(memoryview(window.data)[end[1] : end[1] + length])
    window.drop(end[1] + length)
    return Record(fields, block)


class _Window:
    """Bytes that come in pieces, as many of them as are looked at."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
        self.data = bytearray()
        self.at = 0

    def fill(self, size: int) -> bool:
        """Have so many bytes, if there are."""
        while len(self.data) < size:
            if not (piece := next(self._pieces, b"")):
                return False
            self.data += piece
        return True

    def drop(self, size: int) -> None:
        """Be done with so many bytes."""
        self.at += min(size, len(self.data))
        del self.data[:size]

    def pass_over(self, size: int) -> None:
        """Be done with so many bytes, whether they came already or not."""
        while size > len(self.data):
            size -= len(self.data)
            self.drop(len(self.data))
            if not self.fill(1):
                return
        self.drop(size)

    def pass_over_to_begin(self) -> bool:
        """Go to where a record begins, or to the end; whether there was something else than empty lines."""
        is_stray = False
        while self.fill(1):
            found = _BEGIN.search(self.data)
            size = found.start() if found else max(0, len(self.data) - _LONGEST_BEGIN)
            is_stray = is_stray or bool(self.data[:size].strip())
            if found is None and not self.fill(len(self.data) + 1):
                is_stray, size = is_stray or bool(self.data.strip()), len(self.data)
            self.drop(size)
            if found:
                break
        return is_stray

    def first_line(self) -> int:
        """How long the line is that begins a record."""
        return self.data.index(b"\n") + 1

    def head_end(self, begin: int) -> tuple[int, int] | None:
        """Where the header's last line ends, and where the block begins. Where there is none before another
        record begins, or before a header may be longer, what was looked at is done with.
        """
        looked = begin - 1
        while (found := _HEAD_ENDS.search(self.data, looked)) is None:
            looked = max(looked, len(self.data) - _LONGEST_BEGIN - 2)
            if looked > _MOST_HEAD or not self.fill(len(self.data) + 1):
                self.drop(len(self.data) if looked <= _MOST_HEAD else looked)
                return None
        if found["other"]:
            self.drop(found.end())
            return None
        return found.span()


def foreign_capture(record: Record, body: Foreign | None = None, most: int = MOST_IN_BODY) -> Capture | None:
    """The capture of a `response` or `revisit` record; `body` is what a revisit refers to. None where the
    record is not an answer to a request for a page; FormatError where it is one and cannot be read.
    """
    url = parse_url((record.field("WARC-Target-URI") or "").strip("<>"))
    if record.type not in ("response", "revisit") or not isinstance(url, Url):
        return None
    if not (record.field("Content-Type") or "application/http").startswith("application/http"):
        return None
    answer = answer_of(record)
    cut = record.field("WARC-Truncated")
    if cut is not None and answer.status not in REDIRECTS:
        raise FormatError(f"the record of {url.href} was cut when it was written ({cut})")
    sent = body if body is not None else answer
    return Capture(
        requested=url,
        final=url,
        status=answer.status,
        headers=answer.headers,
        body=_decoded(sent, most),
        fetched_at=_time(record.field("WARC-Date")),
        http_version=answer.version,
        is_cut=cut is not None,
        is_brought=True,
    )


def answer_of(record: Record) -> Foreign:
    """The HTTP answer in a record's block."""
    end = _HEAD_END.search(record.block, 0, _MOST_HEAD)
    if end is None and len(record.block) > _MOST_HEAD:
        raise FormatError("the head of the answer has no end")
    head, body = (record.block[: end.start()], record.block[end.end() :]) if end else (record.block, b"")
    first, _, rest = head.partition(b"\n")
    version, status, *_ = [*first.decode("latin-1").strip().split(" "), "", ""]
    if not version.startswith("HTTP/") or not _STATUS.fullmatch(status):
        raise FormatError(f"{first[:60]!r} is not the first line of an HTTP answer")
    return Foreign(int(status), version.removeprefix("HTTP/"), _fields(rest), body)


def _decoded(answer: Foreign, most: int) -> bytes:
    body = answer.body
    if "chunked" in (header(answer.headers, "Transfer-Encoding") or "").lower():
        body = _joined(body)
    try:
        limits = BodyLimits(sent=most, decoded=most, ratio=_RATIO)
        collector = BodyCollector(limits, header(answer.headers, "Content-Encoding"))
        collector.feed(body)
        return collector.finish()
    except (CodingError, BodyTooLargeError) as error:
        raise FormatError(str(error)) from error


def _joined(body: bytes) -> bytes:
    """Chunks put together. Some writers join them and leave the field: then the body is as it is."""
    joined = bytearray()
    at = 0
    while True:
        end = body.find(b"\r\n", at, at + 64)
        size = body[at:end].partition(b";")[0].strip() if end >= 0 else b""
        if not re.fullmatch(rb"[0-9A-Fa-f]{1,16}", size):
            if at == 0:
                return body
            raise FormatError("a chunk of the body cannot be read")
        length = int(size, 16)
        if length == 0:
            return bytes(joined)
        joined += memoryview(body)[end + 2 : end + 2 + length]
        at = end + 2 + length + 2


def _fields(data: bytes | bytearray) -> Headers:
    lines = data.decode("utf-8", "surrogateescape").replace("\r\n", "\n").split("\n")
    pairs = (line.partition(":") for line in lines)
    return tuple((name.strip(), value.strip()) for name, colon, value in pairs if colon)


def _time(text: str | None) -> datetime:
    try:
        return in_utc(datetime.fromisoformat(text or ""))
    except ValueError:
        raise FormatError(f"{(text or '')[:60]!r} is not a date") from None


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
