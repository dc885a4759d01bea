"""What happened when a URL was asked for, as `holdfast url probe` tells it: value, words, JSON.

URLs are shown with secrets in their query taken out; what Holdfast added for an origin was never in.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final, NamedTuple

from holdfast.core.base.json_shape import (
    COUNT,
    DATE_TIME,
    INTEGER,
    NUMBER,
    TEXT,
    Schema,
    array,
    at,
    described,
    limited,
    one_of,
    optional,
    record,
    tuple_of,
)
from holdfast.core.url.redaction import redacted
from holdfast.core.url.url import Url
from holdfast.core.web.capture import Capture, Deferred, Denied, Failed, Outcome, RedirectedAway, TimedOut

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
    """What was asked for and how it ended, as `holdfast url probe` tells it."""

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


_RESPONSE: Final = record(
    url=at(lambda capture: redacted(capture.final), described(TEXT, "Who answered, after the hops.")),
    status=INTEGER,
    http_version=TEXT,
    fetched_at=DATE_TIME,
    content_type=at(lambda capture: capture.content_type or None, optional(TEXT)),
    bytes=at(lambda capture: len(capture.body), described(COUNT, "Of the body, content codings undone.")),
    headers=array(tuple_of(TEXT, TEXT)),
)
_REASON: Final = "The denial, the failure, or the phase of a time-out: one word of a closed set."

URL_PROBE: Final = Schema(
    "url-probe",
    "What `holdfast url probe --json` prints. URLs are shown with secrets in their query taken out.",
    record(
        url=at(lambda told: redacted(told.url), described(TEXT, "What was asked for.")),
        outcome=at("name", one_of(OUTCOME_NAMES.values())),
        reason=described(optional(TEXT), _REASON),
        detail=described(optional(TEXT), "The same in words."),
        until=described(optional(DATE_TIME), "For `deferred`."),
        hops=at(
            "outcome.trail.hops",
            array(
                record(
                    url=at(lambda hop: redacted(hop.url), TEXT),
                    status=INTEGER,
                    location=at(lambda hop: redacted(hop.location), TEXT),
                )
            ),
        ),
        waits=at(
            "outcome.trail.waits",
            array(
                record(
                    seconds=limited(NUMBER, minimum=0),
                    reason=one_of(("queue", "delay", "crawl-delay", "retry-after", "backoff")),
                )
            ),
        ),
        requests=at("outcome.trail.requests", COUNT),
        robots_rule=at("outcome.trail.robots_rule", optional(TEXT)),
        address=at("outcome.trail.address", described(optional(TEXT), "The address that answered.")),
        response=at("capture", optional(_RESPONSE)),
    ),
)
