"""Turns per host, in real time: the lanes of `core.web.pace`, and waiting for them.

Whoever ends a turn hands it to the next in line, where the lane allows it at once; a lane that must pause
wakes its front, who sleeps. So no task is woken in vain, and nobody needs a task of their own to be woken by.
"""

from __future__ import annotations

from asyncio import Future, get_running_loop
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from holdfast.core.web.capture import Wait
from holdfast.core.web.pace import GO, Go, InLine, Lane, Pace, SentAway, Sleep

if TYPE_CHECKING:
    from holdfast.adapters.ports import Clock


_MANY_LANES: Final = 4096
_WORTH_TELLING: Final = 0.001
"""Waits under a millisecond are the machine's, not the host's."""


class _Ticket:
    """A place in line; `granted` once the turn is its own."""

    __slots__ = ("granted", "wakes")

    def __init__(self) -> None:
        self.granted = False
        self.wakes: Future[None] | None = None

    def wake(self) -> None:
        if self.wakes is not None and not self.wakes.done():
            self.wakes.set_result(None)


class HostTurns:
    """Where every request takes its turn."""

    def __init__(self, clock: Clock, pace: Pace) -> None:
        self._clock = clock
        self._pace = pace
        self._lanes: dict[str, Lane[_Ticket]] = {}
        self._sweep_at = _MANY_LANES

    async def enter(self, host: str, tell: Callable[[Wait], None]) -> float | None:
        """Wait for a turn; it must be given back with `leave`. Seconds mean: not now, come back then."""
        lane = self._lane(host)
        if lane.is_open(self._clock.monotonic()):
            lane.begin()
            return None
        return await self._stand_in_line(lane, tell)

    def leave(self, host: str) -> None:
        """A response ended, or failed to come."""
        lane = self._lanes[host]
        lane.end(self._clock.monotonic())
        self._call(lane)

    def hold(self, host: str, seconds: float, reason: str) -> None:
        """Stop a host's lane for so long."""
        self._lane(host).hold(self._clock.monotonic() + seconds, reason)

    def slow_to(self, host: str, crawl_delay: float) -> None:
        """Honour a host's `Crawl-delay`."""
        self._lane(host).slow_to(crawl_delay)

    async def _stand_in_line(self, lane: Lane[_Ticket], tell: Callable[[Wait], None]) -> float | None:
        ticket = _Ticket()
        lane.join(ticket)
        taken = False
        try:
            while True:
                since = self._clock.monotonic()
                match lane.turn(ticket, since):
                    case Go():
                        lane.begin(ticket)
                        taken = True
                        return None
                    case SentAway(seconds):
                        return seconds
                    case Sleep(seconds, reason):
                        await self._clock.sleep(seconds)
                    case InLine():
                        reason = "queue"
                        ticket.wakes = get_running_loop().create_future()
                        await ticket.wakes
                waited = self._clock.monotonic() - since
                if waited >= _WORTH_TELLING:
                    tell(Wait(round(waited, 3), reason))
                if ticket.granted:
                    taken = True
                    return None
        finally:
            if not taken:
                self._give_up(lane, ticket)

    def _give_up(self, lane: Lane[_Ticket], ticket: _Ticket) -> None:
        """Leave the line, or, cancelled between being handed a turn and taking it, hand it on."""
        if ticket.granted:
            lane.end(self._clock.monotonic())
        else:
            lane.leave(ticket)
        self._call(lane)

    def _call(self, lane: Lane[_Ticket]) -> None:
        while (ticket := lane.next_up) is not None:
            if lane.turn(ticket, self._clock.monotonic()) is not GO:
                ticket.wake()
                return
            lane.begin(ticket)
            ticket.granted = True
            ticket.wake()

    def _lane(self, host: str) -> Lane[_Ticket]:
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
