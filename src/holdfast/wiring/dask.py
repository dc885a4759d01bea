"""A Dask cluster, where the extra `cluster` is installed: workers on it, and pure work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

from holdfast.adapters.engines.dask import DaskEngine
from holdfast.adapters.workers.spread import SpreadWorkers

__all__ = ["DaskEngine", "spread_workers"]


@contextmanager
def spread_workers(scheduler: str) -> Iterator[SpreadWorkers]:
    """Workers that convert pages on the machines of a cluster."""
    with closing(DaskEngine(scheduler)) as engine, closing(SpreadWorkers(engine.submit)) as workers:
        yield workers
