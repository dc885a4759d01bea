"""A fetcher that asks a host only while its run has the host's lane (CLU-3): one owner a host, everywhere.

A lane is given back after a while, or when the run ends, with the pause that the next one has to keep: runs
that want the same host take turns, and none waits for another that waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from holdfast.adapters.postgres.jobs import JobTable
from holdfast.core.capture import Outcome
from holdfast.core.job import JobLease
from holdfast.core.robots import RobotsReport
from holdfast.core.url import Url
from holdfast.ports import Clock, Fetcher, FetchRequest

__all__ = ["LanedFetcher"]

T = TypeVar("T")
_TURN: Final = 30.0
_ASK_AGAIN: Final = 0.5


class LanedFetcher:
    """The `Fetcher` port of a run among others. `pause` is how long a host has peace between two owners."""

    def __init__(
        self,
        fetcher: Fetcher,
        lanes: JobTable,
        lease: JobLease,
        clock: Clock,
        *,
        seconds: float,
        pause: float,
    ) -> None:
        self._fetcher, self._lanes, self._lease, self._clock = fetcher, lanes, lease, clock
        self._seconds, self._pause = seconds, pause
        self._since: dict[str, float] = {}
        self._asking: dict[str, int] = {}
        self._turns: dict[str, asyncio.Lock] = {}
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="lanes")

    async def fetch(self, request: FetchRequest) -> Outcome:
        """Ask, once the lane is ours."""
        await self._enter(request.url.host)
        try:
            return await self._fetcher.fetch(request)
        finally:
            self._asking[request.url.host] -= 1

    async def robots(self, url: Url, *, named_by_user: bool = False) -> RobotsReport:
        """The robots.txt of a URL's origin, once the lane is ours."""
        await self._enter(url.host)
        try:
            return await self._fetcher.robots(url, named_by_user=named_by_user)
        finally:
            self._asking[url.host] -= 1

    async def close(self) -> None:
        """Give all lanes back, and let go of connections."""
        for host in list(self._since):
            await self._give(host)
        self._thread.shutdown()
        self._lanes.close()
        await self._fetcher.close()

    async def _enter(self, host: str) -> None:
        async with self._turns.setdefault(host, asyncio.Lock()):
            if self._is_long_held(host):
                await self._give(host)
                await self._clock.sleep(_ASK_AGAIN)
            while host not in self._since:
                wait = await self._on_thread(lambda: self._lanes.take_lane(host, self._lease, self._seconds))
                if wait is None:
                    await self._clock.sleep(_ASK_AGAIN)
                    continue
                self._since[host] = self._clock.monotonic()
                await self._clock.sleep(wait)
            self._asking[host] = self._asking.get(host, 0) + 1

    def _is_long_held(self, host: str) -> bool:
        """Whether others should have a turn: nothing of ours is on its way there."""
        since = self._since.get(host)
        is_long = since is not None and self._clock.monotonic() - since > _TURN
        return is_long and not self._asking.get(host)

    async def _give(self, host: str) -> None:
        del self._since[host]
        await self._on_thread(lambda: self._lanes.give_lane(host, self._lease, self._pause))

    async def _on_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)
