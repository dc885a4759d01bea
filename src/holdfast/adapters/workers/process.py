"""One worker process, seen from the event loop: bytes go in and come out without anybody waiting.

1. A worker is a Python of its own that imports Holdfast and nothing of the caller's: not the caller's main
   module, so that the library can be used from any script, and nothing from the folder it is started in.
2. What the pipe does not take at once is kept and sent when there is room.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import holdfast
from holdfast.adapters.workers.worker import ANSWERS, READ_BYTES, Frames, WorkerAnswer
from holdfast.core.base.values import dataclass

_PIPE_BYTES: Final = 1 << 20
_KEEP_MEMORY: Final = {"MALLOC_TRIM_THRESHOLD_": str(8 << 20), "MALLOC_MMAP_THRESHOLD_": str(1 << 20)}
"""For glibc: what one page took is there for the next, not given back and faulted in anew each time."""
_ROOT: Final = str(Path(holdfast.__file__).parents[1])
_SERVE: Final = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); sys.path.append(sys.argv.pop()); "
    "from holdfast.adapters.workers.worker import serve; serve()"
)


@dataclass(frozen=True, slots=True)
class Limits:
    """What one call may cost: CPU seconds, seconds by the clock, and the address space of its worker."""

    cpu_seconds: int = 20
    seconds: float = 90.0
    memory_bytes: int = 2_000_000_000


class Lost(Exception):  # noqa: N818 - not an error of ours: the call is lost, and says how
    """A call without a result: `reason` is `cpu`, `memory`, `time`, `crash` or `raised`."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


class Process:
    """A process and its two pipes. `answer` is told each answer in order, `gone` when there will be none."""

    __slots__ = ("_answer", "_calls", "_frames", "_gone", "_loop", "_popen", "_results", "_unsent")

    def __init__(
        self,
        limits: Limits,
        answer: Callable[[WorkerAnswer, Any], None],
        gone: Callable[[], None],
        modules: Iterable[str] = (),
    ) -> None:
        words = [str(limits.cpu_seconds), str(limits.memory_bytes), *modules]
        command = [sys.executable, "-P", "-c", _SERVE, *words, _ROOT]
        self._popen = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env={**_KEEP_MEMORY, **os.environ},
        )
        if self._popen.stdin is None or self._popen.stdout is None:
            raise OSError("the worker has no pipes")
        self._calls = self._popen.stdin.fileno()
        self._results = self._popen.stdout.fileno()
        self._answer, self._gone = answer, gone
        self._frames = Frames()
        self._unsent = bytearray()
        self._loop = asyncio.get_running_loop()
        for handle in (self._calls, self._results):
            os.set_blocking(handle, False)
            with suppress(OSError, AttributeError):  # a larger pipe is faster, and a smaller one will do
                fcntl.fcntl(handle, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        self._loop.add_reader(self._results, self._receive)

    def send(self, data: bytes) -> None:
        """Send now what the pipe takes, the rest as soon as it can be."""
        if self._unsent:
            self._unsent += data
            return
        sent = self._write(data)
        if sent < len(data):
            self._unsent += memoryview(data)[sent:]
            self._loop.add_writer(self._calls, self._send_rest)

    def end(self) -> int:
        """No more calls, whatever it does; its exit status."""
        if not self._loop.is_closed():
            self._loop.remove_reader(self._results)
            self._loop.remove_writer(self._calls)
        self._popen.kill()
        for stream in (self._popen.stdin, self._popen.stdout):
            if stream is not None:
                stream.close()
        return self._popen.wait()

    def _send_rest(self) -> None:
        sent = self._write(self._unsent)
        del self._unsent[:sent]
        if not self._unsent:
            self._loop.remove_writer(self._calls)

    def _write(self, data: bytes | bytearray) -> int:
        """How many bytes were written; all of them where the reader is gone: `gone` tells that."""
        try:
            return os.write(self._calls, data)
        except BlockingIOError:
            return 0
        except BrokenPipeError:
            return len(data)

    def _receive(self) -> None:
        try:
            data = os.read(self._results, READ_BYTES)
        except BlockingIOError:
            return
        if not data:
            self._loop.remove_reader(self._results)
            self._gone()
            return
        for number, result in self._frames.feed(data):
            self._answer(ANSWERS[number], result)


def epitaph(status: int) -> Lost:
    """What a worker died of."""
    if status == -signal.SIGXCPU:
        return Lost("cpu", "the page needs more CPU time than a worker may have")
    word = signal.Signals(-status).name if status < 0 else f"exit status {status}"
    return Lost("crash", f"the process ended unexpectedly ({word})")
