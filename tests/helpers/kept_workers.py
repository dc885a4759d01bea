"""Worker processes that go from one test to the next: to start them was half of the work of the suite.

They are the product's own, started and spoken to as ever; only their end is put off while nothing is under
way. Commands in processes of their own, and tests of the workers themselves, know nothing of it.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress

from holdfast import jobs
from holdfast.adapters.workers.pool import Workers, _Worker
from holdfast.adapters.workers.process import Process
from holdfast.adapters.workers.worker import Frames

MOST_USES = 50
"""A worker puts what it holds out of the collector's sight at each new crawl, so it is replaced in time."""

_idle: list[tuple[Process, object]] = []
_uses: dict[Process, int] = {}


def keep_workers():
    """From now on jobs of this process take their workers from here."""
    jobs.workers.Workers = KeptWorkers


class KeptWorkers(Workers):
    """Workers that begin with those that others left, and leave what is idle to others."""

    def _start(self, modules=()):
        process = _take(_kind(self._limits))
        if process is None:
            return super()._start(modules)
        worker = _Worker(process)
        process._answer = lambda answer, result: self._answered(worker, answer, result)
        process._gone = lambda: self._gone(worker, None)
        process._frames = Frames()
        process._loop = asyncio.get_running_loop()
        process._loop.add_reader(process._results, process._receive)
        self._workers.append(worker)
        return worker

    def close(self):
        for worker in tuple(self._workers):
            if not worker.calls and _leave(worker.process, _kind(self._limits)):
                self._workers.remove(worker)
        super().close()


def _kind(limits):
    """Those that a worker may do the work of: what it was started with is the same."""
    return limits, {name: value for name, value in os.environ.items() if name.startswith("HOLDFAST_")}


def _take(kind):
    for place, (process, its_kind) in enumerate(_idle):
        if its_kind == kind:
            del _idle[place]
            if process._popen.poll() is None:
                return process
            process.end()
            return _take(kind)
    return None


def _leave(process, kind):
    """Whether a worker is left to others."""
    _uses[process] = _uses.get(process, 0) + 1
    if process._loop.is_closed() or _uses[process] >= MOST_USES:
        _uses.pop(process)
        return False
    with suppress(ValueError):
        process._loop.remove_reader(process._results)
        process._loop.remove_writer(process._calls)
    _idle.append((process, kind))
    while len(_idle) > os.cpu_count():
        oldest, _ = _idle.pop(0)
        _uses.pop(oldest, None)
        oldest.end()
    return True
