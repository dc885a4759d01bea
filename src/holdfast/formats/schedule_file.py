"""`schedule.json` in the state folder: when each job last began and ended. It is all that a restart needs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime

from holdfast.core.plain_data import read_json
from holdfast.core.schedule import JobRuns

__all__ = ["read_schedule_file", "schedule_text"]


def read_schedule_file(text: str) -> dict[str, JobRuns]:
    """What is on record; a file that cannot be read says nothing, and every job is due."""
    try:
        jobs = read_json(text)["jobs"]
        return {name: JobRuns(_moment(each, "begun"), _moment(each, "ended")) for name, each in jobs.items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


def schedule_text(runs: Mapping[str, JobRuns]) -> str:
    """The file's text."""
    jobs = {name: {"begun": _text(each.begun), "ended": _text(each.ended)} for name, each in runs.items()}
    return json.dumps({"version": 1, "jobs": jobs}, indent=2, sort_keys=True) + "\n"


def _moment(entry: Mapping[str, str | None], key: str) -> datetime | None:
    value = entry.get(key)
    return datetime.fromisoformat(value) if value else None


def _text(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
