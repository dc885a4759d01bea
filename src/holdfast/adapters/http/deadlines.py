"""So many seconds for each request, kept by one timer.

`asyncio.timeout` sets a timer for every request and cancels it, which costs 4 to 6 µs where nearly all of
them end long before their time. Here requests that have equally long stand in line, the oldest first, and the
one timer waits for the oldest. A request that is late is cancelled, and that cancellation becomes a
`TimeoutError`; one that somebody else asked for stays what it is.
"""

from __future__ import annotations

import asyncio
from types import TracebackType

__all__ = ["Deadlines"]


class Deadlines:
    """The requests that are under way, each of which has `seconds`."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.running: dict[_Deadline, None] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def one(self) -> _Deadline:
        """The time that one request has, from where its block is entered."""
        return _Deadline(self)

    def begin(self, deadline: _Deadline) -> float:
        """A request begins; when it has to be over."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:  # a timer of a loop that is over never rings
            self._loop, self._timer = loop, None
        at = loop.time() + self.seconds
        self.running[deadline] = None
        if self._timer is None:
            self._timer = loop.call_at(at, self._ring, loop)
        return at

    def _ring(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = None
        now = loop.time()
        for deadline in tuple(self.running):
            if deadline.at > now:
                self._timer = loop.call_at(deadline.at, self._ring, loop)
                return
            del self.running[deadline]
            deadline.expire()


class _Deadline:
    """One request's time, around what it awaits."""

    __slots__ = ("_cancelling", "_deadlines", "_is_expired", "_task", "at")

    def __init__(self, deadlines: Deadlines) -> None:
        self._deadlines = deadlines
        self._is_expired = False

    def __enter__(self) -> None:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a deadline is a task's")
        self._task, self._cancelling = task, task.cancelling()
        self.at = self._deadlines.begin(self)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._is_expired:
            del self._deadlines.running[self]
        elif self._task.uncancel() <= self._cancelling and kind is asyncio.CancelledError:
            raise TimeoutError from error

    def expire(self) -> None:
        """The time is over."""
        self._is_expired = True
        self._task.cancel()
