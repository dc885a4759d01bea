"""A capture as WARC/1.1 records, and back.

1. A capture is one `response` (or `revisit`) record, the `request` record that led to it, and a `response`
   record of each redirect on the way, in this order. Reading gives back the capture that was written, to the
   last header. A redirect's body is not kept; the `Host` line of a request is that of its address.
2. The body is kept with content codings undone. The fields that no longer describe it
   (`Content-Encoding`, `Transfer-Encoding`, `Content-Length`) get the prefix `X-Archive-Orig-`, which
   reading takes off again; a true `Content-Length` stands last, and reading drops it.
3. Digests are SHA-256, of the block and of the payload.
4. What WARC has no field for (which redirects were followed, the address asked for, the page whose Markdown
   it is, an HTTP version other than 1.x) is in `Holdfast-…` fields, which other tools pass over.
5. A body that is there already makes a `revisit` with the profile `identical-payload-digest`, which says
   in which file, and where, the body is; a 304 one with the profile `server-not-modified`.
6. Request fields that carry credentials, and secrets in the request line's query, are redacted (SEC-3).
7. The `warcinfo` that opens a file names the store it is a part of (`isPartOf`), by which a ledger knows
   its own files.
8. A line break in a field's value would forge a field: it is written as a space. Bytes that are not UTF-8
   are kept as they were (`surrogateescape`).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from holdfast.core.capture import Capture, Headers, Hop, header
from holdfast.core.errors import FormatError
from holdfast.core.ledger import Original
from holdfast.core.redaction import redact_fields, redact_url
from holdfast.core.refusal import Refused
from holdfast.core.url import Url, parse_url

__all__ = [
    "HOP_TO",
    "Info",
    "Record",
    "decode_capture",
    "encode_capture",
    "encode_filler",
    "encode_info",
    "encode_metadata",
    "parse_record",
    "payload_digest",
]

_PROFILE: Final = "http://netpreserve.org/warc/1.1/revisit/"
_SAME_BODY: Final = _PROFILE + "identical-payload-digest"
_NOT_MODIFIED: Final = _PROFILE + "server-not-modified"
_FORGOTTEN: Final = b"forgotten: true\r\n"
_PART: Final = "urn:holdfast:store:"
_PREFIX: Final = "X-Archive-Orig-"
HOP_TO: Final = "Holdfast-Hop-To"
"""In the record of a redirect: the address that answered in the end."""
_ALTERED: Final = frozenset({"content-encoding", "transfer-encoding", "content-length"})
_BREAKS: Final = re.compile(r"[\r\n\0]+")
_PHRASES: Final = {
    200: "OK", 203: "Non-Authoritative Information", 204: "No Content", 206: "Partial Content",
    301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified", 307: "Temporary Redirect",
    308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
    410: "Gone", 429: "Too Many Requests", 500: "Internal Server Error", 502: "Bad Gateway",
    503: "Service Unavailable", 504: "Gateway Timeout",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Info:
    """What the record that opens a file says: who wrote it, and of which store it is a part."""

    software: str
    store_id: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """One WARC record: its fields and its block, which has been found whole."""

    fields: Headers
    block: bytes

    def field(self, name: str) -> str | None:
        """The first value of a field."""
        return header(self.fields, name)

    @property
    def type(self) -> str:
        """`response`, `revisit`, `request`, `warcinfo`, …"""
        return self.field("WARC-Type") or ""

    @property
    def refers_to(self) -> tuple[str, int] | None:
        """File and offset of the record that holds the body of this revisit."""
        file, offset = self.field("WARC-Refers-To-Filename"), self.field("WARC-Refers-To-File-Offset")
        return (file, int(offset)) if file and offset and offset.isdecimal() else None

    @property
    def holds_same_body(self) -> bool:
        """Whether it is a revisit whose body must be fetched from elsewhere."""
        return self.field("WARC-Profile") == _SAME_BODY

    @property
    def is_hop(self) -> bool:
        """Whether it is a redirect on the way to the capture before it."""
        return self.type == "response" and self.field(HOP_TO) is not None

    @property
    def is_filler(self) -> bool:
        """Whether it stands in the place of a record that was forgotten."""
        return self.type == "metadata" and self.block == _FORGOTTEN

    @property
    def store_id(self) -> str | None:
        """The store whose ledger knows this file, as the `warcinfo` that opens it says (`isPartOf`)."""
        lines = _text(self.block).split("\r\n") if self.type == "warcinfo" else []
        part = header(_split(lines), "isPartOf") or ""
        return part.removeprefix(_PART) if part.startswith(_PART) else None

    @property
    def http(self) -> tuple[str, Headers, bytes]:
        """The first line, the fields and the body of an HTTP message."""
        head, _, body = self.block.partition(b"\r\n\r\n")
        first, *lines = _text(head).split("\r\n")
        return first, _split(lines), body


def payload_digest(body: bytes) -> str:
    """SHA-256 of a body, as 64 hex digits."""
    return hashlib.sha256(body).hexdigest()


def encode_info(info: Info, file: str, at: datetime) -> bytes:
    """The record that opens a file."""
    part = f"isPartOf: {_PART}{info.store_id}\r\n" if info.store_id else ""
    block = f"software: {info.software}\r\nformat: WARC File Format 1.1\r\nconformsTo: WARC/1.1\r\n{part}"
    fields = (
        ("WARC-Type", "warcinfo"),
        ("WARC-Record-ID", _record_id("warcinfo", info.store_id, file, _date(at))),
        ("WARC-Date", _date(at)),
        ("WARC-Filename", file),
        ("Content-Type", "application/warc-fields"),
    )
    return _record(fields, block.encode())


def encode_filler() -> bytes:
    """A record that says that another stood in its place and was forgotten (STA-4)."""
    fields = (
        ("WARC-Type", "metadata"),
        ("WARC-Record-ID", _record_id("forgotten")),
        ("WARC-Date", "1970-01-01T00:00:00Z"),
        ("Content-Type", "application/warc-fields"),
    )
    return _record(fields, _FORGOTTEN)


def encode_metadata(fields: Headers, block: bytes, name: tuple[str, ...], at: datetime) -> bytes:
    """A record that says something about others; `name` makes its id unique."""
    first = (
        ("WARC-Type", "metadata"),
        ("WARC-Record-ID", _record_id("metadata", *name, _date(at))),
        ("WARC-Date", _date(at)),
    )
    return _record((*first, *fields), block)


def encode_capture(
    capture: Capture, place: str, original: Original | None = None, digest: str | None = None
) -> tuple[bytes, ...]:
    """The response or revisit record of a capture, its request record, and those of its redirects; `place`
    makes their ids unique, `digest` is the payload's where it is known.
    """
    date, target = _date(capture.fetched_at), capture.final.href
    digest = digest or payload_digest(capture.body)
    response_id = _record_id("response", place, target, date, digest)
    shared = (("WARC-Date", date), ("WARC-Target-URI", target))
    kind, revisit, body = _kind_of(capture, original)
    first = (
        ("WARC-Type", kind),
        ("WARC-Record-ID", response_id),
        *shared,
        *revisit,
        ("WARC-Payload-Digest", f"sha256:{digest}"),
        *_own_fields(capture),
        ("Content-Type", "application/http; msgtype=response"),
    )
    second = (
        ("WARC-Type", "request"),
        ("WARC-Record-ID", _record_id("request", place, target, date, digest)),
        *shared,
        ("WARC-Concurrent-To", response_id),
        ("Content-Type", "application/http; msgtype=request"),
    )
    own = _record(first, _response_head(capture) + body), _record(second, _request_head(capture))
    return (
        *own,
        *(_hop_record(capture, number, (place, response_id)) for number in range(len(capture.hops))),
    )


def _hop_record(capture: Capture, number: int, of: tuple[str, str]) -> bytes:
    """A redirect on the way to a capture, as other tools read it."""
    hop, date, (place, response_id) = capture.hops[number], _date(capture.fetched_at), of
    fields = (
        ("WARC-Type", "response"),
        ("WARC-Record-ID", _record_id("hop", place, str(number), hop.url.href, date)),
        ("WARC-Date", date),
        ("WARC-Target-URI", hop.url.href),
        ("WARC-Concurrent-To", response_id),
        ("WARC-Payload-Digest", f"sha256:{payload_digest(b'')}"),
        (HOP_TO, str(capture.final)),
        ("Content-Type", "application/http; msgtype=response"),
    )
    headers = hop.headers or (("Location", str(hop.location)),)
    return _record(fields, _http_head(hop.status, headers, 0))


def parse_record(data: bytes) -> Record:
    """A record's fields and block, lengths and block digest checked; FormatError says what is wrong."""
    head, mark, rest = data.partition(b"\r\n\r\n")
    version, *lines = _text(head).split("\r\n")
    if not mark or version not in ("WARC/1.1", "WARC/1.0"):
        raise FormatError("no WARC record begins here")
    fields = _split(lines)
    length = header(fields, "Content-Length") or ""
    if not length.isdecimal() or len(rest) != int(length) + 4 or not rest.endswith(b"\r\n\r\n"):
        raise FormatError(
            f"the record's block has {len(rest) - 4} bytes, its header says {length or 'nothing'}"
        )
    block = rest[:-4]
    digest = header(fields, "WARC-Block-Digest")
    if digest and digest != f"sha256:{payload_digest(block)}":
        raise FormatError("the block is not what its digest says")
    return Record(fields, block)


def decode_capture(
    response: Record, request: Record | None, body: bytes | None = None, hops: Sequence[Record] = ()
) -> Capture:
    """The capture that was written; `body` is that of the original, for a revisit; `hops` are the records of
    its redirects.
    """
    first, fields, kept = response.http
    body = kept if body is None else body
    if response.field("WARC-Payload-Digest") != f"sha256:{payload_digest(body)}":
        raise FormatError("the payload is not what its digest says")
    version, status, *_ = [*first.split(" "), "", ""]
    if not version.startswith("HTTP/") or not status.isdecimal():
        raise FormatError(f"{first!r} is not an HTTP status line")
    final = _url(response.field("Holdfast-Final-URI") or response.field("WARC-Target-URI"))
    alternate_of = response.field("Holdfast-Alternate-Of")
    return Capture(
        requested=_url(response.field("Holdfast-Requested-URI") or str(final)),
        final=final,
        status=int(status),
        headers=_restored(fields),
        body=body,
        fetched_at=_time(response.field("WARC-Date")),
        hops=_hops(json.loads(response.field("Holdfast-Hops") or "[]"), hops),
        request_headers=_without_host(request.http[1], final) if request else (),
        http_version=response.field("Holdfast-HTTP-Version") or version.removeprefix("HTTP/"),
        alternate_of=_url(alternate_of) if alternate_of else None,
    )


def _kind_of(capture: Capture, original: Original | None) -> tuple[str, Headers, bytes]:
    """Record type, the fields that make it a revisit, and the body it carries."""
    if original is None:
        return "response", (), capture.body
    profile = _NOT_MODIFIED if capture.status == 304 else _SAME_BODY
    refers = (
        ("WARC-Profile", profile),
        ("WARC-Refers-To-Target-URI", original.url),
        ("WARC-Refers-To-Date", _date(original.fetched_at)),
        ("WARC-Refers-To-Filename", original.ref.file),
        ("WARC-Refers-To-File-Offset", str(original.ref.offset)),
    )
    return "revisit", refers, b""


def _own_fields(capture: Capture) -> Headers:
    fields: list[tuple[str, str]] = []
    if capture.final.fragment:
        fields.append(("Holdfast-Final-URI", str(capture.final)))
    if capture.requested != capture.final:
        fields.append(("Holdfast-Requested-URI", str(capture.requested)))
    if capture.alternate_of is not None:
        fields.append(("Holdfast-Alternate-Of", str(capture.alternate_of)))
    if capture.hops:
        hops = [[str(hop.url), hop.status, str(hop.location)] for hop in capture.hops]
        fields.append(("Holdfast-Hops", json.dumps(hops, separators=(",", ":"))))
    if capture.http_version not in ("1.0", "1.1"):
        fields.append(("Holdfast-HTTP-Version", capture.http_version))
    return tuple(fields)


def _response_head(capture: Capture) -> bytes:
    version = capture.http_version if capture.http_version in ("1.0", "1.1") else "1.1"
    return _http_head(capture.status, capture.headers, len(capture.body), version)


def _http_head(status: int, headers: Headers, length: int, version: str = "1.1") -> bytes:
    fields = tuple((_marked(name), value) for name, value in headers)
    first = f"HTTP/{version} {status} {_PHRASES.get(status, 'Status')}"
    return _head(first, (*fields, ("Content-Length", str(length))))


def _request_head(capture: Capture) -> bytes:
    fields = redact_fields(capture.request_headers)
    if header(fields, "Host") is None:
        fields = (_host_field(capture.final), *fields)
    return _head(f"GET {redact_url(capture.final.target)} HTTP/1.1", fields)


def _host_field(url: Url) -> tuple[str, str]:
    return "Host", url.origin.partition("//")[2]


def _without_host(fields: Headers, url: Url) -> Headers:
    return fields[1:] if fields[:1] == (_host_field(url),) else fields


def _marked(name: str) -> str:
    lower = name.lower()
    return _PREFIX + name if lower in _ALTERED or lower.startswith(_PREFIX.lower()) else name


def _restored(fields: Headers) -> Headers:
    own = fields[:-1]  # the last one is the true Content-Length
    return tuple((name.removeprefix(_PREFIX), value) for name, value in own)


def _record(fields: Headers, block: bytes) -> bytes:
    tail = (("WARC-Block-Digest", f"sha256:{payload_digest(block)}"), ("Content-Length", str(len(block))))
    return _head("WARC/1.1", (*fields, *tail)) + block + b"\r\n\r\n"


def _head(first: str, fields: Iterable[tuple[str, str]]) -> bytes:
    lines = [first, *[f"{name}: {value}" for name, value in fields], "", ""]
    head = "\r\n".join(lines)
    breaks = len(lines) - 1
    if "\0" in head or head.count("\r") != breaks or head.count("\n") != breaks:
        head = "\r\n".join([_BREAKS.sub(" ", line) for line in lines])
    try:
        return head.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a surrogate that stands for no byte: nothing that came over a wire has one
        return head.encode("utf-8", "replace")


def _split(lines: Iterable[str]) -> Headers:
    pairs = (line.partition(":") for line in lines)
    return tuple((name, value.removeprefix(" ")) for name, colon, value in pairs if colon)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _url(text: str | None) -> Url:
    url = parse_url(text or "")
    if isinstance(url, Refused):
        raise FormatError(f"{text!r} is not an address")
    return url


def _hops(told: list[tuple[str, int, str]], records: Sequence[Record]) -> tuple[Hop, ...]:
    """The redirects that a response tells of, with the headers that their own records have."""
    found = []
    for number, (url, status, location) in enumerate(told):
        headers = _restored(records[number].http[1]) if number < len(records) else ()
        plain = headers == (("Location", location),)
        found.append(Hop(_url(url), status, _url(location), () if plain else headers))
    return tuple(found)


def _date(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


def _time(text: str | None) -> datetime:
    try:
        return datetime.fromisoformat(text or "")
    except ValueError:
        raise FormatError(f"{text!r} is not a date") from None


def _record_id(*inputs: str) -> str:
    name = hashlib.sha256("\0".join(inputs).encode()).hexdigest()
    return f"<urn:uuid:{name[:8]}-{name[8:12]}-4{name[13:16]}-a{name[17:20]}-{name[20:32]}>"
