"""Captures into pages, through workers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.adapters.workers.pool import Lost, Workers
from holdfast.jobs.refining import Refine, refine_with

if TYPE_CHECKING:
    from holdfast.adapters.workers.spread import SpreadWorkers

__all__ = ["refined_by"]


def refined_by(workers: Workers | SpreadWorkers) -> Refine:
    """`harvest` in worker processes, here or on the machines of a cluster."""
    return refine_with(workers.run, Lost)
