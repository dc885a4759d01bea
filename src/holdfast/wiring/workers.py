"""Worker processes that turn captures into pages: started first, so that they make ready while this process
imports its own part.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from holdfast import wiring
from holdfast.adapters.workers.pool import Workers
from holdfast.core.settings import Settings

if TYPE_CHECKING:
    from holdfast.jobs.refining import Refine

__all__ = ["FOR_WORKERS", "converters", "start_workers", "under_way"]

FOR_WORKERS: Final = ("holdfast.distill.harvest", "holdfast.distill.page")
"""What workers import that start before there is a page: all that a page needs."""


def under_way(settings: Settings) -> int:
    """How many captures are under way at once: machines of a cluster are many, and far."""
    return 256 if settings.store.scheduler else 64


@contextmanager
def start_workers(settings: Settings, *, first: int | None = None) -> Iterator[Workers]:
    """Workers: the `first` few of them, or all, are started at once, others when pages wait for them."""
    workers = Workers(settings.mirror.workers or os.cpu_count() or 1)
    try:
        workers.start(*FOR_WORKERS, first=first)
        yield workers
    finally:
        workers.close()


@contextmanager
def converters(settings: Settings) -> Iterator[Refine]:
    """What turns captures into pages, in workers: of this machine, or of the cluster that is named."""
    if settings.store.scheduler:
        with wiring.dask.spread_workers(settings.store.scheduler) as spread:
            yield wiring.refining.refined_by(spread)
        return
    with start_workers(settings) as workers:
        yield wiring.refining.refined_by(workers)
