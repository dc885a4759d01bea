"""What a response means: its outcome, where it redirects to, the cookies of its chain.

    2xx                        Fetched
    304 to a conditional ask   NotModified
    404, 410                   Gone
    429, 502, 503, 504         Failed, and worth another try
    3xx without a way on,
    every other status         Failed

Where a redirect leads is decided by hand (ID-9):

1. 301, 302, 303, 307 and 308 with a `Location` are redirects. 300 and 304 are not.
2. `Location` is read as browsers do: relative to the URL that answered, its raw bytes as UTF-8 where they
   are, and percent-encoded where they are not. A fragment is inherited unless a new one is given.
3. A loop is the same question twice: the same address asked with the same cookies.
4. Whether the next hop may be asked (scope, robots, address) is asked of every hop, elsewhere.

Cookies of one redirect chain are kept per origin:

5. A cookie that an origin sets during a redirect is sent back to that origin, and to no other, for the
   rest of this chain. Then it is forgotten: a page depends on its own chain, not on what was fetched
   before it, so that the output stays a function of the responses (MIR-12).
6. `Domain` and `Path` cannot widen that. `Max-Age` of zero or less removes the cookie.
7. At most 50 cookies and 8 KiB an origin; what is beyond is not kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, assert_never

from holdfast.core.base.values import dataclass
from holdfast.core.url.redaction import redacted
from holdfast.core.url.url import Refusal, Refused, Url, parse_url
from holdfast.core.web.capture import (
    Capture,
    Deferred,
    Denial,
    Denied,
    Failed,
    Failure,
    Fetched,
    Gone,
    NotModified,
    Outcome,
    RedirectedAway,
    TimedOut,
    Trail,
    header,
)

TRANSIENT_STATUSES: Final = frozenset((429, 502, 503, 504))


_PARTIAL: Final = 206


def conclude(capture: Capture, trail: Trail, *, conditional: bool) -> Outcome:
    """The outcome of a response that was read whole and is not a redirect."""
    status = capture.status
    if 200 <= status < 300:
        return Fetched(capture, trail)
    if status == 304 and conditional:
        return NotModified(capture, trail)
    if status in (404, 410):
        return Gone(capture, trail)
    return Failed(
        Failure.STATUS,
        f"status {status}",
        transient=status in TRANSIENT_STATUSES,
        capture=capture,
        trail=trail,
    )


def whole(outcome: Outcome) -> Outcome:
    """The same outcome, unless the answer is a part (206) though nobody asked for one: that is not a page
    (TXT-6).
    """
    if not isinstance(outcome, Fetched) or outcome.capture.status != _PARTIAL:
        return outcome
    sent = header(outcome.capture.headers, "content-range") or "without Content-Range"
    detail = f"only a part was sent (206, {sent})"
    return Failed(Failure.SHORT_BODY, detail, transient=True, capture=outcome.capture, trail=outcome.trail)


def describe(outcome: Outcome) -> str:
    """An outcome in a few words, for logs and messages."""
    match outcome:
        case Fetched(capture) | Gone(capture) | NotModified(capture):
            return f"{capture.status}"
        case RedirectedAway(target):
            return f"redirected out of scope to {redacted(target)}"
        case Denied(denial, detail):
            return f"refused ({denial}): {detail}"
        case Failed(failure, detail):
            return f"failed ({failure}): {detail}"
        case TimedOut(phase, detail):
            return f"timed out ({phase}): {detail}"
        case Deferred(until, detail):
            return f"put off until {until:%Y-%m-%d %H:%M:%S} UTC: {detail}"
        case _:
            assert_never(outcome)


REDIRECTS: Final = frozenset((301, 302, 303, 307, 308))


@dataclass(frozen=True, slots=True)
class BadHop:
    """A redirect that leads nowhere."""

    failure: Failure
    detail: str


@dataclass(frozen=True, slots=True)
class ForbiddenHop:
    """A redirect to something that Holdfast does not ask."""

    denial: Denial
    detail: str


def next_hop(url: Url, status: int, location: str | None) -> Url | BadHop | ForbiddenHop:
    """The URL that a redirect from `url` names; `location` is the field's bytes as latin-1."""
    if not location:
        return BadHop(Failure.BAD_REDIRECT, f"{status} without a Location")
    target = parse_url(_as_text(location), url)
    if isinstance(target, Refused):
        if target.reason is Refusal.SCHEME:
            return ForbiddenHop(Denial.SCHEME, f"{status} to another scheme: {target.detail}")
        return BadHop(Failure.BAD_REDIRECT, f"{status} to what is not a URL ({target.reason})")
    return target if target.fragment or not url.fragment else target._replace(fragment=url.fragment)


def _as_text(location: str) -> str:
    raw = location.encode("latin-1", "replace")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(chr(byte) if byte < 0x80 else f"%{byte:02X}" for byte in raw)


_MOST: Final = 50
_MOST_BYTES: Final = 8 * 1024


def cookie_field(pairs: Iterable[tuple[str, str]]) -> str:
    """The `Cookie` field."""
    return "; ".join(f"{name}={value}" for name, value in pairs)


class ChainCookies:
    """What the origins of one chain have set so far."""

    __slots__ = ("_origins",)

    def __init__(self) -> None:
        self._origins: dict[str, dict[str, str]] = {}

    def of(self, origin: str) -> tuple[tuple[str, str], ...]:
        """What to send to an origin."""
        return tuple(self._origins.get(origin, {}).items())

    def take(self, origin: str, fields: Iterable[str]) -> None:
        """Read an origin's `Set-Cookie` fields."""
        for field in fields:
            pair, *attributes = field.split(";")
            name, equals, value = pair.strip().partition("=")
            if not equals or not name or not pair.isprintable():
                continue
            jar = self._origins.setdefault(origin, {})
            jar.pop(name, None)
            if not _is_over(attributes) and len(jar) < _MOST and _size(jar) + len(pair) <= _MOST_BYTES:
                jar[name] = value


def _is_over(attributes: list[str]) -> bool:
    ages = (a.partition("=")[2].strip() for a in attributes if a.strip().lower().startswith("max-age="))
    return any(age.startswith("-") or age == "0" for age in ages)


def _size(jar: dict[str, str]) -> int:
    return sum(len(name) + len(value) for name, value in jar.items())
