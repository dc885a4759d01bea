"""What a response means: from its status to an outcome, and from an outcome to words.

2xx                        Fetched
304 to a conditional ask   NotModified
404, 410                   Gone
429, 502, 503, 504         Failed, and worth another try
3xx without a way on,
every other status         Failed
"""

from __future__ import annotations

from typing import Final, assert_never

from holdfast.core.capture import (
    Capture,
    Deferred,
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
from holdfast.core.redaction import redacted

__all__ = ["TRANSIENT_STATUSES", "conclude", "describe", "whole"]

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
