"""Worker processes that turn captures into pages, on this machine or on a cluster.

They are started first, so that they make ready while this process imports its own part.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from holdfast.adapters.workers.pool import Workers
from holdfast.adapters.workers.process import Lost
from holdfast.core.settings.resolve import Settings
from holdfast.jobs.converting import Refine, refine_with

if TYPE_CHECKING:
    from holdfast.adapters.workers.engine import SpreadWorkers


FOR_WORKERS: Final = ("holdfast.core.crawl.harvester", "holdfast.core.page.distill")
"""What workers import that start before there is a page: all that a page needs."""


@contextmanager
def start_workers(settings: Settings, *, first: int | None = None) -> Iterator[Workers]:
    """Workers: the `first` few of them, or all, are started at once, others when pages wait for them."""
    workers = Workers(settings.mirror.processes or os.cpu_count() or 1)
    try:
        workers.start(*FOR_WORKERS, first=first)
        yield workers
    finally:
        workers.close()


@contextmanager
def converters(settings: Settings) -> Iterator[Refine]:
    """What turns captures into pages, in workers: of this machine, or of the cluster that is named."""
    if settings.store.scheduler:
        from holdfast.adapters.workers.dask_engine import spread_workers  # noqa: PLC0415 - an extra

        with spread_workers(settings.store.scheduler) as spread:
            yield refined_by(spread)
        return
    with start_workers(settings) as workers:
        yield refined_by(workers)


def refined_by(workers: Workers | SpreadWorkers) -> Refine:
    """`harvest` in worker processes, here or on the machines of a cluster."""
    return refine_with(workers.run, Lost)
