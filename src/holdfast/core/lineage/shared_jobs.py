"""Jobs that several machines share: what is asked, who has it, how it went; and their JSON.

A host belongs always to the same part of a work, so that one process asks a host.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from holdfast.core.base.json_shape import (
    BOOLEAN,
    DATE_TIME,
    INTEGER,
    TEXT,
    Schema,
    array,
    at,
    one_of,
    optional,
    record,
)
from holdfast.core.base.values import dataclass


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


def shard_of(host: str, of: int) -> int:
    """The number of a host's part, from 0, where there are so many."""
    return int.from_bytes(hashlib.sha256(host.encode()).digest()[:8], "big") % of


def shards_of(hosts: Iterable[str], of: int) -> dict[int, int]:
    """The parts that have any of these hosts, in order; how many of the given ones each has."""
    counts: dict[int, int] = {}
    for host in hosts:
        shard = shard_of(host, of)
        counts[shard] = counts.get(shard, 0) + 1
    return dict(sorted(counts.items()))


CLUSTER_JOBS: Final = Schema(
    "cluster-jobs",
    "What `holdfast cluster jobs --json` and `holdfast cluster submit --json` print.",
    record(
        jobs=array(
            record(
                job_id=INTEGER,
                name=TEXT,
                state=one_of(tuple(JobState)),
                owner=optional(TEXT),
                epoch=INTEGER,
                attempts=INTEGER,
                submitted_at=DATE_TIME,
                is_held=BOOLEAN,
                error=at(lambda job: (job.result or {}).get("error"), optional(TEXT)),
            )
        )
    ),
)
