"""The engine of the user's Dask cluster. It starts and restarts; it decides nothing (CLU-4)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from distributed import Client, as_completed

from holdfast.core.errors import FailedError

__all__ = ["DaskEngine"]

A = TypeVar("A")
R = TypeVar("R")
WITHIN = "30s"


class DaskEngine:
    """A cluster by the address of its scheduler."""

    def __init__(self, scheduler: str) -> None:
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
            raise FailedError(f"the Dask cluster ended: {error}") from error
        return worst

    def map(self, function: Callable[[A], R], arguments: Iterable[A]) -> Iterator[R]:
        """Results in the order of the arguments."""
        yield from self._client.gather(self._client.map(function, list(arguments), pure=False))

    def close(self) -> None:
        """Let go of the cluster."""
        self._client.close()


def _run(command: Sequence[str], environment: Mapping[str, str], _number: int) -> int:
    """On a machine of the cluster: one worker, as a process of its own."""
    status = subprocess.run(command, env={**os.environ, **environment}, check=False).returncode
    if status < 0:
        raise RuntimeError(f"the worker was killed by signal {-status}")
    return status
