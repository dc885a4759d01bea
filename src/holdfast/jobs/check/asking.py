"""Putting the questions: so many at a time over all, each host at its own pace (TRK-4, TRK-12).

1. A host's URLs stand in one line, and are asked as its pace allows (`core.web.pace`). Waiting is done
   *outside* the shared slots: a slow host costs time, never a slot. Slots go round the hosts, so that a host
   gets a second one, and a second connection, only where the others leave it.
2. A host that asks for time is left alone for that time, and asked again for the same URL. One that asks for
   more than is waited is left for a later run: what is left of its line is put off, unasked.
3. A name that does not resolve and a connection that is refused answer for the rest of the line too; so do
   two connections in a row that were not made in time.
4. A host that a redirect leads to has its pace too: its turn is waited for, without a slot and in nobody's
   way, and what it says about its pace is its own.
5. Answers are handed over as they come.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import field
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Final

from holdfast.adapters.ports import Clock, Fetcher, FetchRequest
from holdfast.core.base.values import dataclass
from holdfast.core.url.hosts import HostRules
from holdfast.core.url.url import Url
from holdfast.core.web.capture import Deferred, Failed, Failure, Outcome, TimedOut, Trail
from holdfast.core.web.pace import HeldHost, HostPace, Outlook
from holdfast.core.web.retry import slowdown
from holdfast.jobs.check.planning import LinkAsk

if TYPE_CHECKING:
    from holdfast.jobs.check.options import Pacing

Answered = Callable[[LinkAsk, Outcome], Awaitable[None]]
_FAR_OFF: Final = 4e9
"""A century and more, in seconds: dates end somewhere."""
_UNMADE: Final = 2


@dataclass(slots=True)
class _Line:
    """One host: what is still to be asked of it, how fast, and what answers for it without being asked."""

    host: str
    pace: HostPace
    asks: deque[LinkAsk] = field(default_factory=deque)
    tries: dict[str, int] = field(default_factory=dict)
    answers: dict[str, Outcome] = field(default_factory=dict)
    unmade: int = 0
    ended: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(slots=True)
class _Trip:
    """One question under way: the line it came from, the line whose turn it has, since when, and whether it
    has a slot. Once it is `away`, somebody else serves the line it came from.
    """

    home: _Line
    line: _Line | None
    begun: float
    has_slot: bool = True
    away: bool = False


class _Slots:
    """So many at a time, first come, first served. asyncio's walks its whole line at each release."""

    def __init__(self, free: int) -> None:
        self._free = free
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def take(self) -> None:
        if self._free:
            self._free -= 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.give_back()
            raise

    def give_back(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1


class Asking:
    """One round of questions."""

    def __init__(
        self,
        fetcher: Fetcher,
        clock: Clock,
        pacing: Pacing,
        rules: HostRules,
        answered: Answered,
        *,
        obey_robots: bool,
        headers: tuple[tuple[str, str], ...] = (),
    ) -> None:
        self._headers = headers
        self._fetcher = fetcher
        self._clock = clock
        self._pacing = pacing
        self._rules = rules
        self._answered = answered
        self._obey_robots = obey_robots
        self._slots = _Slots(pacing.at_a_time)
        self._lines: dict[str, _Line] = {}
        self._group = asyncio.TaskGroup()

    async def ask(self, asks: Sequence[LinkAsk]) -> None:
        """Put all questions."""
        self._lines = {}
        for ask in asks:
            host = ask.url.host
            if host not in self._lines:
                self._lines[host] = _Line(host, HostPace(self._pacing.manner_of(host)))
            self._lines[host].asks.append(ask)
        lines = list(self._lines.values())
        async with asyncio.TaskGroup() as self._group:
            for abreast in range(max((line.pace.width for line in lines), default=0)):
                for line in lines:
                    if abreast < min(line.pace.width, len(line.asks)):
                        self._group.create_task(self._serve(line))

    def outlook(self) -> Outlook:
        """What is left, how long it takes at least, and which hosts are waited for."""
        now = self._clock.monotonic()
        lines = [line for line in self._lines.values() if line.asks]
        held = tuple(
            HeldHost(line.host, len(line.asks), seconds)
            for line in lines
            if (seconds := line.pace.held_for(now)) > 0
        )
        longest = max((line.pace.seconds_for(len(line.asks), now) for line in lines), default=0.0)
        return Outlook(sum(len(line.asks) for line in lines), longest, held)

    async def _serve(self, line: _Line) -> None:
        """Ask a line until it is empty, together with others that do the same."""
        while line.asks:
            now = self._clock.monotonic()
            if line.pace.is_left_for_later(now):
                await self._put_off(line)
                return
            if (known := _known(line, line.asks[0])) is not None:
                await self._answered(line.asks.popleft(), known)
                continue
            seconds = line.pace.wait(now)
            if seconds == float("inf"):
                line.ended.clear()
                await line.ended.wait()
            elif seconds > 0:
                await self._clock.sleep(seconds)
            elif (await self._take_a_turn(line)).away:
                return

    async def _take_a_turn(self, line: _Line) -> _Trip:
        await self._slots.take()
        trip = _Trip(line, line, self._clock.monotonic())
        try:
            # whoever waited for a slot may find that another took the turn, or that the line is answered
            if not line.asks or line.pace.wait(trip.begun) > 0 or _known(line, line.asks[0]):
                return trip
            ask = line.asks.popleft()
            line.pace.begin(trip.begun)
            outcome = await self._fetcher.fetch(self._request(ask, trip))
        finally:
            if trip.has_slot:
                self._slots.give_back()
        is_slowed = self._end_turn(trip, outcome)
        _learn(line, ask, outcome)
        if is_slowed and self._asks_again(line, ask):
            line.asks.appendleft(ask)
            if trip.away:
                self._group.create_task(self._serve(line))  # the others may have left it as empty
        else:
            await self._answered(ask, outcome)
        return trip

    def _end_turn(self, trip: _Trip, outcome: Outcome) -> bool:
        """Tell the host that answered last how it went; whether it asked for fewer requests."""
        now, line = self._clock.monotonic(), trip.line
        is_slowed, asked = self._slowdown(outcome)
        if line is None:
            return False
        if is_slowed:
            line.pace.slow_down(now, asked)
        else:
            line.pace.end(now, now - trip.begun)
        line.ended.set()
        return is_slowed

    async def _next_host(self, trip: _Trip, host: str) -> float | None:
        """End the turn at one host, and wait for another's; seconds if that asks for more than is waited."""
        now = self._clock.monotonic()
        if trip.line is not None:
            trip.line.pace.end(now, now - trip.begun)
            trip.line.ended.set()
        trip.line = None
        if not trip.away:
            trip.away = True
            self._group.create_task(self._serve(trip.home))
        line = self._lines.setdefault(host, _Line(host, HostPace(self._pacing.manner_of(host))))
        while True:
            if trip.has_slot:
                trip.has_slot = False
                self._slots.give_back()
            await self._wait_for(line)
            if line.pace.is_left_for_later(self._clock.monotonic()):
                return line.pace.held_for(self._clock.monotonic())
            await self._slots.take()
            trip.has_slot = True
            trip.begun = self._clock.monotonic()
            if line.pace.wait(trip.begun) <= 0:
                line.pace.begin(trip.begun)
                trip.line = line
                return None

    async def _wait_for(self, line: _Line) -> None:
        """Until a line may be asked, or is left for later."""
        while not line.pace.is_left_for_later(self._clock.monotonic()):
            seconds = line.pace.wait(self._clock.monotonic())
            if seconds == float("inf"):
                line.ended.clear()
                await line.ended.wait()
            elif seconds > 0:
                await self._clock.sleep(seconds)
            else:
                return

    def _slowdown(self, outcome: Outcome) -> tuple[bool, float | None]:
        if not isinstance(outcome, Failed) or outcome.capture is None:
            return False, None
        capture = outcome.capture
        return slowdown(capture.status, capture.header("retry-after"), self._clock.now())

    def _asks_again(self, line: _Line, ask: LinkAsk) -> bool:
        href = ask.url.href
        line.tries[href] = line.tries.get(href, 0) + 1
        later = line.pace.is_left_for_later(self._clock.monotonic())
        return line.tries[href] <= self._pacing.manner.tries and not later

    async def _put_off(self, line: _Line) -> None:
        """Hand back the rest of a line unasked, with the time to come back."""
        seconds = min(line.pace.held_for(self._clock.monotonic()), _FAR_OFF)
        until = self._clock.now() + timedelta(seconds=seconds)
        while line.asks:
            await self._answered(line.asks.popleft(), Deferred(until, f"{line.host} asked to wait", Trail()))

    def _admit(self, url: Url) -> str | None:
        return self._rules.refusal(url.host)

    def _request(self, ask: LinkAsk, trip: _Trip) -> FetchRequest:
        return FetchRequest(
            ask.url,
            etag=ask.node.validators.etag if ask.conditional else None,
            last_modified=ask.node.validators.last_modified if ask.conditional else None,
            admit=self._admit,
            obey_robots=self._obey_robots,
            headers=self._headers,
            turn=partial(self._next_host, trip),
        )


def _known(line: _Line, ask: LinkAsk) -> Outcome | None:
    """What answers for a URL before it is asked: the host has no address, or its port takes no connection."""
    if not line.answers:
        return None
    return line.answers.get(line.host) or line.answers.get(ask.url.origin)


def _learn(line: _Line, ask: LinkAsk, outcome: Outcome) -> None:
    match outcome:
        case Failed(failure=Failure.DNS, trail=trail) if not trail.hops:
            line.answers[line.host] = outcome
        case Failed(failure=Failure.CONNECT, trail=trail) if not trail.hops:
            line.answers[ask.url.origin] = outcome
        case TimedOut(phase="connect", trail=trail) if not trail.hops:
            line.unmade += 1
            if line.unmade >= _UNMADE:
                line.answers[ask.url.origin] = outcome
        case _:
            line.unmade = 0
