"""Whose turn it is, and how fast a host is asked: two state machines over a clock that is handed in.

One lane per host (MIR-3):

1. Every request to a host takes a turn in its lane: pages, robots, sitemaps, hops, retries.
2. A turn begins no sooner than `pause` seconds after the end of the last response. A longer `Crawl-delay`
   takes the pause's place.
3. One at a time. Only while the pause is zero (the limit is off) up to `width` run side by side.
4. First come, first served: only the front of the line may begin.
5. A hold (`Retry-After`, backoff) stops the whole lane until it is over. A hold further away than
   `longest_wait`, or any wait beyond an hour, is not waited for: the front of the line is sent away with
   the time to come back.
6. A lane that nobody is in, whose pause and hold are over, can be forgotten.

The pace at which one host is asked for cited pages (TRK-12):

7. It begins `pause` seconds apart, `width` at a time. A pace that does not adapt (the user named a rate)
   runs its pause from the end of the last response, one at a time, and never gets faster.
8. Slower: an answer of 429, or of 503 with a time to wait, and responses that take four times as long as
   the fastest and half a second at least. The pause doubles, up to ten seconds, and one is asked at a time.
9. Faster: ten good answers in a row halve the pause, down to where it began, and give the width back.
10. `Retry-After` holds the host; without one the hold is 1, 2, 4, … seconds. Whoever has other hosts asks
    them meanwhile. A hold beyond `patience`, or holds that sum to more than `patience_sum`, are left for a
    later run.
11. Two answers to requests that ran side by side are one wish to slow down.

Times are seconds of one monotonic clock. A ticket is whatever the caller uses to wake a waiter.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from typing import Final, Generic, NamedTuple, TypeVar

from holdfast.core.base.values import dataclass

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


_GROWN: Final = 4.0
_WORTH_SLOWING: Final = 0.5
_GOOD_IN_A_ROW: Final = 10
_SLOWEST: Final = 10.0
_FIRST_STEP: Final = 4.0
_WEIGHT: Final = 0.3
_NEVER: Final = float("-inf")


@dataclass(frozen=True, slots=True)
class HostManner:
    """How hosts are asked at first, and how long is waited for one that asks for time."""

    pause: float = 0.05
    width: int = 2
    adapts: bool = True
    patience: float = 60.0
    patience_sum: float = 180.0
    tries: int = 4


class HeldHost(NamedTuple):
    """A host that asked for time: how many of its URLs are left, and for how many seconds it is held."""

    host: str
    left: int
    seconds: float


class Outlook(NamedTuple):
    """What is left of a run: URLs, the seconds that the paces allow it in, and the hosts that are held."""

    left: int
    seconds: float
    held: tuple[HeldHost, ...] = ()


class HostPace:
    """The pace of one host."""

    __slots__ = (
        "_ended", "_fastest", "_good", "_held", "_manner", "_ready", "_running", "_slowdowns", "_smoothed",
        "_waited", "pause", "width",
    )  # fmt: skip

    def __init__(self, manner: HostManner) -> None:
        self._manner = manner
        self.pause = manner.pause
        self.width = manner.width if manner.adapts or not manner.pause else 1
        self._ready = self._held = self._ended = _NEVER
        self._running = self._good = self._slowdowns = 0
        self._fastest = self._smoothed = self._waited = 0.0

    def wait(self, now: float) -> float:
        """Seconds until the next request may begin; endless while as many run as may."""
        if self._running >= self.width:
            return float("inf")
        return max(self._ready - now, self._held - now, 0.0)

    def held_for(self, now: float) -> float:
        """Seconds for which the host asked not to be asked."""
        return max(self._held - now, 0.0)

    def is_left_for_later(self, now: float) -> bool:
        """Whether the host asked for more time than a run waits."""
        return self.held_for(now) > self._manner.patience or self._waited > self._manner.patience_sum

    def seconds_for(self, urls: int, now: float) -> float:
        """The least time that so many more URLs take."""
        each = max(self.pause, self._smoothed / self.width) if self._manner.adapts else self._whole_turn
        return self.held_for(now) + urls * each

    def begin(self, now: float) -> None:
        """A request goes out."""
        self._running += 1
        if self._manner.adapts:
            self._ready = now + self.pause

    def end(self, now: float, took: float) -> None:
        """A response came, or failed to come, after so many seconds."""
        self._finish(now)
        self._fastest = min(self._fastest or took, took)
        self._smoothed += _WEIGHT * (took - self._smoothed) if self._smoothed else took
        if not self._manner.adapts:
            return
        if self._smoothed > max(_GROWN * self._fastest, _WORTH_SLOWING):
            self._slower()
            self._smoothed = self._fastest  # judged anew at the new pace
            return
        self._good += 1
        if self._good >= _GOOD_IN_A_ROW:
            self._faster()

    def slow_down(self, now: float, asked: float | None) -> None:
        """A response asked for fewer requests, and for so many seconds if it named them."""
        self._finish(now)
        if now >= self._held:
            self._slowdowns += 1
            self._slower()
        hold = asked if asked is not None else 2.0 ** min(self._slowdowns - 1, 6)
        until = max(self._held, now + hold)
        self._waited += until - max(self._held, now)
        self._held = until

    def _finish(self, now: float) -> None:
        self._running -= 1
        self._ended = now
        if not self._manner.adapts:
            self._ready = now + self.pause

    def _slower(self) -> None:
        if self._manner.adapts:
            self.pause = min(max(2 * self.pause, _FIRST_STEP * self._manner.pause), _SLOWEST)
            self.width = 1
        self._good = 0

    def _faster(self) -> None:
        self._good = 0
        self.pause = max(self.pause / 2, self._manner.pause)
        if self.pause == self._manner.pause:
            self.width = self._manner.width

    @property
    def _whole_turn(self) -> float:
        return (self.pause + self._smoothed) / self.width
