"""Whose turn it is: one lane per host, a state machine over a clock that is handed in (MIR-3).

1. Every request to a host takes a turn in its lane: pages, robots, sitemaps, hops, retries.
2. A turn begins no sooner than `pause` seconds after the end of the last response. A longer `Crawl-delay`
   takes the pause's place.
3. One at a time. Only while the pause is zero (the limit is off) up to `width` run side by side.
4. First come, first served: only the front of the line may begin.
5. A hold (`Retry-After`, backoff) stops the whole lane until it is over. A hold further away than
   `longest_wait`, or any wait beyond an hour, is not waited for: the front of the line is sent away with
   the time to come back.
6. A lane that nobody is in, whose pause and hold are over, can be forgotten.

Times are seconds of one monotonic clock. A ticket is whatever the caller uses to wake a waiter.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from typing import Final, Generic, TypeVar

from holdfast.core.values import dataclass

__all__ = ["GO", "IN_LINE", "Go", "InLine", "Lane", "Pace", "SentAway", "Sleep", "Turn"]

Ticket = TypeVar("Ticket", bound=Hashable)


_AN_HOUR: Final = 3600.0


@dataclass(frozen=True, slots=True)
class Pace:
    """How a host is asked."""

    pause: float = 1.0
    width: int = 8
    longest_wait: float = 60.0

    @classmethod
    def of_rate(cls, requests_per_second: float, width: int, longest_wait: float) -> Pace:
        """The pace of `content_rate_limit`: 0.5 is a pause of 2 s, 0 is none."""
        return cls(1 / requests_per_second if requests_per_second else 0.0, width, longest_wait)


@dataclass(frozen=True, slots=True)
class Go:
    """It is your turn."""


@dataclass(frozen=True, slots=True)
class InLine:
    """Somebody is before you, or running: you will be woken."""


@dataclass(frozen=True, slots=True)
class Sleep:
    """You are the front: come back after so many seconds; `reason` is why."""

    seconds: float
    reason: str


@dataclass(frozen=True, slots=True)
class SentAway:
    """The lane is held for longer than anybody waits."""

    seconds: float


Turn = Go | InLine | Sleep | SentAway

GO: Final = Go()
IN_LINE: Final = InLine()


class Lane(Generic[Ticket]):
    """One host's line."""

    __slots__ = ("_crawl_delay", "_ended", "_held", "_hold_reason", "_line", "_pace", "_ready_at", "_running")

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._crawl_delay = 0.0
        self._ended = float("-inf")
        self._held = float("-inf")
        self._hold_reason = ""
        self._ready_at = float("-inf")
        self._running = 0
        self._line: deque[Ticket] = deque()

    @property
    def pause(self) -> float:
        """Seconds between the end of a response and the next request."""
        return max(self._pace.pause, self._crawl_delay)

    @property
    def width(self) -> int:
        """How many may run side by side."""
        return self._pace.width if self.pause == 0 else 1

    @property
    def next_up(self) -> Ticket | None:
        """Who is to be woken when something changed: the front of the line, if there is room."""
        return self._line[0] if self._line and self._running < self.width else None

    def is_open(self, now: float) -> bool:
        """Whether somebody who comes now may begin at once."""
        return now >= self._ready_at and not self._line and self._running < self.width

    def join(self, ticket: Ticket) -> None:
        """Stand at the end of the line."""
        self._line.append(ticket)

    def leave(self, ticket: Ticket) -> None:
        """Leave the line without a turn."""
        self._line.remove(ticket)

    def turn(self, ticket: Ticket, now: float) -> Turn:
        """What somebody in the line is to do now."""
        if self._line[0] != ticket or self._running >= self.width:
            return IN_LINE
        if now >= self._ready_at:
            return GO
        wait = self._ready_at - now
        if self._held - now > self._pace.longest_wait or wait > _AN_HOUR:
            return SentAway(wait)
        return Sleep(wait, self._reason)

    def begin(self, ticket: Ticket | None = None) -> None:
        """A turn begins; whoever stood in line for it leaves the line."""
        if ticket is not None:
            self._line.remove(ticket)
        self._running += 1

    def end(self, now: float) -> None:
        """A response ended, or failed to come."""
        self._running -= 1
        self._ended = now
        self._settle()

    def hold(self, until: float, reason: str) -> None:
        """Stop the lane; a hold is never shortened."""
        if until > self._held:
            self._held = until
            self._hold_reason = reason
            self._settle()

    def slow_to(self, crawl_delay: float) -> None:
        """Honour a `Crawl-delay`; of several the longest."""
        if crawl_delay > self._crawl_delay:
            self._crawl_delay = crawl_delay
            self._settle()

    def is_forgettable(self, now: float) -> bool:
        """Whether a new lane would behave the same."""
        return now >= self._ready_at and not self._line and not self._running

    def _settle(self) -> None:
        self._ready_at = max(self._ended + self.pause, self._held)

    @property
    def _reason(self) -> str:
        if self._held >= self._ended + self.pause:
            return self._hold_reason
        return "crawl-delay" if self._crawl_delay > self._pace.pause else "delay"
