"""Virtual time: it passes when somebody sleeps, and takes none."""

from __future__ import annotations

import asyncio
import heapq
from datetime import UTC, datetime, timedelta

__all__ = ["MemoryClock"]


class MemoryClock:
    """The `Clock` port, a day in milliseconds.

    Sleepers wake in the order in which they are due. Time jumps to the next one due as soon as whatever
    else can run has run once; it does not wait for sockets.
    """

    def __init__(self, start: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self._start = start
        self._elapsed = 0.0
        self._count = 0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []

    def now(self) -> datetime:
        """The time of day."""
        return self._start + timedelta(seconds=self._elapsed)

    def monotonic(self) -> float:
        """Seconds slept so far."""
        return self._elapsed

    async def sleep(self, seconds: float) -> None:
        """Let virtual time pass."""
        loop = asyncio.get_running_loop()
        waker = loop.create_future()
        self._count += 1
        heapq.heappush(self._sleepers, (self._elapsed + max(0.0, seconds), self._count, waker))
        loop.call_later(0, self._wake_next)  # each sleeper brings one wake-up, for whoever is due first
        await waker

    def pass_time(self, seconds: float) -> None:
        """Let time pass without anybody sleeping."""
        self._elapsed += seconds

    def _wake_next(self) -> None:
        while self._sleepers:
            due, _, waker = heapq.heappop(self._sleepers)
            if not waker.done():  # a sleeper that was cancelled is done
                self._elapsed = max(self._elapsed, due)
                waker.set_result(None)
                return
