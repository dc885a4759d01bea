"""Wiring of watching: documents that change on disk, and jobs that are due, one at a time (TRK-10).

A job runs as a process of its own, as cron would run it: what it holds it lets go of, however it ends. When
it began is written down before, and when it ended after.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from holdfast.adapters.file_watch import batches
from holdfast.adapters.state_folder import STATE_NAME, find_root, lock, make_state
from holdfast.core.report import Report
from holdfast.core.schedule import JobRuns, Schedule, due_jobs, next_run
from holdfast.core.settings import Settings
from holdfast.formats.schedule_file import read_schedule_file, schedule_text
from holdfast.ports import Observer
from holdfast.wiring.asking import track_once
from holdfast.wiring.settings import config_file, load_settings_file, read_text, write_text
from holdfast.wiring.tracking import open_tracker, track_request

__all__ = ["JobBook", "changed_files", "look_at_documents", "open_job_book"]

_SCHEDULE = "schedule.json"


@dataclass(slots=True)
class JobBook:
    """The jobs of a `holdfast.toml` that have a schedule, and when each of them ran."""

    folder: Path
    jobs: Mapping[str, Schedule]
    file: Path

    def due(self, now: datetime) -> list[str]:
        """The jobs that may begin now, the one that has waited longest first."""
        return due_jobs(self.jobs, self._runs(), now)

    def upcoming(self, now: datetime) -> list[tuple[datetime, str]]:
        """When each job is due, the next one first."""
        runs = self._runs()
        return sorted(
            (next_run(name, schedule, runs.get(name, JobRuns()), now), name)
            for name, schedule in self.jobs.items()
        )

    def begin(self, name: str, now: datetime) -> None:
        """A job begins."""
        runs = self._runs()
        self._write({**runs, name: replace(runs.get(name, JobRuns()), begun=now)})

    def end(self, name: str, now: datetime) -> None:
        """A job ended, well or not."""
        runs = self._runs()
        self._write({**runs, name: replace(runs.get(name, JobRuns()), ended=now)})

    async def run(self, name: str) -> int:
        """Run a job in a process of its own; its exit status."""
        kind, _, job = name.partition(".")
        words = ["mirror", job, "--update", "--quiet"] if kind == "mirror" else ["track", "--job", job]
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "holdfast", *words, cwd=self.folder, stdin=asyncio.subprocess.DEVNULL
        )
        return await child.wait()

    def _runs(self) -> dict[str, JobRuns]:
        return read_schedule_file(read_text(self.file, "schedule")) if self.file.exists() else {}

    def _write(self, runs: Mapping[str, JobRuns]) -> None:
        write_text(self.file, schedule_text(runs))


@contextmanager
def open_job_book(start: Path) -> Iterator[JobBook]:
    """The jobs that have a schedule, for one watcher at a time."""
    config = config_file(start)
    folder = config.parent if config else start.resolve()
    state = folder / STATE_NAME
    jobs = load_settings_file(start).schedules
    make_state(state)
    with lock(state / "watch", "watch"):
        yield JobBook(folder, jobs, state / _SCHEDULE)


async def look_at_documents(
    paths: Sequence[Path], settings: Settings, environment: Mapping[str, str], observer: Observer
) -> Report:
    """What is wrong with the documents now; with consent, what is new or due is asked first."""
    with open_tracker(paths, settings, track_request(force=False, eager=False), observer) as tracker:
        if settings.track.asking.fetch_external_urls:
            return (await track_once(tracker, settings, environment)).report
        return tracker.report().report


async def changed_files(paths: Sequence[Path], seconds: float) -> AsyncIterator[tuple[Path, ...]]:
    """The files that changed, batch by batch; an empty one after each while without any."""
    async for batch in batches([find_root(path) for path in paths[:1]], seconds):
        yield batch
