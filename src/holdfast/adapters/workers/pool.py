"""A few worker processes, and the calls that wait for them.

1. A call's result is the function's own, whichever worker made it.
2. Each worker is handed a few calls ahead, so that it never waits for this process: many small ones, or one
   that is large. What is asked for in one turn of the event loop is handed over together: each message to a
   worker that sleeps wakes it, which costs more than what it says.
3. A call that takes more than its limits costs its worker, which is replaced, and is lost. A worker that
   simply dies may be innocent of it: that call is made once more. The calls behind it are handed out again.
   What a call is lost to, and whatever a function raises, the caller gets as `Lost`, in words: what runs
   here works on bytes of strangers, and no input may end a crawl.
4. Workers start with the first calls, or when told to: their imports take as long as dozens of pages.
5. Where one worker after another ends before it is ready, no input is to blame: whoever waits, and whoever
   comes later, gets the error. So do they where the system lets none be started; while there are others,
   those do the work.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import field
from typing import Any, Final, TypeVar

from holdfast.adapters.workers.process import Limits, Lost, Process, epitaph
from holdfast.adapters.workers.worker import Setup, WorkerAnswer, pack
from holdfast.core.base.errors import FailedError
from holdfast.core.base.values import dataclass

AHEAD_CALLS: Final = 16
"""With six, a worker that reads small pages slept after every few, and was woken: a sixth of its time."""
AHEAD_BYTES: Final = 200_000
TRIES: Final = 2
STILLBORN: Final = 3
LOOK_SECONDS: Final = 1.0
_WHOLE: Final = "what they had to say is above; is there enough memory, and is Holdfast installed whole?"
_ROOM: Final = (
    "is there enough memory, and may there be more processes (`ulimit -u`) and files (`ulimit -n`)?"
)

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class _Call:
    """A call and who waits for it; `size` is what was sent."""

    setup: Setup
    values: tuple[Any, ...]
    future: asyncio.Future[Any]
    size: int = 0
    tries: int = 0


@dataclass(slots=True, eq=False)
class _Worker:
    """A process, the calls that it has, oldest first, and since when it is busy with the oldest."""

    process: Process
    calls: deque[_Call] = field(default_factory=deque)
    setup: Setup | None = None
    since: float = 0.0
    size: int = 0
    is_ready: bool = False
    unsent: list[bytes] = field(default_factory=list)

    @property
    def has_room(self) -> bool:
        return len(self.calls) < AHEAD_CALLS and self.size < AHEAD_BYTES


class Workers:
    """Runs pure functions in `count` processes. For one event loop; close it."""

    def __init__(self, count: int, limits: Limits = Limits()) -> None:  # noqa: B008 - frozen
        self._count = count
        self._limits = limits
        self._workers: list[_Worker] = []
        self._waiting: deque[_Call] = deque()
        self._setup: Setup | None = None
        self._look: asyncio.TimerHandle | None = None
        self._handing_out: asyncio.Handle | None = None
        self._stillborn = 0
        self._failure: FailedError | None = None

    async def run(self, function: Callable[..., T], *values: object, common: tuple[object, ...] = ()) -> T:
        """The function's result, or `Lost`. `common` are its last arguments: they are sent to a worker
        once, as long as they stay the same objects.
        """
        if self._failure is not None:
            raise self._failure
        loop = asyncio.get_running_loop()
        call = _Call(self._setup_for(function, common), values, loop.create_future())
        self._waiting.append(call)
        self._hand_out_soon()
        if self._look is None:
            self._look = loop.call_later(min(LOOK_SECONDS, self._limits.seconds), self._look_after, loop)
        result: T = await call.future
        return result

    def start(self, *modules: str, first: int | None = None) -> None:
        """Start the first few, or all, now; they import these modules while this process is busy with
        something else.
        """
        while len(self._workers) < (self._count if first is None else min(first, self._count)):
            self._start(modules)

    def close(self) -> None:
        """End the workers; calls under way are dropped."""
        for planned in (self._look, self._handing_out):
            if planned is not None:
                planned.cancel()
        for worker in self._workers:
            worker.process.end()
        for call in (*self._waiting, *(call for worker in self._workers for call in worker.calls)):
            call.future.cancel()
        self._waiting.clear()
        self._workers.clear()

    def _setup_for(self, function: Callable[..., Any], common: tuple[object, ...]) -> Setup:
        last = self._setup
        if last is None or last.function is not function or not _are_same(last.common, common):
            self._setup = last = Setup(function, common)
        return last

    def _hand_out_soon(self) -> None:
        if self._handing_out is None:
            self._handing_out = asyncio.get_running_loop().call_soon(self._hand_out)

    def _hand_out(self) -> None:
        self._handing_out = None
        self._share_out()
        for worker in self._workers:
            if worker.unsent:
                worker.process.send(b"".join(worker.unsent))
                worker.unsent.clear()

    def _share_out(self) -> None:
        while self._waiting:
            worker = min(self._workers, key=_burden, default=None)
            if worker is None or (worker.calls and len(self._workers) < self._count):
                worker = self._one_more() or worker
            if worker is None or not worker.has_room:
                return
            call = self._waiting.popleft()
            if not call.future.done():
                self._give(worker, call)

    def _give(self, worker: _Worker, call: _Call) -> None:
        change = call.setup if call.setup is not worker.setup else None
        data = pack((change, call.values))
        worker.setup = call.setup
        call.size = len(data)
        worker.size += call.size
        if not worker.calls:
            worker.since = time.monotonic()
        worker.calls.append(call)
        worker.unsent.append(data)

    def _one_more(self) -> _Worker | None:
        """Another worker; None where the system has no room for one."""
        try:
            return self._start()
        except OSError as error:
            if not self._workers:
                self._give_up(f"no worker process can be started: {error.strerror or error}", _ROOM)
            return None

    def _start(self, modules: tuple[str, ...] = ()) -> _Worker:
        worker = _Worker(
            Process(
                self._limits,
                lambda answer, result: self._answered(worker, answer, result),
                lambda: self._gone(worker, None),
                modules,
            )
        )
        self._workers.append(worker)
        return worker

    def _answered(self, worker: _Worker, answer: WorkerAnswer, result: Any) -> None:
        if answer is WorkerAnswer.READY:
            worker.is_ready = True
            self._stillborn = 0
            return
        call = worker.calls.popleft()
        worker.size -= call.size
        worker.since = time.monotonic()
        if not call.future.done():
            match answer:
                case WorkerAnswer.DONE:
                    call.future.set_result(result)
                case WorkerAnswer.RAISED:
                    call.future.set_exception(Lost("raised", result))
                case WorkerAnswer.MEMORY:
                    words = "the page needs more memory than a worker may have"
                    call.future.set_exception(Lost("memory", words))
        self._hand_out_soon()

    def _gone(self, worker: _Worker, why: Lost | None) -> None:
        """A worker has ended, or has to: its first call was the one it worked on."""
        status = worker.process.end()
        lost = why or epitaph(status)
        self._workers.remove(worker)
        if not worker.is_ready and why is None:
            self._stillborn += 1
        elif worker.calls:
            first = worker.calls[0]
            first.tries += 1
            if lost.reason != "crash" or first.tries >= TRIES:
                worker.calls.popleft()
                if not first.future.done():
                    first.future.set_exception(lost)
        self._waiting.extendleft(reversed(worker.calls))
        if self._stillborn >= STILLBORN:
            self._give_up(f"{STILLBORN} worker processes in a row did not start: {lost.detail}", _WHOLE)
        self._hand_out_soon()

    def _give_up(self, why: str, hint: str) -> None:
        """No worker comes to life: nobody will ever answer."""
        self._failure = FailedError(why, hint=hint)
        for call in self._waiting:
            if not call.future.done():
                call.future.set_exception(self._failure)
        self._waiting.clear()

    def _look_after(self, loop: asyncio.AbstractEventLoop) -> None:
        """End what hangs, as long as anything is under way."""
        now, seconds = time.monotonic(), self._limits.seconds
        for worker in tuple(self._workers):
            if worker.calls and now - worker.since > seconds:
                self._gone(worker, Lost("time", f"it took longer than {seconds:.0f} s"))
        busy = any(worker.calls for worker in self._workers)
        pause = min(LOOK_SECONDS, seconds)
        self._look = loop.call_later(pause, self._look_after, loop) if busy else None


def _burden(worker: _Worker) -> tuple[bool, int]:
    return not worker.has_room, len(worker.calls)


def _are_same(these: tuple[object, ...], those: tuple[object, ...]) -> bool:
    if these is those:
        return True
    return len(these) == len(those) and all(a is b for a, b in zip(these, those, strict=True))
