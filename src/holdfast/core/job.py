"""Jobs that several machines share: what is asked, who has it, how it went."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

from holdfast.core.values import dataclass

__all__ = ["JobLease", "JobList", "JobState", "QueuedJob"]


class JobState(StrEnum):
    """Where a job stands."""

    READY = "ready"
    TAKEN = "taken"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class JobLease:
    """A job that somebody holds, under an epoch; `command` is what it is about."""

    job_id: int
    epoch: int
    name: str
    command: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class QueuedJob:
    """A job as everybody sees it. `is_held`: its owner has been heard of within the time of its lease."""

    job_id: int
    name: str
    state: JobState
    owner: str | None
    epoch: int
    attempts: int
    submitted_at: datetime
    is_held: bool
    result: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class JobList:
    """The jobs of a shared ledger, in the order they were asked for."""

    jobs: tuple[QueuedJob, ...]
