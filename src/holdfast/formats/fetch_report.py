"""What a fetch came to, as `holdfast fetch` tells it: a JSON document, or lines for a person.

URLs are shown with secrets in their query taken out; what Holdfast added for an origin was never in.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from holdfast.core.capture import Capture, Deferred, Denied, Failed, Outcome, RedirectedAway, TimedOut
from holdfast.core.redaction import redacted
from holdfast.core.url import Url

__all__ = ["SCHEMA", "fetch_document", "fetch_lines"]

SCHEMA: Final = "holdfast.fetch/1"

_NAMES: Final = {
    "Fetched": "fetched",
    "NotModified": "not_modified",
    "RedirectedAway": "redirected_away",
    "Denied": "refused",
    "Gone": "gone",
    "Failed": "failed",
    "TimedOut": "timed_out",
    "Deferred": "deferred",
}


def fetch_document(url: Url, outcome: Outcome) -> dict[str, Any]:
    """The JSON document; keys that do not apply are null."""
    trail = outcome.trail
    capture = _capture(outcome)
    return {
        "schema": SCHEMA,
        "url": redacted(url),
        "outcome": _NAMES[type(outcome).__name__],
        "reason": _reason(outcome),
        "detail": getattr(outcome, "detail", None),
        "until": outcome.until.isoformat() if isinstance(outcome, Deferred) else None,
        "hops": [
            {"url": redacted(hop.url), "status": hop.status, "location": redacted(hop.location)}
            for hop in trail.hops
        ],
        "waits": [{"seconds": wait.seconds, "reason": wait.reason} for wait in trail.waits],
        "requests": trail.requests,
        "robots_rule": trail.robots_rule,
        "address": trail.address,
        "response": _response(capture) if capture else None,
    }


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
    yield f"outcome   {_NAMES[type(outcome).__name__]}" + _because(outcome)


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


def _response(capture: Capture) -> dict[str, Any]:
    return {
        "url": redacted(capture.final),
        "status": capture.status,
        "http_version": capture.http_version,
        "fetched_at": capture.fetched_at.isoformat(),
        "content_type": capture.content_type or None,
        "bytes": len(capture.body),
        "headers": [[name, value] for name, value in capture.headers],
    }
