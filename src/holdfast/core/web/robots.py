"""What robots.txt came to, what `X-Robots-Tag` says, and who asks, as values (MIR-13).

Whether robots.txt could be read:

    read          its rules decide
    absent        4xx, or a redirect chain that ends nowhere: everything is allowed
    unreachable   5xx, a network failure, a time-out: everything is refused for now, and it is asked again

`X-Robots-Tag` is what a response says about itself (MIR-1). A value is a list of words; a value that begins
with a robot's name and a colon is for that robot alone and is passed over, unless the robot is us. `none`
means both `noindex` and `nofollow`.

Who is asking says so truthfully: a name, a version and a contact.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from holdfast.core.base.errors import ConfigError
from holdfast.core.base.values import dataclass
from holdfast.core.url.url import Url
from holdfast.core.web.capture import (
    Denial,
    Denied,
    Failed,
    Failure,
    Fetched,
    Gone,
    Headers,
    NotModified,
    Outcome,
    TimedOut,
)
from holdfast.core.web.outcome import describe

PRODUCT: Final = "holdfast"
"""The product token: what `User-agent:` lines in robots.txt call us."""


def user_agent(version: str, contact: str) -> str:
    """The `User-Agent` field. `contact` is a page or an address of whoever runs this; empty for none."""
    if not contact:
        return f"{PRODUCT}/{version}"
    if not contact.isprintable() or not contact.isascii() or set(contact) & set("()\\"):
        raise ConfigError(
            f"contact = {contact!r}: sent in the user agent, it must be plain ASCII without brackets",
            hint='for example contact = "https://example.com/about-our-crawler" or "team@example.com"',
        )
    mark = "+" if "://" in contact else ""
    return f"{PRODUCT}/{version} ({mark}{contact})"


MAX_ROBOTS_BYTES: Final = 500 * 1024
MAX_ROBOTS_REDIRECTS: Final = 5

_LEADS_NOWHERE: Final = (Failure.TOO_MANY_REDIRECTS, Failure.REDIRECT_LOOP, Failure.BAD_REDIRECT)


class RobotsState(StrEnum):
    """Whether there are rules."""

    READ = "read"
    ABSENT = "absent"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True)
class RobotsReport:
    """The robots.txt of one origin, for whoever looks for sitemaps or wonders about a delay."""

    origin: str
    state: RobotsState
    detail: str
    crawl_delay: float | None = None
    sitemaps: tuple[str, ...] = ()


def state_of(outcome: Outcome) -> tuple[RobotsState, str]:
    """What the answer to the question for robots.txt means (RFC 9309, 2.3.1)."""
    match outcome:
        case Fetched(capture) | NotModified(capture):
            return RobotsState.READ, f"{capture.status}, {len(capture.body)} bytes"
        case Gone(capture):
            return RobotsState.ABSENT, f"{capture.status}"
        case Failed(failure=Failure.STATUS, capture=capture) if capture and 400 <= capture.status < 500:
            return RobotsState.ABSENT, f"{capture.status}"
        case Failed(failure=failure) if failure in _LEADS_NOWHERE:
            return RobotsState.ABSENT, failure.value
        case _:
            return RobotsState.UNREACHABLE, describe(outcome)


def unreached(outcome: Outcome) -> Denied | Failed | TimedOut | None:
    """The outcome, where it says that the origin itself cannot be reached, with or without a robots.txt.

    Then that is what became of the page too: a host that does not exist has worse trouble than its rules.
    """
    if outcome.trail.hops:
        return None
    match outcome:
        case Denied(denial=Denial.ADDRESS):
            return outcome
        case Failed(failure=Failure.DNS | Failure.CONNECT | Failure.TLS):
            return outcome
        case TimedOut(phase="connect"):
            return outcome
        case _:
            return None


def origin_robots(url: Url) -> Url:
    """Where an origin keeps its robots.txt."""
    return Url(url.scheme, url.host, url.port, "/robots.txt", None)


_WITH_VALUE = ("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview")


@dataclass(frozen=True, slots=True)
class MetaRobots:
    """Two wishes."""

    noindex: bool = False
    nofollow: bool = False


def meta_robots(headers: Headers) -> MetaRobots:
    """The wishes in the response's fields."""
    words: set[str] = set()
    for name, value in headers:
        if name.lower() == "x-robots-tag":
            words |= _words(value.lower())
    everything = "none" in words
    return MetaRobots(everything or "noindex" in words, everything or "nofollow" in words)


def _words(value: str) -> set[str]:
    robot, colon, rest = value.partition(":")
    if colon and robot.strip() not in _WITH_VALUE and "," not in robot:
        if robot.strip() != PRODUCT.lower():
            return set()
        value = rest
    return {word.strip() for word in value.split(",")}
