"""One request and its response, under ceilings (SEC-2). Redirects, retries and turns are `fetching`'s.

1. The URL goes on the request line as it was parsed; nothing is quoted anew.
2. Header bytes are counted by the parser field by field, and here together; the body while it streams.
3. Header values are latin-1: every byte one character, nothing lost, always printable as JSON.
4. What Holdfast adds for an origin is in `Question.secrets` and goes nowhere but into the request.
5. Where a certificate is out of date, a second connection reads its dates, and nothing is sent on it.
6. A connection is kept only when its response was read to the end; after anything else it is closed.
7. aiohttp's errors become outcomes in this one place where its exceptions are known. The order matters:
   aiohttp's tree has several roots, and a narrow error must be met before its parents.
8. When a certificate is valid is read from its DER (X.509, RFC 5280). No more of it is looked at.

    Certificate ::= SEQUENCE { tbsCertificate SEQUENCE { [0] version OPTIONAL, serial INTEGER,
        signature SEQUENCE, issuer SEQUENCE, validity SEQUENCE { notBefore Time, notAfter Time }, … }, … }
    Time ::= UTCTime YYMMDDHHMMSSZ (tag 23; years 1950 to 2049) | GeneralizedTime YYYYMMDDHHMMSSZ (tag 24)
"""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final, NamedTuple

import aiohttp
from aiohttp import ClientConnectionResetError, StreamReader, hdrs
from aiohttp import http_exceptions as wire
from aiohttp.connector import Connection
from aiohttp.http import RawResponseMessage

from holdfast.adapters.http.connections import AddressRefusedError, OriginRoute, Pools
from holdfast.core.base.errors import FormatError
from holdfast.core.base.values import dataclass
from holdfast.core.web.body import BodyCollector, BodyLimits, BodyTooLargeError
from holdfast.core.web.capture import Denial, Denied, Failed, Failure, Headers, TimedOut
from holdfast.core.web.codings import CodingError
from holdfast.core.web.outcome import REDIRECTS

_DRAINED = BodyLimits(sent=16 * 1024, decoded=16 * 1024, ratio=1, cut=True)
"""A redirect's body is kept where it is short: reading it also lets the connection be kept."""
_LONGEST_LINE: Final = 16 * 1024
_MOST_FIELDS: Final = 1_000
_MOST_INTERIM: Final = 16
"""Interim answers (1xx) before the answer: one or two are usual, an endless row of them is not an answer."""


class Question(NamedTuple):
    """What goes over the wire, and what may come back. It prints without what is secret."""

    origin: str
    target: str
    headers: Mapping[str, str]
    limits: BodyLimits
    secrets: Mapping[str, str]
    proxy: str | None
    guarded: bool

    def __repr__(self) -> str:
        return f"Question({self.origin + self.target!r})"


class Answer(NamedTuple):
    """A response, read whole; of a redirect the body may be missing."""

    status: int
    headers: Headers
    body: bytes | None
    http_version: str


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """No response, or not the whole of it.

    `sent`: the request went out. `unanswered`: the connection died before its answer began.
    """

    outcome: Denied | Failed | TimedOut
    sent: bool = True
    unanswered: bool = False


async def exchange(pools: Pools, question: Question) -> Answer | NoAnswer:
    """Ask, and read the answer whole."""
    message, route = None, None
    try:
        route = pools.route(question.origin, question.proxy, guarded=question.guarded)
        head = route.head(question.target, question.headers, question.secrets)
        with pools.deadlines.one():
            connection = await route.connect()
            try:
                message, content = await _ask(
                    connection, head, route.timeout.sock_read, pools.max_header_bytes
                )
                answer = await _read(message, content, question.limits, pools.max_header_bytes)
            except BaseException:
                connection.close()
                raise
            connection.release()  # closes it unless the response was read to its end
            return answer
    except BodyTooLargeError as error:
        return NoAnswer(Denied(Denial.SIZE, str(error)))
    except CodingError as error:
        return NoAnswer(Failed(Failure.ENCODING, str(error), transient=False))
    except CAUGHT as error:
        if message is None:
            return _no_answer(await _dated(outcome_of(error, "headers"), route))
        return NoAnswer(outcome_of(error, "body"))


async def _dated(
    outcome: Denied | Failed | TimedOut, route: OriginRoute | None
) -> Denied | Failed | TimedOut:
    """The failure of a certificate that is out of date, with its dates."""
    if route is None or not isinstance(outcome, Failed) or outcome.failure is not Failure.TLS:
        return outcome
    expired, early = "expired" in outcome.detail, "not yet valid" in outcome.detail
    if not (expired or early):
        return outcome
    try:
        async with asyncio.timeout(route.timeout.sock_connect):
            shown = await route.certificate()
        first, last = validity_of(shown) if shown else (None, None)
    except (*CAUGHT, FormatError):
        return outcome
    day = last if expired else first
    words = "valid until" if expired else "valid from"
    return replace(outcome, detail=f"{outcome.detail}, {words} {day:%Y-%m-%d}") if day else outcome


def _no_answer(outcome: Denied | Failed | TimedOut) -> NoAnswer:
    match outcome:
        case Denied() | TimedOut(phase="connect"):
            return NoAnswer(outcome, sent=False)
        case Failed(failure=Failure.DNS | Failure.CONNECT | Failure.TLS):
            return NoAnswer(outcome, sent=False)
        case Failed(failure=Failure.RESET):
            return NoAnswer(outcome, unanswered=True)
        case _:
            return NoAnswer(outcome)


async def _ask(
    connection: Connection, head: bytes, idle_timeout: float | None, max_header_bytes: int
) -> tuple[RawResponseMessage, StreamReader]:
    """Send the request; the head of the answer that is not interim, and its body to come."""
    protocol, transport = connection.protocol, connection.transport
    if protocol is None or transport is None or transport.is_closing():
        raise ClientConnectionResetError("the connection was closed before the request")
    protocol.set_response_params(
        read_until_eof=True,
        auto_decompress=False,
        read_timeout=idle_timeout,
        max_line_size=min(max_header_bytes, _LONGEST_LINE),
        max_field_size=max_header_bytes,
        max_headers=_MOST_FIELDS,
    )
    transport.write(head)
    protocol.start_timeout()
    for _ in range(_MOST_INTERIM + 1):
        message, content = await protocol.read()
        if not 100 <= message.code < 200 or message.code == 101:
            return message, content
    raise ValueError(f"more than {_MOST_INTERIM} interim answers (1xx)")


async def _read(
    message: RawResponseMessage, content: StreamReader, limits: BodyLimits, max_header_bytes: int
) -> Answer | NoAnswer:
    raw = message.raw_headers
    size = sum([len(name) + len(value) + 4 for name, value in raw])
    if size > max_header_bytes:
        detail = f"{size} bytes of header fields, at most {max_header_bytes} taken"
        return NoAnswer(Failed(Failure.HEADERS_TOO_LARGE, detail, transient=False))
    headers = tuple([(name.decode("latin-1"), value.decode("latin-1")) for name, value in raw])
    coding = ", ".join(message.headers.getall(hdrs.CONTENT_ENCODING, ()))
    body: bytes | None
    if message.code in REDIRECTS:
        body = await _drain(content, coding)
    else:
        collector = BodyCollector(limits, coding)
        collector.announce(message.headers.get(hdrs.CONTENT_LENGTH))
        body = await _collect(content, collector)
    version = message.version
    return Answer(message.code, headers, body, f"{version.major}.{version.minor}")


async def _collect(content: StreamReader, collector: BodyCollector) -> bytes:
    while not collector.is_full:
        piece = await content.readany()
        if not piece:
            break
        collector.feed(piece)
    return collector.finish()


async def _drain(content: StreamReader, coding: str) -> bytes | None:
    """The short body of a redirect; none where it is long, slow or broken, since `Location` said it all."""
    try:
        async with asyncio.timeout(1):
            collector = BodyCollector(_DRAINED, coding)
            body = await _collect(content, collector)
            return None if collector.is_full else body
    except (*CAUGHT, CodingError):
        return None


CAUGHT = (
    aiohttp.ClientError,
    wire.HttpProcessingError,
    OSError,
    TimeoutError,
    ssl.SSLError,
    ValueError,
)
"""What a request can raise. ValueError is yarl's, for a host it does not take, and `exchange`'s own."""

_TLS = (aiohttp.ClientConnectorCertificateError, aiohttp.ClientSSLError, ssl.SSLError)
_RESET = (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError, ConnectionError)


def outcome_of(error: BaseException, phase: str) -> Denied | Failed | TimedOut:
    """What an error means; `phase` is `headers` or `body`."""
    refused = _address_refused(error)
    if refused is not None:
        return Denied(Denial.ADDRESS, str(refused))
    if isinstance(error, TimeoutError):
        return _timed_out(error, phase)
    failure = _failure(error)
    return Failed(failure, _words(error), transient=failure in _TRANSIENT)


_TRANSIENT = frozenset((Failure.RESET, Failure.CONNECT, Failure.SHORT_BODY, Failure.DNS))


def _timed_out(error: TimeoutError, phase: str) -> TimedOut:
    match error:
        case aiohttp.ConnectionTimeoutError():
            return TimedOut("connect", "no connection in time")
        case aiohttp.ServerTimeoutError():
            return TimedOut(phase, f"the server fell silent in the {phase}")
        case _:
            return TimedOut("total", f"not done in time; it was in the {phase}")


def _failure(error: BaseException) -> Failure:
    cause = error.__cause__
    match error:
        case aiohttp.ClientConnectorDNSError():
            return Failure.DNS
        case _ if isinstance(error, _TLS):
            return Failure.TLS
        case aiohttp.ClientConnectorError() | aiohttp.ClientHttpProxyError():
            return Failure.CONNECT
        case aiohttp.ClientPayloadError():
            return _payload_failure(error, cause)
        case wire.HttpProcessingError() | aiohttp.ClientResponseError():
            return Failure.HEADERS_TOO_LARGE if _is_header_bomb(error) else Failure.PROTOCOL
        case _ if isinstance(error, _RESET):
            return Failure.RESET
        case _:
            return Failure.PROTOCOL


def _payload_failure(error: aiohttp.ClientPayloadError, cause: BaseException | None) -> Failure:
    if isinstance(cause, wire.ContentLengthError) or "Not enough data" in str(error):
        return Failure.SHORT_BODY
    return Failure.RESET if isinstance(cause, OSError) else Failure.PROTOCOL


def _is_header_bomb(error: BaseException) -> bool:
    return any(isinstance(e, wire.LineTooLong) or "Too many headers" in str(e) for e in _causes(error))


def _address_refused(error: BaseException) -> AddressRefusedError | None:
    return next((e for e in _causes(error) if isinstance(e, AddressRefusedError)), None)


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.__cause__


def _words(error: BaseException) -> str:
    """What happened, on one line, without a peer's bytes in full."""
    match error:
        case aiohttp.ClientConnectorCertificateError():
            words = str(getattr(error.certificate_error, "verify_message", "") or error.certificate_error)
        case aiohttp.ClientConnectorError():
            number = error.os_error.errno or 0  # a resolver's errors have numbers of their own, below zero
            words = os.strerror(number) if number > 0 else error.os_error.strerror or str(error.os_error)
        case wire.HttpProcessingError() | aiohttp.ClientResponseError():
            words = error.message
        case _:
            words = str(error) or type(error).__name__
    words = " ".join(words.split())
    return words if len(words) <= 200 else words[:200] + "…"


_VERSION: Final = 0xA0
_UTC_TIME: Final = 23
_FIRST_CENTURY: Final = 50


def validity_of(der: bytes) -> tuple[datetime, datetime]:
    """The first and the last moment at which a certificate counts."""
    try:
        return _validity(der)
    except (IndexError, ValueError) as error:
        raise FormatError(f"not a certificate: {error}") from None


def _validity(der: bytes) -> tuple[datetime, datetime]:
    _, at, _ = _element(der, 0)  # the certificate
    _, at, _ = _element(der, at)  # what is signed of it
    if der[at] == _VERSION:
        at = _element(der, at)[2]
    for _ in ("serial", "signature", "issuer"):
        at = _element(der, at)[2]
    _, at, _ = _element(der, at)  # the validity
    tag, start, end = _element(der, at)
    first = _time(tag, der[start:end])
    tag, start, end = _element(der, end)
    return first, _time(tag, der[start:end])


def _element(der: bytes, at: int) -> tuple[int, int, int]:
    """The tag of an element, and where its content starts and ends."""
    tag, length, start = der[at], der[at + 1], at + 2
    if length & 0x80:
        count = length & 0x7F
        length, start = int.from_bytes(der[start : start + count]), start + count
    if start + length > len(der):
        raise ValueError("it breaks off")
    return tag, start, start + length


def _time(tag: int, text: bytes) -> datetime:
    digits = text.decode("ascii").removesuffix("Z")
    if tag == _UTC_TIME:
        digits = ("19" if int(digits[:2]) >= _FIRST_CENTURY else "20") + digits
    return datetime.strptime(digits, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
