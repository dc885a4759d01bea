"""Virtual time: it passes when somebody sleeps, and takes none."""

from __future__ import annotations

import asyncio
import heapq
from datetime import UTC, datetime, timedelta
from typing import Final

__all__ = ["MemoryClock"]


_PATIENCE: Final = 8
"""Rounds of the loop that whatever was woken, or is ready, gets before time moves on."""


class MemoryClock:
    """The `Clock` port, a day in milliseconds.

    Sleepers wake one by one, in the order in which they are due, each once those before it have had their
    run. Time does not wait for sockets: a task that is busy with one finds that it has passed.
    """

    def __init__(self, start: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self._start = start
        self._elapsed = 0.0
        self._count = 0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._driven_by: asyncio.AbstractEventLoop | None = None

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
        if self._driven_by is not loop:
            self._driven_by = loop
            loop.call_soon(self._drive, loop, _PATIENCE)
        await waker

    def pass_time(self, seconds: float) -> None:
        """Let time pass without anybody sleeping."""
        self._elapsed += seconds

    def _drive(self, loop: asyncio.AbstractEventLoop, rounds: int) -> None:
        if rounds:
            loop.call_soon(self._drive, loop, rounds - 1)
            return
        while self._sleepers:
            due, _, waker = heapq.heappop(self._sleepers)
            if not waker.done():  # a sleeper that was cancelled is done
                self._elapsed = max(self._elapsed, due)
                waker.set_result(None)
                loop.call_soon(self._drive, loop, _PATIENCE)
                return
        self._driven_by = None
