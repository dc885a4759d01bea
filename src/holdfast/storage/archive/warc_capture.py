"""A capture as WARC/1.1 records, and back.

1. A capture is one `response` (or `revisit`) record, the `request` record that led to it, and a `response`
   record of each redirect on the way, in this order. Reading gives back the capture that was written, to the
   last header; the `Host` line of a request is that of its address. A redirect's body that was not read
   to its end is not kept, and its record says so (`WARC-Truncated`).
2. The body is kept with content codings undone. The fields that no longer describe it
   (`Content-Encoding`, `Transfer-Encoding`, `Content-Length`) get the prefix `X-Archive-Orig-`, which
   reading takes off again; a true `Content-Length` stands last, and reading drops it.
3. Digests are SHA-256, of the block and of the payload.
4. What WARC has no field for (which redirects were followed, the address asked for, the page whose Markdown
   it is, an HTTP version other than 1.x, that another store or tool took it) is in `Holdfast-…` fields, which
   other tools pass over.
5. A body that is there already makes a `revisit` with the profile `identical-payload-digest`, which says
   in which file, and where, the body is; a 304 one with the profile `server-not-modified`.
6. Request fields that carry credentials, and secrets in the request line's query, are redacted (SEC-3).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Final

from holdfast.core.base.errors import FormatError
from holdfast.core.base.figures import in_utc
from holdfast.core.base.plain_data import read_json
from holdfast.core.lineage.ledger_values import Original
from holdfast.core.url.redaction import redact_fields, redact_url
from holdfast.core.url.url import Url, parse_url
from holdfast.core.web.capture import Capture, Headers, Hop, header
from holdfast.storage.archive.warc_record import (
    HOP_TO,
    SAME_BODY,
    Record,
    encode_lines,
    encode_record,
    payload_digest,
    record_id,
    warc_date,
    whole_number,
)

_NOT_MODIFIED: Final = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
_CUT: Final = ("WARC-Truncated: unspecified",)
_PREFIX: Final = "X-Archive-Orig-"
_ALTERED: Final = frozenset({"content-encoding", "transfer-encoding", "content-length"})
_PHRASES: Final = {
    200: "OK", 203: "Non-Authoritative Information", 204: "No Content", 206: "Partial Content",
    301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified", 307: "Temporary Redirect",
    308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
    410: "Gone", 429: "Too Many Requests", 500: "Internal Server Error", 502: "Bad Gateway",
    503: "Service Unavailable", 504: "Gateway Timeout",
}  # fmt: skip


def encode_capture(
    capture: Capture, place: str, original: Original | None = None, digest: str | None = None
) -> tuple[bytes, ...]:
    """The response or revisit record of a capture, its request record, and those of its redirects; `place`
    makes their ids unique, `digest` is the payload's where it is known.
    """
    date, target = warc_date(capture.fetched_at), capture.final.href
    digest = digest or payload_digest(capture.body)
    response_id = record_id("response", place, target, date, digest)
    kind, revisit, body = _kind_of(capture, original)
    first = (
        f"WARC-Type: {kind}",
        f"WARC-Record-ID: {response_id}",
        f"WARC-Date: {date}",
        f"WARC-Target-URI: {target}",
        *revisit,
        f"WARC-Payload-Digest: sha256:{digest}",
        *(_CUT if capture.is_cut else ()),
        *_own_fields(capture),
        "Content-Type: application/http; msgtype=response",
    )
    second = (
        "WARC-Type: request",
        f"WARC-Record-ID: {record_id('request', place, target, date, digest)}",
        f"WARC-Date: {date}",
        f"WARC-Target-URI: {target}",
        f"WARC-Concurrent-To: {response_id}",
        "Content-Type: application/http; msgtype=request",
    )
    own = encode_record(first, _response_head(capture) + body), encode_record(second, _request_head(capture))
    if not capture.hops:
        return own
    return *own, *[_hop_record(capture, number, (place, response_id)) for number in range(len(capture.hops))]


def _hop_record(capture: Capture, number: int, of: tuple[str, str]) -> bytes:
    """A redirect on the way to a capture, as other tools read it."""
    hop, date, (place, response_id) = capture.hops[number], warc_date(capture.fetched_at), of
    body = hop.body or b""
    lines = (
        "WARC-Type: response",
        f"WARC-Record-ID: {record_id('hop', place, str(number), hop.url.href, date)}",
        f"WARC-Date: {date}",
        f"WARC-Target-URI: {hop.url.href}",
        f"WARC-Concurrent-To: {response_id}",
        f"WARC-Payload-Digest: sha256:{payload_digest(body)}",
        *(_CUT if hop.body is None else ()),
        f"{HOP_TO}: {capture.final}",
        "Content-Type: application/http; msgtype=response",
    )
    headers = hop.headers or (("Location", str(hop.location)),)
    return encode_record(lines, _http_head(hop.status, headers, len(body)) + body)


def decode_capture(
    response: Record, request: Record | None, body: bytes | None = None, hops: Sequence[Record] = ()
) -> Capture:
    """The capture that was written; `body` is that of the original, for a revisit; `hops` are the records of
    its redirects.
    """
    first, fields, kept = response.http
    body = kept if body is None else body
    told = response.fields
    if told.get("warc-payload-digest") != f"sha256:{payload_digest(body)}":
        raise FormatError("the payload is not what its digest says")
    version, status, *_ = [*first.split(" "), "", ""]
    code = whole_number(status)
    if not version.startswith("HTTP/") or code is None:
        raise FormatError(f"{first!r} is not an HTTP status line")
    final = _url(told.get("holdfast-final-uri") or told.get("warc-target-uri"))
    requested, alternate_of = told.get("holdfast-requested-uri"), told.get("holdfast-alternate-of")
    followed = told.get("holdfast-hops")
    return Capture(
        requested=_url(requested) if requested else final,
        final=final,
        status=code,
        headers=_restored(fields),
        body=body,
        fetched_at=_time(told.get("warc-date")),
        hops=_hops(followed, hops) if followed else (),
        request_headers=_without_host(request.http[1], final) if request else (),
        http_version=told.get("holdfast-http-version") or version.removeprefix("HTTP/"),
        alternate_of=_url(alternate_of) if alternate_of else None,
        is_cut="warc-truncated" in told,
        is_brought="holdfast-brought" in told,
    )


def _kind_of(capture: Capture, original: Original | None) -> tuple[str, tuple[str, ...], bytes]:
    """Record type, the fields that make it a revisit, and the body it carries."""
    if original is None:
        return "response", (), capture.body
    profile = _NOT_MODIFIED if capture.status == 304 else SAME_BODY
    refers = (
        f"WARC-Profile: {profile}",
        f"WARC-Refers-To-Target-URI: {original.url}",
        f"WARC-Refers-To-Date: {warc_date(original.fetched_at)}",
        f"WARC-Refers-To-Filename: {original.ref.file}",
        f"WARC-Refers-To-File-Offset: {original.ref.offset}",
    )
    return "revisit", refers, b""


def _own_fields(capture: Capture) -> list[str]:
    lines = []
    if capture.final.fragment:
        lines.append(f"Holdfast-Final-URI: {capture.final}")
    if capture.requested != capture.final:
        lines.append(f"Holdfast-Requested-URI: {capture.requested}")
    if capture.alternate_of is not None:
        lines.append(f"Holdfast-Alternate-Of: {capture.alternate_of}")
    if capture.hops:
        hops = [[str(hop.url), hop.status, str(hop.location)] for hop in capture.hops]
        lines.append(f"Holdfast-Hops: {json.dumps(hops, separators=(',', ':'))}")
    if capture.http_version not in ("1.0", "1.1"):
        lines.append(f"Holdfast-HTTP-Version: {capture.http_version}")
    if capture.is_brought:
        lines.append("Holdfast-Brought: yes")
    return lines


def _response_head(capture: Capture) -> bytes:
    version = capture.http_version if capture.http_version in ("1.0", "1.1") else "1.1"
    return _http_head(capture.status, capture.headers, len(capture.body), version)


def _http_head(status: int, headers: Headers, length: int, version: str = "1.1") -> bytes:
    first = f"HTTP/{version} {status} {_PHRASES.get(status, 'Status')}"
    lines = [f"{_marked(name)}: {value}" for name, value in headers]
    return encode_lines([first, *lines, f"Content-Length: {length}", "", ""])


def _request_head(capture: Capture) -> bytes:
    has_host, lines = _request_lines(capture.request_headers)
    first = f"GET {redact_url(capture.final.target)} HTTP/1.1"
    host = () if has_host else (f"Host: {_host(capture.final)}",)
    return encode_lines([first, *host, *lines, "", ""])


@lru_cache(maxsize=16)
def _request_lines(sent: Headers) -> tuple[bool, tuple[str, ...]]:
    """Whether a request names its host, and what is kept of its fields: most requests send the same."""
    fields = redact_fields(sent)
    return header(fields, "Host") is not None, tuple([f"{name}: {value}" for name, value in fields])


def _host(url: Url) -> str:
    return url.origin.partition("//")[2]


def _without_host(fields: Headers, url: Url) -> Headers:
    return fields[1:] if fields[:1] == (("Host", _host(url)),) else fields


@lru_cache(maxsize=1_000)
def _marked(name: str) -> str:
    lower = name.lower()
    return _PREFIX + name if lower in _ALTERED or lower.startswith(_PREFIX.lower()) else name


def _restored(fields: Headers) -> Headers:
    own = fields[:-1]  # the last one is the true Content-Length
    return tuple((name.removeprefix(_PREFIX), value) for name, value in own)


def _url(text: object) -> Url:
    url = parse_url(text) if isinstance(text, str) else None
    if not isinstance(url, Url):
        raise FormatError(f"{text!r} is not an address")
    return url


def _hops(told: str, records: Sequence[Record]) -> tuple[Hop, ...]:
    """The redirects that a response tells of, with the answers that their own records have."""
    try:
        hops = [(_url(url), int(status), location) for url, status, location in read_json(told)]
    except (TypeError, ValueError):
        raise FormatError("what it says of redirects cannot be read") from None
    kept = (*map(_hop_answer, records), *[((), b"")] * len(hops))
    return tuple(
        Hop(url, status, _url(location), () if headers == (("Location", location),) else headers, body)
        for (url, status, location), (headers, body) in zip(hops, kept, strict=False)
    )


def _hop_answer(record: Record) -> tuple[Headers, bytes | None]:
    """The headers of a redirect as they came, and its body, if that was read to its end."""
    _, fields, body = record.http
    return _restored(fields), body if record.field("WARC-Truncated") is None else None


def _time(text: str | None) -> datetime:
    try:
        return in_utc(datetime.fromisoformat(text or ""))
    except ValueError:
        raise FormatError(f"{text!r} is not a date") from None
