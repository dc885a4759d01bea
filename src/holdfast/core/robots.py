"""What robots.txt came to, as a value: whether it could be read, and what a job needs of it (MIR-13).

read          its rules decide
absent        4xx, or a redirect chain that ends nowhere: everything is allowed
unreachable   5xx, a network failure, a time-out: everything is refused for now, and it is asked again
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from holdfast.core.capture import (
    Denial,
    Denied,
    Failed,
    Failure,
    Fetched,
    Gone,
    NotModified,
    Outcome,
    TimedOut,
)
from holdfast.core.outcome import describe
from holdfast.core.url import Url
from holdfast.core.values import dataclass

__all__ = [
    "MAX_ROBOTS_BYTES",
    "MAX_ROBOTS_REDIRECTS",
    "RobotsReport",
    "RobotsState",
    "origin_robots",
    "state_of",
]

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
