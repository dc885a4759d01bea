"""The life of a worker: calls come in on standard input, answers go out on standard output.

1. Each call has its own allowance of CPU time: the soft limit moves ahead of what was used so far, by whole
   seconds, and the kernel ends a worker that reaches it. The memory limit holds for the worker as a whole.
2. What a function raises goes back in words: no input may end a worker by that.
3. What is printed goes to standard error: a stray word among the answers would break the wire.
4. Ctrl-C is the parent's to answer. A worker ends when its input does.
"""

from __future__ import annotations

import gc
import math
import os
import resource
import sys
import time
from importlib import import_module
from typing import Any

from holdfast.adapters.workers.wire import READ_BYTES, Frames, Setup, WorkerAnswer, pack
from holdfast.formats.page.choice import without_native

__all__ = ["serve"]


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
