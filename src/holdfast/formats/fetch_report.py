"""What a fetch came to, as `holdfast fetch` tells it: lines for a person, and what its JSON is made of
(`formats.schemas.identity`).

URLs are shown with secrets in their query taken out; what Holdfast added for an origin was never in.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final, NamedTuple

from holdfast.core.capture import Capture, Deferred, Denied, Failed, Outcome, RedirectedAway, TimedOut
from holdfast.core.redaction import redacted
from holdfast.core.url import Url

__all__ = ["OUTCOME_NAMES", "FetchTold", "fetch_lines"]

OUTCOME_NAMES: Final = {
    "Fetched": "fetched",
    "NotModified": "not_modified",
    "RedirectedAway": "redirected_away",
    "Denied": "refused",
    "Gone": "gone",
    "Failed": "failed",
    "TimedOut": "timed_out",
    "Deferred": "deferred",
}


class FetchTold(NamedTuple):
    """What was asked for and how it ended, as `holdfast fetch` tells it."""

    url: Url
    outcome: Outcome

    @property
    def name(self) -> str:
        """The outcome's word."""
        return OUTCOME_NAMES[type(self.outcome).__name__]

    @property
    def reason(self) -> str | None:
        """The denial, the failure, or the phase of a time-out."""
        return _reason(self.outcome)

    @property
    def detail(self) -> str | None:
        """The reason in words."""
        return getattr(self.outcome, "detail", None)

    @property
    def until(self) -> datetime | None:
        """When a deferred request may be made."""
        return self.outcome.until if isinstance(self.outcome, Deferred) else None

    @property
    def capture(self) -> Capture | None:
        """The response, where there was one."""
        return _capture(self.outcome)


def fetch_lines(url: Url, outcome: Outcome) -> Iterator[str]:
    """The same for a person, in the order in which it happened."""
    trail = outcome.trail
    yield f"url       {redacted(url)}"
    if trail.robots_rule:
        yield f"robots    {trail.robots_rule}"
    for wait in trail.waits:
        yield f"waited    {wait.seconds:g} s ({wait.reason})"
    for hop in trail.hops:
        yield f"hop       {hop.status} → {redacted(hop.location)}"
    yield f"requests  {trail.requests}" + (f", answered by {trail.address}" if trail.address else "")
    capture = _capture(outcome)
    if capture:
        yield f"status    {capture.status} (HTTP/{capture.http_version})"
        for name, value in capture.headers:
            yield f"header    {name}: {value}"
        yield f"body      {len(capture.body)} bytes, {capture.content_type or 'no type given'}"
    yield f"outcome   {OUTCOME_NAMES[type(outcome).__name__]}" + _because(outcome)


def _because(outcome: Outcome) -> str:
    match outcome:
        case Denied(denial, detail):
            return f" ({denial}): {detail}"
        case Failed(failure, detail):
            return f" ({failure}): {detail}"
        case TimedOut(phase, detail):
            return f" ({phase}): {detail}"
        case Deferred(until, detail):
            return f" until {until:%Y-%m-%d %H:%M:%S} UTC: {detail}"
        case RedirectedAway(target):
            return f" to {redacted(target)}"
        case _:
            return ""


def _reason(outcome: Outcome) -> str | None:
    match outcome:
        case Denied(denial):
            return denial.value
        case Failed(failure):
            return failure.value
        case TimedOut(phase):
            return phase
        case _:
            return None


def _capture(outcome: Outcome) -> Capture | None:
    return None if isinstance(outcome, (RedirectedAway, Denied, TimedOut, Deferred)) else outcome.capture
