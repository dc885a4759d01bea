"""The JSON of jobs that several machines share."""

from __future__ import annotations

from typing import Final

from holdfast.core.job import JobState
from holdfast.formats.schemas.shape import (
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

__all__ = ["JOBS"]

JOBS: Final = Schema(
    "jobs",
    "What `holdfast jobs --json` and `holdfast submit --json` print.",
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
