"""What came over the wire, and how a fetch can end: a closed union, never an exception.

    Outcome = Fetched | NotModified | RedirectedAway | Denied | Gone | Failed | TimedOut | Deferred

1. A `Capture` holds the body with content codings undone, and the headers as they were sent.
2. Credentials that Holdfast added are in no capture and in no trail (SEC-3).
3. Each outcome carries its `Trail`: what was asked, what it waited for, which rule spoke.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple

from holdfast.core.base.values import by_fields, dataclass
from holdfast.core.url.url import Url

Headers = tuple[tuple[str, str], ...]
"""Header fields in the order sent, names as sent; each byte of a value is one character (latin-1)."""


def header(headers: Headers, name: str) -> str | None:
    """The first value of a field, by name without regard to case."""
    wanted, length = name.lower(), len(name)
    for field, value in headers:
        if len(field) == length and field.lower() == wanted:  # most differ in length, which costs nothing
            return value
    return None


def sendable(value: str | None) -> str | None:
    """A field that can be sent back byte for byte: anything but printable ASCII is as good as none."""
    return value if value is not None and value.isascii() and value.isprintable() else None


class Validators(NamedTuple):
    """What a conditional request names: `ETag` and `Last-Modified` as a server sent them."""

    etag: str | None = None
    last_modified: str | None = None


NO_VALIDATORS: Final = Validators()


@dataclass(frozen=True, slots=True)
class Hop:
    """One redirect that was followed, or met: who answered, how, and where it pointed; `headers` as they
    came, `body` where it is short and was read to its end.
    """

    url: Url
    status: int
    location: Url
    headers: Headers = ()
    body: bytes | None = b""


@dataclass(frozen=True, slots=True)
class Wait:
    """Time spent not asking, and why: `queue`, `delay`, `crawl-delay`, `retry-after`, `backoff`."""

    seconds: float
    reason: str


@by_fields
@dataclass(frozen=True, slots=True)
class Capture:
    """One response, whole. `requested` was asked for, `final` answered after the hops. `alternate_of` is the
    page that named it as its own Markdown, where one did: then it speaks for that page, not for itself.
    `is_cut`: a redirect whose body was not read to its end, and is not here. `is_brought`: another store, or
    another tool, took it, and this one was given it.
    """

    requested: Url
    final: Url
    status: int
    headers: Headers
    body: bytes
    fetched_at: datetime
    hops: tuple[Hop, ...] = ()
    request_headers: Headers = ()
    http_version: str = "1.1"
    alternate_of: Url | None = None
    is_cut: bool = False
    is_brought: bool = False

    def header(self, name: str) -> str | None:
        """The first value of a response field, by name without regard to case."""
        return header(self.headers, name)

    @property
    def page(self) -> Url:
        """The address of the page that this is the content of."""
        return self.alternate_of or self.final

    @property
    def last_redirect(self) -> Capture | None:
        """The last redirect on the way, as an answer of its own."""
        if not self.hops:
            return None
        hop = self.hops[-1]
        return replace(
            self,
            final=hop.url,
            status=hop.status,
            headers=hop.headers,
            body=hop.body or b"",
            hops=self.hops[:-1],
            alternate_of=None,
            is_cut=hop.body is None,
        )

    @property
    def validators(self) -> Validators:
        """ETag and Last-Modified, as far as they can be sent back as they came."""
        return Validators(sendable(self.header("etag")), sendable(self.header("last-modified")))

    @property
    def content_type(self) -> str:
        """The media type, lower case, without parameters; empty when none was sent."""
        return (self.header("content-type") or "").partition(";")[0].strip().lower()


class Trail(NamedTuple):
    """How an outcome came about, for whoever is surprised by it. `dead_end` is the redirect that was the last
    answer, where what it led to gave none.
    """

    hops: tuple[Hop, ...] = ()
    waits: tuple[Wait, ...] = ()
    requests: int = 0
    robots_rule: str | None = None
    address: str | None = None
    dead_end: Capture | None = None


NO_TRAIL: Final = Trail()


class Denial(StrEnum):
    """Why a URL was not asked for, or its answer not taken."""

    ROBOTS = "robots"
    ADDRESS = "address"
    SCHEME = "scheme"
    SIZE = "size"
    SCOPE = "scope"
    HOST = "host"
    FORGOTTEN = "forgotten"


class Failure(StrEnum):
    """Why a fetch failed: a closed set."""

    STATUS = "status"
    DNS = "dns"
    CONNECT = "connect"
    TLS = "tls"
    RESET = "reset"
    PROTOCOL = "protocol"
    SHORT_BODY = "short_body"
    ENCODING = "encoding"
    REDIRECT_LOOP = "redirect_loop"
    TOO_MANY_REDIRECTS = "too_many_redirects"
    BAD_REDIRECT = "bad_redirect"
    HEADERS_TOO_LARGE = "headers_too_large"
    ROBOTS_UNAVAILABLE = "robots_unavailable"
    RATE_LIMITED = "rate_limited"


@dataclass(frozen=True, slots=True)
class Fetched:
    """A response with a 2xx status."""

    capture: Capture
    trail: Trail = NO_TRAIL


@dataclass(frozen=True, slots=True)
class NotModified:
    """A 304: what is stored is still true. `capture` has the headers and no body."""

    capture: Capture
    trail: Trail = NO_TRAIL


@dataclass(frozen=True, slots=True)
class RedirectedAway:
    """A redirect to a place that scope does not admit; the last hop says where."""

    target: Url
    trail: Trail


@dataclass(frozen=True, slots=True)
class Denied:
    """Not asked for, or its answer not taken: `detail` names the rule, the address or the limit."""

    denial: Denial
    detail: str
    trail: Trail = NO_TRAIL


@dataclass(frozen=True, slots=True)
class Gone:
    """404 or 410."""

    capture: Capture
    trail: Trail = NO_TRAIL


@dataclass(frozen=True, slots=True)
class Failed:
    """It did not work. `capture` is there when a response was read whole (a 500, a 403)."""

    failure: Failure
    detail: str
    transient: bool
    capture: Capture | None = None
    trail: Trail = NO_TRAIL


@dataclass(frozen=True, slots=True)
class TimedOut:
    """No answer in time: `phase` is `connect`, `headers`, `body` or `total`."""

    phase: str
    detail: str
    trail: Trail = NO_TRAIL


@dataclass(frozen=True, slots=True)
class Deferred:
    """The host asked for more time than one wait may take: come back no sooner than `until`."""

    until: datetime
    detail: str
    trail: Trail = NO_TRAIL


Outcome = Fetched | NotModified | RedirectedAway | Denied | Gone | Failed | TimedOut | Deferred
