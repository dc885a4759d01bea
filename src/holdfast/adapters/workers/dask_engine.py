"""The door to the user's Dask cluster: workers on it, and pure work spread over it.

The extra `cluster` brings it. The engine starts and restarts; it decides nothing (CLU-4).
"""

from __future__ import annotations

import logging
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing, contextmanager
from typing import Any, TypeVar

from holdfast.adapters.workers.engine import SpreadWorkers
from holdfast.core.base.errors import FailedError
from holdfast.core.base.late_modules import naming_extras

with naming_extras():
    from distributed import Client, as_completed

R = TypeVar("R")
WITHIN = "30s"
_LOGS = tuple(
    logging.getLogger(name) for name in ("distributed", "distributed.client", "tornado.application")
)
"""Those that Dask gives a level of their own."""


class DaskEngine:
    """A cluster by the address of its scheduler."""

    def __init__(self, scheduler: str) -> None:
        self._levels = {log: log.level for log in _LOGS}
        for log in _LOGS:  # a cluster that is lost is told in our words, not as a trace
            log.setLevel(logging.CRITICAL)
        try:
            self._client = Client(scheduler, timeout=WITHIN)
        except (OSError, TimeoutError, ValueError) as error:
            raise FailedError(
                f"the Dask scheduler at {scheduler} cannot be reached", hint="is it running there?"
            ) from error

    def run_workers(self, command: Sequence[str], environment: Mapping[str, str], count: int) -> int:
        """Run a command as that many tasks; the highest exit status. A task whose machine is lost is run
        again elsewhere by Dask itself.
        """
        tasks = [
            self._client.submit(_run, tuple(command), dict(environment), number, pure=False, retries=10)
            for number in range(count)
        ]
        worst = 0
        try:
            for task in as_completed(tasks):
                worst = max(worst, int(task.result()))
        except KeyboardInterrupt:
            self._client.cancel(tasks)
            raise
        except Exception as error:  # whatever the cluster ends in
            raise _ended(error) from error
        return worst

    def submit(self, function: Callable[..., R], /, *values: object) -> Future[R]:
        """Have a pure function called by some machine of the cluster. One whose machine is lost is called
        again elsewhere.
        """
        try:
            task = self._client.submit(function, *values, pure=False)
        except Exception as error:
            raise _ended(error) from error
        promised: Future[R] = Future()
        task.add_done_callback(lambda done: _keep(promised, done))
        return promised

    def close(self) -> None:
        """Let go of the cluster."""
        self._client.close()
        for log, level in self._levels.items():
            log.setLevel(level)


def _keep(promised: Future[R], task: Any) -> None:
    """Pass on how a task ended, unless nobody waits for it."""
    if not promised.set_running_or_notify_cancel():
        return
    if task.status == "finished":
        promised.set_result(task.result())
    elif task.status == "error":
        promised.set_exception(task.exception())
    else:
        promised.set_exception(_ended(task.status))


def _ended(why: object) -> FailedError:
    words = str(why).strip().partition("\n")[0]
    return FailedError(
        f"the Dask cluster ended, or its scheduler was lost: {words or type(why).__name__}",
        hint="what was acknowledged is safe; start again when the cluster is back, or without it",
    )


def _run(command: Sequence[str], environment: Mapping[str, str], _number: int) -> int:
    """On a machine of the cluster: one worker, as a process of its own."""
    status = subprocess.run(command, env={**os.environ, **environment}, check=False).returncode
    if status < 0:
        raise RuntimeError(f"the worker was killed by signal {-status}")
    return status


@contextmanager
def spread_workers(scheduler: str) -> Iterator[SpreadWorkers]:
    """Workers that convert pages on the machines of a cluster."""
    with closing(DaskEngine(scheduler)) as engine, closing(SpreadWorkers(engine.submit)) as workers:
        yield workers
