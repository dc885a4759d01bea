"""A pool of workers that distill captures, one page each at a time.

1. The result is `distill`'s own, whichever worker made it: what a page becomes depends on the capture alone.
2. A worker that dies or hangs takes one page with it: that page is `Undistilled`, with the reason, and the
   next one gets a new worker.
3. Callers bound how much waits: the pool holds no queue but the threads that wait for a worker.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Any, Final, Self

from holdfast.adapters.distillery.wire import page_from_wire, receive, send
from holdfast.core.capture import Capture
from holdfast.core.page import Page
from holdfast.core.recipe import Recipe
from holdfast.distill import DEFAULTS, DistillOptions
from holdfast.ports import Undistilled

__all__ = ["Distillery", "Limits"]

_GRACE_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True)
class Limits:
    """What one page may cost: CPU seconds, and the address space of its worker."""

    cpu_seconds: int = 20
    memory_bytes: int = 2_000_000_000


class Distillery:
    """Distills in `workers` processes. Close it, or use it as a context manager."""

    def __init__(
        self,
        recipe: Recipe,
        options: DistillOptions = DEFAULTS,
        *,
        workers: int = 2,
        limits: Limits = Limits(),  # noqa: B008 - frozen
    ) -> None:
        self._setup = (recipe, options, limits.cpu_seconds, limits.memory_bytes)
        self._patience = limits.cpu_seconds * 3 + _GRACE_SECONDS
        self._threads = ThreadPoolExecutor(max_workers=workers, thread_name_prefix="distillery")
        self._idle: queue.SimpleQueue[_Worker | None] = queue.SimpleQueue()
        for _ in range(workers):
            self._idle.put(None)

    async def distill(self, capture: Capture, fragments: frozenset[str] = frozenset()) -> Page | Undistilled:
        """A capture's page, or why there is none."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self.distill_now, capture, fragments)

    def distill_now(self, capture: Capture, fragments: frozenset[str] = frozenset()) -> Page | Undistilled:
        """As `distill`, for callers that may block."""
        worker = self._idle.get()
        try:
            if worker is None:
                worker = _Worker(self._setup)
            answer = worker.ask(capture, fragments, self._patience)
        except (EOFError, BrokenPipeError) as gone:
            failure = worker.epitaph() if worker is not None else Undistilled("crash", str(gone))
            self._idle.put(None)
            return failure
        self._idle.put(worker)
        return answer

    def close(self) -> None:
        """End the workers."""
        self._threads.shutdown(wait=True)
        while not self._idle.empty():
            if (worker := self._idle.get()) is not None:
                worker.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Worker:
    """One process and its two pipes."""

    __slots__ = ("_answers", "_hung", "_process", "_requests")

    def __init__(self, setup: tuple[Any, ...]) -> None:
        command = [sys.executable, "-m", "holdfast.adapters.distillery.worker"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=-1)
        if self._process.stdin is None or self._process.stdout is None:
            raise AssertionError("pipes were asked for")
        self._requests: IO[bytes] = self._process.stdin
        self._answers: IO[bytes] = self._process.stdout
        self._hung = False
        send(self._requests, setup)

    def ask(self, capture: Capture, fragments: frozenset[str], patience: float) -> Page | Undistilled:
        watchdog = threading.Timer(patience, self._give_up)
        watchdog.daemon = True
        watchdog.start()
        try:
            send(self._requests, (capture, fragments))
            word, wire = receive(self._answers)
        finally:
            watchdog.cancel()
        if word == "memory":
            return Undistilled("memory", "the page needs more memory than a worker may have")
        return page_from_wire(wire)

    def epitaph(self) -> Undistilled:
        """What it died of."""
        self._close_pipes()
        status = self._process.wait()
        if self._hung:
            return Undistilled("time", "the worker did not answer and was ended")
        if status == -signal.SIGXCPU:
            return Undistilled("cpu", "the page needs more CPU time than a worker may have")
        word = signal.Signals(-status).name if status < 0 else f"exit status {status}"
        return Undistilled("crash", f"the worker ended: {word}")

    def end(self) -> None:
        self._close_pipes()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _give_up(self) -> None:
        self._hung = True
        self._process.kill()

    def _close_pipes(self) -> None:
        for stream in (self._requests, self._answers):
            with contextlib.suppress(BrokenPipeError):  # words left for a worker that is gone
                stream.close()
