"""Turns per host, in real time: the lanes of `core.politeness`, and waiting for them."""

from __future__ import annotations

from asyncio import Event
from collections.abc import Callable
from typing import Final

from holdfast.core.capture import Wait
from holdfast.core.politeness import Go, InLine, Lane, Pace, SentAway, Sleep
from holdfast.ports import Clock

__all__ = ["Gate"]

_MANY_LANES: Final = 4096
_WORTH_TELLING: Final = 0.001
"""Waits under a millisecond are the machine's, not the host's."""


class Gate:
    """Where every request takes its turn."""

    def __init__(self, clock: Clock, pace: Pace) -> None:
        self._clock = clock
        self._pace = pace
        self._lanes: dict[str, Lane[Event]] = {}
        self._sweep_at = _MANY_LANES

    async def enter(self, host: str, tell: Callable[[Wait], None]) -> float | None:
        """Wait for a turn; it must be given back with `leave`. Seconds mean: not now, come back then."""
        lane = self._lane(host)
        if lane.is_open(self._clock.monotonic()):
            lane.begin()
            return None
        ticket = Event()
        lane.join(ticket)
        began = False
        try:
            while True:
                before = self._clock.monotonic()
                match lane.turn(ticket, before):
                    case Go():
                        lane.begin(ticket)
                        began = True
                        return None
                    case SentAway(seconds):
                        return seconds
                    case Sleep(seconds, reason):
                        await self._clock.sleep(seconds)
                    case InLine():
                        reason = "queue"
                        await ticket.wait()
                        ticket.clear()
                waited = self._clock.monotonic() - before
                if waited >= _WORTH_TELLING:
                    tell(Wait(round(waited, 3), reason))
        finally:
            if not began:
                lane.leave(ticket)
            _call(lane)

    def leave(self, host: str) -> None:
        """A response ended, or failed to come."""
        lane = self._lanes[host]
        lane.end(self._clock.monotonic())
        _call(lane)

    def hold(self, host: str, seconds: float, reason: str) -> None:
        """Stop a host's lane for so long."""
        self._lane(host).hold(self._clock.monotonic() + seconds, reason)

    def slow_to(self, host: str, crawl_delay: float) -> None:
        """Honour a host's `Crawl-delay`."""
        self._lane(host).slow_to(crawl_delay)

    def _lane(self, host: str) -> Lane[Event]:
        lane = self._lanes.get(host)
        if lane is None:
            if len(self._lanes) >= self._sweep_at:
                self._sweep()
            lane = self._lanes[host] = Lane(self._pace)
        return lane

    def _sweep(self) -> None:
        now = self._clock.monotonic()
        self._lanes = {host: lane for host, lane in self._lanes.items() if not lane.is_forgettable(now)}
        self._sweep_at = max(_MANY_LANES, 2 * len(self._lanes))


def _call(lane: Lane[Event]) -> None:
    ticket = lane.next_up
    if ticket is not None:
        ticket.set()
