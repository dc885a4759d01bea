"""Captures into pages, through workers."""

from __future__ import annotations

from holdfast.adapters.workers.pool import Lost, Workers
from holdfast.jobs.refining import Refine, refine_with

__all__ = ["refined_by"]


def refined_by(workers: Workers) -> Refine:
    """`harvest` in worker processes."""
    return refine_with(workers.run, Lost)
