"""The robots.txt of each origin, asked once a run (MIR-13).

1. Whoever needs an origin's rules first asks for them; everybody else waits for that answer.
2. What could not be reached refuses for now and is asked again after a while, at the next need. What
   the address guard refused was not asked at all, and is not remembered.
3. At most `_MOST` origins and `_MOST_BYTES` of rules are remembered, the least recently learned forgotten
   first: memory is flat, and a file is asked twice only in a run over more hosts than that.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import field
from typing import TYPE_CHECKING, Final

from holdfast.core.base.values import dataclass
from holdfast.core.web.capture import Denied, Failed, Fetched, Outcome, TimedOut
from holdfast.core.web.robots import PRODUCT, RobotsReport, RobotsState, state_of, unreached
from holdfast.core.web.robots_rules import RobotsRules

if TYPE_CHECKING:
    from holdfast.adapters.ports import Clock

_MOST: Final = 2_000
_MOST_BYTES: Final = 16 * 1024 * 1024
_ASK_AGAIN_AFTER: Final = 60.0


@dataclass(slots=True)
class KnownRobots:
    """What is known of one origin's robots.txt."""

    report: RobotsReport
    stale_at: float
    rules: RobotsRules | None = None
    unreached: Denied | Failed | TimedOut | None = None
    size: int = 0


@dataclass(slots=True)
class _Place:
    known: KnownRobots | None = None
    asking: asyncio.Lock = field(default_factory=asyncio.Lock)


class RobotsCache:
    """Where robots.txt is looked up."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._places: dict[str, _Place] = {}
        self._bytes = 0

    def known(self, origin: str) -> KnownRobots | None:
        """What is known and still holds, without asking anybody."""
        place = self._places.get(origin)
        if place is None or place.known is None or self._clock.monotonic() >= place.known.stale_at:
            return None
        return place.known

    async def learn(self, origin: str, ask: Callable[[], Awaitable[Outcome]]) -> KnownRobots:
        """Look an origin up, asking for its file if nobody has."""
        place = self._places.get(origin)
        if place is None:
            place = self._places[origin] = _Place()
        async with place.asking:
            known = self.known(origin)
            if known is None:
                known = self._read(origin, await ask())
                self._bytes += known.size - (place.known.size if place.known else 0)
                place.known = known
                self._forget_old(origin)
            return known

    def _read(self, origin: str, outcome: Outcome) -> KnownRobots:
        state, detail = state_of(outcome)
        now = self._clock.monotonic()
        if state is RobotsState.UNREACHABLE:
            stale_at = now if isinstance(outcome, Denied) else now + _ASK_AGAIN_AFTER
            return KnownRobots(RobotsReport(origin, state, detail), stale_at, unreached=unreached(outcome))
        if not isinstance(outcome, Fetched):
            return KnownRobots(RobotsReport(origin, state, detail), float("inf"))
        body = outcome.capture.body
        rules = RobotsRules.of_bytes(body, PRODUCT)
        report = RobotsReport(origin, state, detail, rules.crawl_delay, rules.sitemaps)
        return KnownRobots(report, float("inf"), rules, size=len(body))

    def _forget_old(self, newest: str) -> None:
        if len(self._places) <= _MOST and self._bytes <= _MOST_BYTES:
            return
        for origin, place in list(self._places.items()):
            if len(self._places) <= _MOST and self._bytes <= _MOST_BYTES:
                return
            if origin != newest and not place.asking.locked():
                self._bytes -= place.known.size if place.known else 0
                del self._places[origin]
