"""The robots.txt of each origin, asked once a run (MIR-13).

1. Whoever needs an origin's rules first asks for them; everybody else waits for that answer.
2. What could not be reached refuses for now and is asked again after a while, at the next need.
3. At most `_MOST` origins are remembered, the least recently learned forgotten first: memory is flat, and
   a file is asked twice only in a run over more hosts than that.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

from holdfast.core.capture import Fetched, Outcome
from holdfast.core.robots import RobotsReport, RobotsState, state_of
from holdfast.core.user_agent import PRODUCT
from holdfast.formats.robots import RobotsRules
from holdfast.ports import Clock

__all__ = ["Desk", "Known"]

_MOST: Final = 2_000
_ASK_AGAIN_AFTER: Final = 60.0


@dataclass(slots=True)
class Known:
    """What is known of one origin's robots.txt."""

    report: RobotsReport
    rules: RobotsRules | None
    stale_at: float


@dataclass(slots=True)
class _Place:
    known: Known | None = None
    asking: asyncio.Lock = field(default_factory=asyncio.Lock)


class Desk:
    """Where robots.txt is looked up."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._places: dict[str, _Place] = {}

    def known(self, origin: str) -> Known | None:
        """What is known and still holds, without asking anybody."""
        place = self._places.get(origin)
        if place is None or place.known is None or self._clock.monotonic() >= place.known.stale_at:
            return None
        return place.known

    async def learn(self, origin: str, ask: Callable[[], Awaitable[Outcome]]) -> Known:
        """Look an origin up, asking for its file if nobody has."""
        place = self._places.get(origin)
        if place is None:
            place = self._places[origin] = _Place()
            self._forget_old()
        async with place.asking:
            known = self.known(origin)
            if known is None:
                known = place.known = self._read(origin, await ask())
            return known

    def _read(self, origin: str, outcome: Outcome) -> Known:
        state, detail = state_of(outcome)
        if state is RobotsState.UNREACHABLE:
            return Known(
                RobotsReport(origin, state, detail), None, self._clock.monotonic() + _ASK_AGAIN_AFTER
            )
        if not isinstance(outcome, Fetched):
            return Known(RobotsReport(origin, state, detail), None, float("inf"))
        rules = RobotsRules.of_bytes(outcome.capture.body, PRODUCT)
        report = RobotsReport(origin, state, detail, rules.crawl_delay, rules.sitemaps)
        return Known(report, rules, float("inf"))

    def _forget_old(self) -> None:
        while len(self._places) > _MOST:
            idle = next((o for o, place in self._places.items() if not place.asking.locked()), None)
            if idle is None:
                return
            del self._places[idle]
