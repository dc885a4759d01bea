"""WARC records that others wrote, read as far as they go: WARC/1.0 and 1.1, any digests, bodies as they were
sent.

1. Transfer and content codings are undone, as the fetcher does; the fields stay as they were sent.
2. A record that is cut short, says so itself (`WARC-Truncated`), or cannot be read is an error, never a page;
   but a redirect is one whatever became of its body.
3. Only answers to http and https requests are captures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from mmap import mmap
from typing import Final

from holdfast.core.capture import Capture, Headers, header
from holdfast.core.errors import FormatError
from holdfast.core.redirects import REDIRECTS
from holdfast.core.url import Url, parse_url
from holdfast.core.values import dataclass
from holdfast.formats.body import BodyCollector, BodyLimits, BodyTooLargeError
from holdfast.formats.codings import CodingError
from holdfast.formats.warc_record import Record

__all__ = ["Foreign", "answer_of", "foreign_capture", "records_in"]

_BEGIN: Final = re.compile(rb"WARC/1\.[01]\r?\n")
_HEAD_END: Final = re.compile(rb"\r?\n\r?\n")
_LIMITS: Final = BodyLimits(sent=1 << 30, decoded=1 << 30, ratio=10_000)
_MOST_HEAD: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Foreign:
    """An HTTP answer: its status and fields, and its body as it was sent, which a revisit does not have."""

    status: int
    version: str
    headers: Headers
    body: bytes


def records_in(view: bytes | mmap, start: int = 0) -> Iterator[tuple[int, Record | str]]:
    """Where each record begins, and the record; what cannot be read comes as words. Of a file that is mapped
    no more is in memory than one record.
    """
    at = start
    while at < len(view):
        found = _BEGIN.search(view, at)
        if found is None or found.start() > at:
            before = found.start() if found else len(view)
            if before - at > _MOST_HEAD or view[at:before].strip():
                yield at, "no WARC record begins here"
            if found is None:
                return
        at = found.start()
        end = _HEAD_END.search(view, found.end(), found.end() + _MOST_HEAD)
        pairs = _fields(view[found.end() : end.start()]) if end else ()
        fields = {name.lower(): value for name, value in reversed(pairs)}
        length = fields.get("content-length", "")
        if end is None or not length.isdecimal() or end.end() + int(length) > len(view):
            yield at, "the record is cut short, or its header cannot be read"
            at = found.end()
            continue
        block = view[end.end() : end.end() + int(length)]
        yield at, Record(fields, block)
        at = end.end() + int(length)
        while view[at : at + 1] in (b"\r", b"\n"):
            at += 1


def foreign_capture(record: Record, body: Foreign | None = None) -> Capture | None:
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
        body=_decoded(sent),
        fetched_at=_time(record.field("WARC-Date")),
        http_version=answer.version,
        is_cut=cut is not None,
        is_brought=True,
    )


def answer_of(record: Record) -> Foreign:
    """The HTTP answer in a record's block."""
    end = _HEAD_END.search(record.block)
    head, body = (record.block[: end.start()], record.block[end.end() :]) if end else (record.block, b"")
    first, _, rest = head.partition(b"\n")
    version, status, *_ = [*first.decode("latin-1").strip().split(" "), "", ""]
    if not version.startswith("HTTP/") or not status.isdecimal():
        raise FormatError(f"{first[:60]!r} is not the first line of an HTTP answer")
    return Foreign(int(status), version.removeprefix("HTTP/"), _fields(rest), body)


def _decoded(answer: Foreign) -> bytes:
    body = answer.body
    if "chunked" in (header(answer.headers, "Transfer-Encoding") or "").lower():
        body = _joined(body)
    try:
        collector = BodyCollector(_LIMITS, header(answer.headers, "Content-Encoding"))
        collector.feed(body)
        return collector.finish()
    except (CodingError, BodyTooLargeError) as error:
        raise FormatError(str(error)) from error


def _joined(body: bytes) -> bytes:
    """Chunks put together. Some writers join them and leave the field: then the body is as it is."""
    pieces: list[bytes] = []
    at = 0
    while True:
        end = body.find(b"\r\n", at, at + 64)
        size = body[at:end].partition(b";")[0].strip() if end >= 0 else b""
        if not re.fullmatch(rb"[0-9A-Fa-f]{1,16}", size):
            if not pieces:
                return body
            raise FormatError("a chunk of the body cannot be read")
        length = int(size, 16)
        if length == 0:
            return b"".join(pieces)
        pieces.append(body[end + 2 : end + 2 + length])
        at = end + 2 + length + 2


def _fields(data: bytes) -> Headers:
    lines = data.decode("utf-8", "surrogateescape").replace("\r\n", "\n").split("\n")
    pairs = (line.partition(":") for line in lines)
    return tuple((name.strip(), value.strip()) for name, colon, value in pairs if colon)


def _time(text: str | None) -> datetime:
    try:
        time = datetime.fromisoformat(text or "")
    except ValueError:
        raise FormatError(f"{text!r} is not a date") from None
    return time if time.tzinfo else time.replace(tzinfo=UTC)
