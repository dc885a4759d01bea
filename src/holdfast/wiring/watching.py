"""Wiring of watching: documents that change on disk, and jobs that are due, one at a time (TRK-10).

A job runs as a process of its own, as cron would run it: what it holds it lets go of, however it ends. Who
ends the watcher ends the job that runs, in order.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Final

from holdfast.adapters.clock import SystemClock
from holdfast.adapters.file_watch import batches
from holdfast.adapters.state_folder import STATE_NAME, find_root, lock, make_state
from holdfast.core.errors import HoldfastError
from holdfast.core.report import Report
from holdfast.core.schedule import JobRuns, Schedule
from holdfast.core.settings import Settings
from holdfast.core.values import dataclass
from holdfast.formats.schedule_file import read_schedule_file, schedule_text
from holdfast.jobs.scheduling import Scheduler
from holdfast.jobs.watching import DocumentWatch
from holdfast.ports import Observer
from holdfast.questions.notices import is_anything_owed
from holdfast.wiring.asking import track_once
from holdfast.wiring.settings import config_file, load_settings_file, read_text, write_text
from holdfast.wiring.store import read_store
from holdfast.wiring.tracking import open_tracker, state_of_documents, track_request

__all__ = ["JobBook", "look_at_documents", "open_job_book", "scheduler_of", "watch"]

_SCHEDULE: Final = "schedule.json"
_WHILE: Final = 1.0
_TELL_EVERY: Final = 60.0
_REST: Final = timedelta(hours=1)
"""How soon at the earliest what is watched is asked again: each time a file is saved would be rude."""
_GRACE: Final = 30.0


@dataclass(frozen=True, slots=True)
class JobBook:
    """The jobs of a `holdfast.toml` that have a schedule, and when each of them ran."""

    folder: Path
    jobs: Mapping[str, Schedule]
    file: Path
    environment: Mapping[str, str]

    def runs(self) -> Mapping[str, JobRuns]:
        """When each job last began and ended."""
        return read_schedule_file(read_text(self.file, "schedule")) if self.file.exists() else {}

    def write(self, runs: Mapping[str, JobRuns]) -> None:
        """Write when each job last began and ended."""
        write_text(self.file, schedule_text(runs))

    async def run(self, name: str) -> int:
        """Run a job in a process of its own; its exit status."""
        kind, _, job = name.partition(".")
        words = ["mirror", job, "--update", "--quiet"] if kind == "mirror" else ["track", "--job", job]
        child = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            "holdfast",
            *words,
            cwd=self.folder,
            env=dict(self.environment),
            stdin=asyncio.subprocess.DEVNULL,
        )
        try:
            return await child.wait()
        except asyncio.CancelledError:
            child.terminate()
            try:
                await asyncio.wait_for(child.wait(), _GRACE)
            except TimeoutError:
                child.kill()
                await child.wait()
            raise


@contextmanager
def open_job_book(start: Path, environment: Mapping[str, str]) -> Iterator[JobBook]:
    """The jobs that have a schedule, for one watcher at a time."""
    config = config_file(start)
    folder = config.parent if config else start.resolve()
    state = folder / STATE_NAME
    jobs = load_settings_file(start, environment).schedules
    make_state(state)
    with lock(state / "watch", "watch"):
        yield JobBook(folder, jobs, state / _SCHEDULE, environment)


def scheduler_of(book: JobBook, observer: Observer) -> Scheduler:
    """What runs the jobs of a book."""
    return Scheduler(book.jobs, book, SystemClock(), observer)


async def watch(
    paths: Sequence[Path],
    settings: Settings,
    environment: Mapping[str, str],
    book: JobBook,
    observer: Observer,
    tell: Callable[[], None],
) -> None:
    """Look at documents as they change, run jobs when they are due, and have `tell` called while anything
    waits to be told; for good.
    """
    clock = SystemClock()

    async def look() -> Report:
        return await look_at_documents(paths, settings, environment, observer, ask=False)

    async def ask() -> Report:
        return await look_at_documents(paths, settings, environment, observer, ask=True)

    async def keep_telling() -> None:
        state = state_of_documents(paths, settings)
        while settings.notify:
            await clock.sleep(_TELL_EVERY)
            if _is_anything_owed(settings, state):
                async with documents.turn():
                    await asyncio.to_thread(tell)

    documents = DocumentWatch(
        look, ask if settings.track.asking.fetch_external_urls else None, clock, observer
    )
    scheduler = replace(scheduler_of(book, observer), turn=documents.turn)
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(documents.run(changed_files(paths)))
            group.create_task(scheduler.keep_running())
            group.create_task(keep_telling())
    except BaseExceptionGroup as trouble:
        raise trouble.exceptions[0] from None


async def look_at_documents(
    paths: Sequence[Path],
    settings: Settings,
    environment: Mapping[str, str],
    observer: Observer,
    *,
    ask: bool,
) -> Report:
    """What is wrong with the documents now; what is new or due is asked first, if that is wished."""
    request = replace(track_request(force=False, eager=False), rest=_REST)
    with open_tracker(paths, settings, request, observer) as tracker:
        return (await track_once(tracker, settings, environment) if ask else tracker.report()).report


async def changed_files(paths: Sequence[Path]) -> AsyncIterator[tuple[Path, ...]]:
    """The files that changed, batch by batch; first an empty one, once they are being watched."""
    is_first = True
    async for batch in batches([find_root(path) for path in paths[:1]], _WHILE):
        if batch or is_first:
            yield batch
        is_first = False


def _is_anything_owed(settings: Settings, state: Path) -> bool:
    try:
        with read_store(settings, state) as store:
            return is_anything_owed(store.ledger)
    except HoldfastError:  # there is no ledger yet
        return False
