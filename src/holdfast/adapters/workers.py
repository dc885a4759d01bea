"""Worker processes: pure functions run elsewhere, under a limit on time and memory (SEC-2, SEC-4).

1. A worker is a Python of its own that imports Holdfast and nothing of the caller's, so that the library
   can be used from any script. Calls and results cross a pipe as pickles, the length first.
2. One call at a time a worker. A call that takes longer than its limit, or kills its worker (memory, a
   crash in a native parser), costs that worker: it is replaced. That, and whatever a function raises, the
   caller gets as one error in words: what runs here works on bytes of strangers, and no input may end a
   crawl.
3. Workers start with the first calls, ignore Ctrl-C, which is the parent's to answer, and end when the
   pipe does.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import queue
import resource
import select
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import IO, Any, Final, TypeVar

__all__ = ["Lost", "Workers", "serve"]

_LENGTH: Final = struct.Struct("!Q")
_MEMORY: Final = 4 << 30
_SERVE: Final = "from holdfast.adapters.workers import serve; serve()"

T = TypeVar("T")


class Lost(Exception):  # noqa: N818 - not an error of ours: the call is lost, and says how
    """A call without a result: it took too long, its process died, or the function raised."""


class Workers:
    """A few processes for pure functions."""

    def __init__(self, count: int, *, seconds: float = 60.0) -> None:
        self._seconds = seconds
        self._threads = ThreadPoolExecutor(max_workers=count, thread_name_prefix="worker")
        self._idle: queue.LifoQueue[_Worker | None] = queue.LifoQueue()
        for _ in range(count):
            self._idle.put(None)

    async def run(self, function: Callable[..., T], *values: object) -> T:
        """The function's result, or `Lost`."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._call, function, values)

    def close(self) -> None:
        """Let the workers end; calls under way are dropped."""
        while not self._idle.empty():
            if worker := self._idle.get_nowait():
                worker.end()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _call(self, function: Callable[..., T], values: tuple[object, ...]) -> T:
        worker = self._idle.get() or _Worker()
        healthy = False
        try:
            worked, result = worker.call(function, values, self._seconds)
            healthy = True
        except TimeoutError as error:
            raise Lost(f"it took longer than {self._seconds:.0f} s") from error
        except (OSError, EOFError) as error:
            raise Lost(f"the process ended unexpectedly ({error})") from error
        finally:
            if not healthy:
                worker.kill()
            self._idle.put(worker if healthy else None)
        if not worked:
            raise Lost(str(result))
        value: T = result
        return value


class _Worker:
    """One process and its two pipes."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _SERVE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        if self._process.stdin is None or self._process.stdout is None:
            raise OSError("the worker has no pipes")
        self._calls: IO[bytes] = self._process.stdin
        self._results: IO[bytes] = self._process.stdout

    def call(
        self, function: Callable[..., Any], values: tuple[object, ...], seconds: float
    ) -> tuple[bool, Any]:
        """Send, wait, receive: whether it worked, and the result or what went wrong."""
        _send(self._calls.fileno(), (function, values))
        answer: tuple[bool, Any] = _receive(self._results.fileno(), time.monotonic() + seconds)
        return answer

    def end(self) -> None:
        """No more calls."""
        self._calls.close()
        self._results.close()
        self._process.kill()
        self._process.wait()

    def kill(self) -> None:
        """At once, whatever it does."""
        with suppress(OSError):
            self.end()


def serve() -> None:
    """The life of a worker: answer calls until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = _MEMORY if hard == resource.RLIM_INFINITY else min(_MEMORY, hard)
    resource.setrlimit(
        resource.RLIMIT_AS, (limit if soft == resource.RLIM_INFINITY else min(soft, limit), hard)
    )
    calls, results = os.dup(0), os.dup(1)
    os.dup2(2, 1)  # what a library prints must not end up among the results
    while True:
        try:
            function, values = _receive(calls, None)
        except (EOFError, OSError):
            return
        try:
            answer: tuple[bool, Any] = (True, function(*values))
        except Exception as error:  # noqa: BLE001 - no input may end a worker: the error goes back in words
            answer = (False, f"{type(error).__name__}: {error}")
        _send(results, answer)


def _send(handle: int, value: object) -> None:
    data = pickle.dumps(value, protocol=5)
    view = memoryview(_LENGTH.pack(len(data)) + data)
    while view:
        view = view[os.write(handle, view) :]


def _receive(handle: int, deadline: float | None) -> Any:
    (length,) = _LENGTH.unpack(_read(handle, _LENGTH.size, deadline))
    return pickle.loads(_read(handle, length, deadline))


def _read(handle: int, length: int, deadline: float | None) -> bytes:
    pieces = bytearray()
    while len(pieces) < length:
        if deadline is not None:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([handle], [], [], left)[0]:
                raise TimeoutError
        piece = os.read(handle, min(length - len(pieces), 1 << 20))
        if not piece:
            raise EOFError("the pipe was closed")
        pieces += piece
    return bytes(pieces)
