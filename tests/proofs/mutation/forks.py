"""A child process that does one thing, in so many seconds, and leaves nothing running and no files behind."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

__all__ = ["in_child"]

PATIENCE = 5
"""A child that waits has so many seconds by the clock for each second of CPU."""


def in_child(work: Callable[[], str], seconds: float) -> str | None:
    """What `work` says, or None where the child was ended before it said anything."""
    memory = Path("/dev/shm")
    folder = tempfile.mkdtemp(prefix="mutants-", dir=memory if memory.is_dir() else None)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _begin(folder, seconds)
        status = 1
        try:
            os.write(writing, work().encode())
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    try:
        _, status = os.waitpid(child, 0)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # what it started and did not wait for
        with os.fdopen(reading, "rb") as pipe:
            said = pipe.read().decode()
        shutil.rmtree(folder, ignore_errors=True)
    return said if status == 0 else None


def _begin(folder: str, seconds: float) -> None:
    os.setpgid(0, 0)
    os.environ["PYTEST_DEBUG_TEMPROOT"] = folder
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGALRM, lambda *_: os.killpg(0, signal.SIGKILL))
    signal.alarm(int(PATIENCE * seconds) + 30)
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
