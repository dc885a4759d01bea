"""The JSON of runs that `holdfast serve --allow-actions` can start, and of those it started."""

from __future__ import annotations

from typing import Final

from holdfast.core.lineage import Job
from holdfast.formats.schemas.shape import (
    BOOLEAN,
    COUNT,
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

__all__ = ["ACTION", "ACTIONS"]

_STARTED: Final = record(
    number=COUNT,
    about=TEXT,
    command=TEXT,
    state=one_of(("running", "stopping", "finished", "stopped", "failed")),
    status=optional(INTEGER),
    started_at=DATE_TIME,
    done=at(lambda run: run.said.progress[0] if run.said.progress else None, optional(COUNT)),
    total=at(lambda run: run.said.progress[1] if run.said.progress else None, optional(COUNT)),
)

ACTION: Final = Schema(
    "action",
    "A run that was started by `holdfast serve --allow-actions`, and the last lines that it said.",
    record(run=at(lambda run: run, _STARTED), lines=at("said.lines", array(TEXT))),
)

ACTIONS: Final = Schema(
    "actions",
    "The runs that `holdfast serve --allow-actions` can start, and those it started, the latest first.",
    record(
        startable=array(
            record(
                name=TEXT,
                job=one_of(Job),
                about=TEXT,
                command=at("words", array(TEXT)),
                needs_consent=BOOLEAN,
                why_not=TEXT,
            )
        ),
        started=array(_STARTED),
    ),
)
