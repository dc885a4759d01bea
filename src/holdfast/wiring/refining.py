"""Captures into pages, through workers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.adapters.workers.pool import Lost, Workers
from holdfast.jobs.mirror.harvest import refine_with

if TYPE_CHECKING:
    from holdfast.jobs.mirror.tools import Refine

__all__ = ["refined_by"]


def refined_by(workers: Workers) -> Refine:
    """`harvest` in worker processes."""
    return refine_with(workers.run, Lost)
