"""One request and its response, under ceilings (SEC-2). Redirects, retries and turns are the walk's.

1. The URL goes on the request line as it was parsed; nothing is quoted anew.
2. Header bytes are counted by the parser field by field, and here together; the body while it streams.
3. Header values are latin-1: every byte one character, nothing lost, always printable as JSON.
4. What Holdfast adds for an origin is in `Question.secrets` and goes nowhere but into the request.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from aiohttp import ClientResponse, ClientSession, hdrs
from yarl import URL

from holdfast.adapters.http.trouble import CAUGHT, outcome_of
from holdfast.core.capture import Denial, Denied, Failed, Failure, Headers, TimedOut
from holdfast.core.redirects import REDIRECTS
from holdfast.formats.body import BodyCollector, BodyLimits, BodyTooLargeError
from holdfast.formats.codings import CodingError

__all__ = ["Answer", "Question", "Trouble", "exchange"]

_DRAINED = BodyLimits(sent=16 * 1024, decoded=16 * 1024, ratio=1, cut=True)
"""The body of a redirect is of no interest, but a short one is read so that the connection can be kept."""


class Question(NamedTuple):
    """What goes over the wire, and what may come back. It prints without what is secret."""

    href: str
    headers: Mapping[str, str]
    limits: BodyLimits
    max_header_bytes: int
    secrets: Mapping[str, str]
    proxy: str | None

    def __repr__(self) -> str:
        return f"Question({self.href!r})"

    def fields(self) -> dict[str, str]:
        """All header fields; what the user set for the origin stands in place of ours."""
        theirs = {name.lower() for name in self.secrets}
        ours = {name: value for name, value in self.headers.items() if name.lower() not in theirs}
        return ours | dict(self.secrets)


class Answer(NamedTuple):
    """A response, read whole."""

    status: int
    headers: Headers
    body: bytes
    http_version: str


@dataclass(frozen=True, slots=True)
class Trouble:
    """No response, or not the whole of it.

    `sent`: the request went out. `unanswered`: the connection died before its answer began.
    """

    outcome: Denied | Failed | TimedOut
    sent: bool = True
    unanswered: bool = False


async def exchange(session: ClientSession, question: Question) -> Answer | Trouble:
    """Ask, and read the answer whole."""
    try:
        response = await session.get(
            URL(question.href, encoded=True),
            headers=question.fields() if question.secrets else question.headers,
            proxy=question.proxy,
            allow_redirects=False,
        )
    except CAUGHT as error:
        return _no_answer(outcome_of(error, "headers"))
    try:
        return await _read(response, question)
    except BodyTooLargeError as error:
        return Trouble(Denied(Denial.SIZE, str(error)))
    except CodingError as error:
        return Trouble(Failed(Failure.ENCODING, str(error), transient=False))
    except CAUGHT as error:
        return Trouble(outcome_of(error, "body"))
    finally:
        response.release()  # closes the connection unless the response was read to its end


def _no_answer(outcome: Denied | Failed | TimedOut) -> Trouble:
    match outcome:
        case Denied() | TimedOut(phase="connect"):
            return Trouble(outcome, sent=False)
        case Failed(failure=Failure.DNS | Failure.CONNECT | Failure.TLS):
            return Trouble(outcome, sent=False)
        case Failed(failure=Failure.RESET):
            return Trouble(outcome, unanswered=True)
        case _:
            return Trouble(outcome)


async def _read(response: ClientResponse, question: Question) -> Answer | Trouble:
    raw = response.raw_headers
    size = sum([len(name) + len(value) + 4 for name, value in raw])
    if size > question.max_header_bytes:
        detail = f"{size} bytes of header fields, at most {question.max_header_bytes} taken"
        return Trouble(Failed(Failure.HEADERS_TOO_LARGE, detail, transient=False))
    headers = tuple([(name.decode("latin-1"), value.decode("latin-1")) for name, value in raw])
    if response.status in REDIRECTS:
        body = await _drain(response)
    else:
        collector = BodyCollector(
            question.limits, ", ".join(response.headers.getall(hdrs.CONTENT_ENCODING, ()))
        )
        collector.announce(response.headers.get(hdrs.CONTENT_LENGTH))
        body = await _collect(response, collector)
    version = response.version
    return Answer(response.status, headers, body, f"{version.major}.{version.minor}" if version else "1.1")


async def _collect(response: ClientResponse, collector: BodyCollector) -> bytes:
    content = response.content
    while not collector.is_full:
        piece = await content.readany()
        if not piece:
            break
        collector.feed(piece)
    return collector.finish()


async def _drain(response: ClientResponse) -> bytes:
    """The short body of a redirect; empty where it is long, slow or broken, since `Location` said it all."""
    try:
        async with asyncio.timeout(1):
            return await _collect(response, BodyCollector(_DRAINED, None))
    except CAUGHT:
        return b""
