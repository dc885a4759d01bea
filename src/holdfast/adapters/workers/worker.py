"""The life of a worker: calls come in on standard input, answers go out on standard output; and the wire.

1. Each call has its own allowance of CPU time: the soft limit moves ahead of what was used so far, by whole
   seconds, and the kernel ends a worker that reaches it. The memory limit holds for the worker as a whole.
2. What a function raises goes back in words: no input may end a worker by that.
3. What is printed goes to standard error: a stray word among the answers would break the wire.
4. Ctrl-C is the parent's to answer. A worker ends when its input does.
5. A message is a length, then a pickle of that many bytes. To a worker goes a `Setup` and the call's own
   values; None for the setup where it is that of the call before. Back comes the number of a `WorkerAnswer`
   and the result, or words; after a setup also that it was understood. A number: to name a class in a
   message takes longer than a short result.
"""

from __future__ import annotations

import gc
import math
import os
import pickle
import resource
import struct
import sys
import time
from collections.abc import Callable, Iterator
from enum import IntEnum
from importlib import import_module
from typing import Any, Final

from holdfast.core.base.values import dataclass
from holdfast.core.page.distill_options import without_native


def serve() -> None:
    """Answer until there are no more calls; the arguments are the limits (`process.Limits`), and modules that
    will be needed.
    """
    gc.set_threshold(100_000, 20, 20)  # neither imports nor pages, which are trees, wait for the collector
    without_native(os.environ, sys.modules)
    cpu_seconds, memory_bytes = map(int, sys.argv[1:3])
    for name in sys.argv[3:]:
        import_module(name)
    calls, answers = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_within(memory_bytes, hard), hard))
    frames, allowed = Frames(), 0
    setup: Any = None  # the first call brings one
    try:
        while data := os.read(calls, READ_BYTES):
            for change, values in frames.feed(data):
                if change is not None:
                    setup = change
                    gc.freeze()  # what was imported lives as long as the worker: do not look at it again
                    _write(answers, pack((WorkerAnswer.READY.value, None)))
                if (used := math.ceil(time.process_time())) != allowed:
                    allowed = used
                    _allow(used + cpu_seconds)
                _write(answers, pack(_answer(setup, values)))
    except BrokenPipeError:
        return  # nobody waits for this answer any more


def _answer(setup: Setup, values: tuple[Any, ...]) -> tuple[int, Any]:
    try:
        return WorkerAnswer.DONE.value, setup.function(*values, *setup.common)
    except MemoryError:
        return WorkerAnswer.MEMORY.value, None
    except Exception as error:  # noqa: BLE001 - no input may end a worker: the error goes back in words
        return WorkerAnswer.RAISED.value, f"{type(error).__name__}: {error}"


def _allow(soft: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (_within(soft, hard), hard))


def _within(wanted: int, hard: int) -> int:
    return wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)


def _write(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


READ_BYTES: Final = 1 << 16
"""For more than 128 KiB the allocator asks the system each time, which takes longer than reading."""
_LENGTH: Final = struct.Struct("!Q")


@dataclass(frozen=True, slots=True)
class Setup:
    """What many calls have in common: the function, and its last arguments."""

    function: Callable[..., Any]
    common: tuple[Any, ...]


class WorkerAnswer(IntEnum):
    """How a call ended; `READY` is not an answer to a call."""

    DONE = 0
    RAISED = 1
    MEMORY = 2
    READY = 3


ANSWERS: Final = tuple(WorkerAnswer)
"""By number."""


def pack(message: object) -> bytes:
    """A message as it is sent."""
    data = pickle.dumps(message, protocol=5)
    return _LENGTH.pack(len(data)) + data


class Frames:
    """What was received so far, handed out message by message."""

    __slots__ = ("_data",)

    def __init__(self) -> None:
        self._data = bytearray()

    def feed(self, data: bytes) -> Iterator[Any]:
        """Take bytes in; the messages that they complete. Both ends are this program: pickles are safe."""
        self._data += data
        while (end := self._end()) is not None:
            with memoryview(self._data) as whole, whole[_LENGTH.size : end] as message:
                read = pickle.loads(message)
            del self._data[:end]
            yield read

    def _end(self) -> int | None:
        """Where the first message ends; None where it is not complete."""
        if len(self._data) < _LENGTH.size:
            return None
        end: int = _LENGTH.size + _LENGTH.unpack_from(self._data)[0]
        return end if end <= len(self._data) else None
