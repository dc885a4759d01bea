"""Documents that are looked at when they change, and jobs that are due (TRK-10).

1. A change on disk is answered at once, by what is known: nobody waits for the web.
2. With consent, what is new or due is asked once documents have been quiet for a moment, and again from
   time to time. A change meanwhile ends the asking, which keeps what was answered, and begins anew after
   it.
3. Whatever uses the store has its turn, one at a time: looks, questions, jobs, notifications.
4. A job runs as a process of its own, as cron would run it: what it holds it lets go of, however it ends.
   Who ends the watcher ends the job that runs, in order.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Final

from holdfast.adapters.file_watch import batches
from holdfast.adapters.ports import Clock, Event, Observer
from holdfast.adapters.system import SystemClock, read_text, write_text
from holdfast.core.base.errors import HoldfastError
from holdfast.core.base.values import dataclass
from holdfast.core.findings.cited_findings import came_and_went
from holdfast.core.findings.report import Report, ReportFinding
from holdfast.core.settings.resolve import Settings
from holdfast.core.settings.schedule import JobRuns, Schedule, read_schedule_file, schedule_text
from holdfast.jobs.check.asking_run import track_once
from holdfast.jobs.check.check import open_tracker, state_of_documents, track_request
from holdfast.jobs.load_settings import config_file, load_settings_file
from holdfast.jobs.session import read_store
from holdfast.jobs.sync.notify import is_anything_owed
from holdfast.jobs.sync.scheduling import Scheduler
from holdfast.storage.state_folder import STATE_NAME, find_root, lock, make_state

QUIET: Final = 2.0
"""Seconds without a change before anything is asked."""
ASK_AGAIN: Final = 300.0
"""Seconds after which is looked for what has become due."""

Look = Callable[[], Awaitable[Report]]


class DocumentWatch:
    """Looks at documents. `look` says what is wrong by what is known, `ask` asks first; None: no consent."""

    def __init__(self, look: Look, ask: Look | None, clock: Clock, observer: Observer) -> None:
        self._look = look
        self._ask = ask
        self._clock = clock
        self._observer = observer
        self._known: tuple[ReportFinding, ...] = ()
        self._turn = asyncio.Lock()
        self._asking: asyncio.Task[None] | None = None

    async def run(self, batches: AsyncIterator[object]) -> None:
        """Look now, and after each batch of changes, until there are no more of them."""
        try:
            await self._look_and_ask()
            async for _ in batches:
                await self._look_and_ask()
        finally:
            await self._stop_asking()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """While somebody else uses the store; after that documents are looked at again."""
        await self._stop_asking()
        async with self._turn:
            yield
        await self._look_and_ask()

    async def _look_and_ask(self) -> None:
        await self._stop_asking()
        async with self._turn:
            await self._tell(self._look)
            await self._stop_asking()  # what somebody else began while this waited for its turn
            if self._ask is not None:
                self._asking = asyncio.create_task(self._keep_asking(self._ask))

    async def _keep_asking(self, ask: Look) -> None:
        await self._clock.sleep(QUIET)
        while True:
            async with self._turn:
                await self._tell(ask)
            await self._clock.sleep(ASK_AGAIN)

    async def _stop_asking(self) -> None:
        task, self._asking = self._asking, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _tell(self, look: Look) -> None:
        """Look, and tell what came and what went."""
        try:
            report = await look()
        except HoldfastError as error:  # another run holds the store: the next look tells
            self._observer.notice(Event("trouble", (("text", error.message),)))
            return
        came, went = came_and_went(self._known, report.findings)
        self._known = report.findings
        self._observer.notice(Event("findings", (("came", came), ("went", went))))


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
        words = ["mirror", job, "--update", "--quiet"] if kind == "mirror" else ["check", "--job", job]
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
        look, ask if settings.check.asking.fetch_external_urls else None, clock, observer
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
        with read_store(settings, state) as session:
            return is_anything_owed(session.ledger)
    except HoldfastError:  # there is no ledger yet
        return False
