"""A fetcher that asks a host only while its run has the host's lane (CLU-3): one owner a host, everywhere.

1. A lane is given back after a while, when it was not used for a while, and when the run ends, with the pause
   that the next one has to keep: runs that want the same host take turns.
2. Whoever waits for a lane gives back those that it does not use: none waits for another that waits for it.
3. Where the server is lost, lanes are not given back: their leases end soon by themselves. Whoever asks for
   the next lane is told.
4. Where a redirect leads to another host, the first lane is left, and that host's is entered.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import field, replace
from typing import TYPE_CHECKING, Final, TypeVar

from holdfast.core.base.errors import LedgerError
from holdfast.core.base.values import dataclass
from holdfast.core.lineage.shared_jobs import JobLease
from holdfast.core.url.url import Url
from holdfast.core.web.capture import Outcome
from holdfast.core.web.robots import RobotsReport

if TYPE_CHECKING:
    from holdfast.adapters.ports import Clock, Fetcher, FetchRequest
    from holdfast.storage.postgres.job_queue import JobTable

T = TypeVar("T")
_TURN: Final = 30.0
_UNUSED: Final = 10.0
_ASK_AGAIN: Final = 0.5


@dataclass(slots=True)
class _Lane:
    """A host's lane: since when it is ours (None: it is not), how many of ours are at the host, and since
    when none is. `entry` lets one in at a time.
    """

    since: float | None = None
    asking: int = 0
    unused_since: float = 0.0
    entry: asyncio.Lock = field(default_factory=asyncio.Lock)
    empty: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def is_unused(self) -> bool:
        return self.since is not None and not self.asking and not self.entry.locked()


class LanedFetcher:
    """The `Fetcher` port of a run among others. `pause` is how long a host has peace between two owners."""

    def __init__(
        self,
        fetcher: Fetcher,
        table: JobTable,
        lease: JobLease,
        clock: Clock,
        *,
        seconds: float,
        pause: float,
    ) -> None:
        self._fetcher, self._table, self._lease, self._clock = fetcher, table, lease, clock
        self._seconds, self._pause = seconds, pause
        self._lanes: defaultdict[str, _Lane] = defaultdict(_Lane)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="lanes")
        self._sweeping: asyncio.Task[None] | None = None

    async def fetch(self, request: FetchRequest) -> Outcome:
        """Ask, once the lane is ours."""
        at = request.url.host
        await self._enter(at)

        async def turn(host: str) -> float | None:
            nonlocal at
            self._leave(at)
            at = ""
            await self._enter(host)
            at = host
            return await request.turn(host) if request.turn is not None else None

        try:
            return await self._fetcher.fetch(replace(request, turn=turn))
        finally:
            if at:
                self._leave(at)

    async def robots(self, url: Url, *, named_by_user: bool = False) -> RobotsReport:
        """The robots.txt of a URL's origin, once the lane is ours."""
        await self._enter(url.host)
        try:
            return await self._fetcher.robots(url, named_by_user=named_by_user)
        finally:
            self._leave(url.host)

    async def close(self) -> None:
        """Give all lanes back, and close the connections."""
        if self._sweeping is not None:
            self._sweeping.cancel()
        with suppress(LedgerError):
            for host, lane in self._lanes.items():
                if lane.since is not None:
                    await self._give(host, lane)
        self._thread.shutdown()
        self._table.close()
        await self._fetcher.close()

    async def _enter(self, host: str) -> None:
        if self._sweeping is None:
            self._sweeping = asyncio.create_task(self._sweep())
        lane = self._lanes[host]
        async with lane.entry:
            if lane.since is not None and self._clock.monotonic() - lane.since > _TURN:
                while lane.asking:  # nobody of ours comes in any more: others shall have a turn
                    lane.empty.clear()
                    await lane.empty.wait()
                await self._give(host, lane)
                await self._clock.sleep(_ASK_AGAIN)
            while lane.since is None:
                wait = await self._on_thread(lambda: self._table.take_lane(host, self._lease, self._seconds))
                if wait is None:
                    await self._give_unused(0.0)
                    await self._clock.sleep(_ASK_AGAIN)
                    continue
                lane.since = self._clock.monotonic()
                await self._clock.sleep(wait)
            lane.asking += 1

    def _leave(self, host: str) -> None:
        lane = self._lanes[host]
        lane.asking -= 1
        lane.unused_since = self._clock.monotonic()
        if not lane.asking:
            lane.empty.set()

    async def _sweep(self) -> None:
        """While the run lasts: give back the lanes that it no longer uses."""
        with suppress(LedgerError):
            while True:
                await self._clock.sleep(_ASK_AGAIN)
                await self._give_unused(_UNUSED)

    async def _give_unused(self, seconds: float) -> None:
        """Give back what nobody here has used for so long, or is about to use."""
        for host, lane in list(self._lanes.items()):
            if lane.is_unused and self._clock.monotonic() - lane.unused_since >= seconds:
                await self._give(host, lane)

    async def _give(self, host: str, lane: _Lane) -> None:
        lane.since = None
        await self._on_thread(lambda: self._table.give_lane(host, self._lease, self._pause))

    async def _on_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)
