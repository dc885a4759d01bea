"""When a job is due (TRK-10). Times in, times out: the clock is somebody else's.

    never begun                 now
    begun and not ended         now: it was cut off, and goes on where it stopped
    begun after now             now: the clock was set back
    ended                       `every` after it began, and up to `jitter` later
    within the quiet hours      when they end

1. The share of the jitter is decided by the job's name and the time of the run before: it is the same after
   a restart, and jobs of one interval do not stay in step.
2. What was missed while nobody ran it is due once, not once for each time it was missed.
3. Quiet hours may go over midnight; they are those of the clock that the moments carry.
4. Of several jobs that are due, the one that has waited longest goes first.
5. `schedule.json` in the store says when each job last began and ended. It is all that a restart
   needs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime, time, timedelta
from hashlib import sha256
from typing import Final

from holdfast.core.base.figures import in_utc, parse_duration
from holdfast.core.base.plain_data import read_json
from holdfast.core.base.values import dataclass

_HOURS: Final = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)\s*-\s*([01]?\d|2[0-3]):([0-5]\d)")
_LEAST: Final = timedelta(minutes=1)
_AS_CALLED: Final = re.compile(r"^track\.")
"""What a check was called when older records were written."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """How often a job runs, how much later at most, and between which hours it does not begin."""

    every: timedelta
    jitter: timedelta = timedelta()
    quiet: tuple[time, time] | None = None


@dataclass(frozen=True, slots=True)
class JobRuns:
    """When a job last began and last ended."""

    begun: datetime | None = None
    ended: datetime | None = None


_NEVER: Final = JobRuns()


def parse_schedule(every: str, jitter: str | None = None, quiet: str | None = None) -> Schedule:
    """A schedule as `holdfast.toml` has it; a `ValueError` says what is wrong."""
    interval = parse_duration(every)
    if interval is None or interval < _LEAST:
        raise ValueError("expected a length of time of a minute or more, such as 6h")
    later = parse_duration(jitter) if jitter is not None else timedelta()
    if later is None:
        raise ValueError("expected a length of time, such as 10m")
    if quiet is None:
        return Schedule(interval, later)
    match = _HOURS.fullmatch(quiet.strip())
    if match is None:
        raise ValueError("expected two times of day, such as 22:00-06:00")
    start, end = time(int(match[1]), int(match[2])), time(int(match[3]), int(match[4]))
    if start == end:
        raise ValueError("the quiet hours end when they begin")
    return Schedule(interval, later, (start, end))


def next_run(name: str, schedule: Schedule, runs: JobRuns, now: datetime) -> datetime:
    """When a job is due: a moment that is past means now."""
    if runs.begun is None or runs.ended is None or runs.ended < runs.begun or runs.begun > now:
        due = now
    else:
        seed = sha256(f"{name}\n{runs.begun.isoformat()}".encode()).digest()
        due = runs.begun + schedule.every + schedule.jitter * (int.from_bytes(seed[:4]) / 0xFFFFFFFF)
    return _after_quiet(max(due, now), schedule.quiet) if due <= now else _after_quiet(due, schedule.quiet)


def due_jobs(jobs: Mapping[str, Schedule], runs: Mapping[str, JobRuns], now: datetime) -> list[str]:
    """The jobs that may begin now, the one that has waited longest first."""
    due = []
    for name, schedule in jobs.items():
        known = runs.get(name, _NEVER)
        if next_run(name, schedule, known, now) <= now:
            waited = known.begun.timestamp() + schedule.every.total_seconds() if known.begun else 0.0
            due.append((waited, name))
    return [name for _, name in sorted(due)]


def _after_quiet(moment: datetime, quiet: tuple[time, time] | None) -> datetime:
    if quiet is None:
        return moment
    start, end = quiet
    at = moment.timetz().replace(tzinfo=None)
    is_quiet = start <= at < end if start < end else at >= start or at < end
    if not is_quiet:
        return moment
    until = moment.replace(hour=end.hour, minute=end.minute, second=0, microsecond=0)
    return until if until > moment else until + timedelta(days=1)


def read_schedule_file(text: str) -> dict[str, JobRuns]:
    """What is on record; a file that cannot be read says nothing, and every job is due."""
    try:
        jobs = read_json(text)["jobs"]
        return {
            _AS_CALLED.sub("check.", name): JobRuns(_moment(each, "begun"), _moment(each, "ended"))
            for name, each in jobs.items()
        }
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


def schedule_text(runs: Mapping[str, JobRuns]) -> str:
    """The file's text."""
    jobs = {name: {"begun": _text(each.begun), "ended": _text(each.ended)} for name, each in runs.items()}
    return json.dumps({"version": 1, "jobs": jobs}, indent=2, sort_keys=True) + "\n"


def _moment(entry: Mapping[str, str | None], key: str) -> datetime | None:
    value = entry.get(key)
    return in_utc(datetime.fromisoformat(value)) if value else None


def _text(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
