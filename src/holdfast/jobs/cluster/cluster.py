"""Work that several machines share: mirrors put in a queue, taken from it, and written out (CLU-1 to CLU-4).

1. A job is one mirror. Whoever takes it runs it with the code of the embedded form, one process at a time, so
   frontier order and bytes are the same. What it remembers is in the ledger's database and in the archive.
2. Workers write no folder: `mirror --cluster` makes one anywhere, from ledger and archive.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from holdfast.adapters.folder.folder import Folder
from holdfast.adapters.ports import Event, Observer
from holdfast.adapters.system import SystemClock
from holdfast.core.base.errors import ConfigError, FailedError, HoldfastError, LedgerError, UsageError
from holdfast.core.base.values import dataclass
from holdfast.core.crawl.decision import Ending
from holdfast.core.lineage.shared_jobs import JobLease, JobList, JobState, QueuedJob
from holdfast.core.settings.resolve import Settings
from holdfast.jobs.leases import beating, open_jobs, owner_name
from holdfast.jobs.load_settings import settings_for_work, settings_of_work
from holdfast.jobs.mirror.job import mirror
from holdfast.jobs.mirror.spec_from_settings import as_made, checked_sources, order_of
from holdfast.jobs.mirror.summary import Summary, SummaryCounts, SummaryRemarks
from holdfast.jobs.mirror_place import MirrorPlace, MirrorRequest, RebuildRequest, manifest_of
from holdfast.jobs.places import server_address
from holdfast.jobs.session import is_shared, open_store
from holdfast.jobs.stop import Stop
from holdfast.jobs.upkeep.mirrors import rebuild_mirror
from holdfast.jobs.web_door import make_fetcher
from holdfast.jobs.workers import refined_by, start_workers
from holdfast.storage.postgres.host_lanes import LanedFetcher
from holdfast.storage.postgres.kept_files import KeptFiles
from holdfast.storage.postgres.postgres_server import PostgresDatabase

if TYPE_CHECKING:
    from holdfast.adapters.workers.pool import Workers
    from holdfast.storage.postgres.job_queue import JobTable

_IDLE: Final = 1.0
_MOST_ATTEMPTS: Final = 20


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """How a worker behaves: `drain` ends it when nothing is left to do; a lease lasts for `seconds`."""

    drain: bool = False
    seconds: float = 15.0


def require_shared(settings: Settings) -> None:
    """A queue needs a ledger and an archive that every worker reaches."""
    if not is_shared(settings):
        raise ConfigError(
            "work is shared through a ledger on a server and an archive in a bucket; not both are named",
            hint='set ledger = "postgresql://…" and archive = "s3://…" in holdfast.toml',
        )


def submit_mirror(request: MirrorRequest, label: str) -> QueuedJob:
    """Put a mirror in the queue."""
    require_shared(request.settings)
    checked_sources(request)
    for source in request.sources:
        if "://" not in source:
            raise UsageError(
                f"{source}: a worker on another machine cannot read this file",
                hint="name the site, a page or a sitemap by its URL",
            )
    given = settings_of_work(request.settings)
    command = {"kind": "mirror", "label": label, "sources": request.sources, "settings": given}
    with closing(open_jobs(request.settings)) as jobs:
        made = jobs.job(jobs.submit(f"mirror {label}", command))
    if made is None:
        raise FailedError(f"mirror {label}: taken out of the queue at once")
    return made


def list_jobs(settings: Settings, *, is_open: bool = False) -> JobList:
    """Every job, or those that are not over."""
    with closing(open_jobs(settings)) as jobs:
        return JobList(jobs.jobs(is_open=is_open))


async def work(settings: Settings, options: WorkerOptions, observer: Observer, stop: Stop) -> int:
    """Take jobs until told to stop; how many were worked on."""

    require_shared(settings)
    jobs, done = open_jobs(settings), 0
    with start_workers(settings) as workers:
        while not stop.soon:
            try:
                lease = jobs.claim(owner_name(), options.seconds)
                if lease is not None:
                    await _work_on(lease, jobs, workers, settings, options, observer, stop)
                    done += 1
                elif options.drain and not jobs.jobs(is_open=True):
                    break
                else:
                    await _pause(stop)
            except LedgerError as error:  # the server may be back soon; whoever has the job then goes on
                _say(observer, error.message)
                jobs.close()
                await _pause(stop)
                with suppress(LedgerError):
                    jobs = open_jobs(settings)
    jobs.close()
    return done


def _say(observer: Observer, text: str) -> None:
    observer.notice(Event("warning", (("text", text),)))


async def _pause(stop: Stop) -> None:
    woken = asyncio.Event()
    stop.wakers.append(woken.set)
    try:
        with suppress(TimeoutError):
            await asyncio.wait_for(woken.wait(), _IDLE)
    finally:
        stop.wakers.remove(woken.set)


async def _work_on(
    lease: JobLease,
    jobs: JobTable,
    workers: Workers,
    settings: Settings,
    options: WorkerOptions,
    observer: Observer,
    stop: Stop,
) -> None:
    """Do a job, and say how it went; one that was interrupted here is for the next worker."""

    loop, own = asyncio.get_running_loop(), Stop()

    def asked(times: int) -> None:
        def ask() -> None:
            while own.asked < times:
                own.ask()

        loop.call_soon_threadsafe(ask)

    stop.wakers.append(own.ask)
    _say(observer, f"{lease.name}: taken (epoch {lease.epoch})")
    try:
        with beating(settings, lease, options.seconds, asked):
            status, result = await _done_by(lease, workers, settings, options, observer, own)
        state = JobState.READY if stop.soon and status == "interrupted" else JobState.DONE
        jobs.end(lease, state, result)
    except HoldfastError as error:
        state = JobState.FAILED if _is_hopeless(error, jobs.job(lease.job_id)) else JobState.READY
        jobs.end(lease, state, {"error": error.message, "exit": int(error.exit_status)})
        _say(observer, f"{lease.name}: {error.message}")
    finally:
        stop.wakers.remove(own.ask)


async def _done_by(
    lease: JobLease,
    workers: Workers,
    settings: Settings,
    options: WorkerOptions,
    observer: Observer,
    stop: Stop,
) -> tuple[str, Mapping[str, Any]]:
    """Do what a job is about: how it ended, and what is told of it."""
    match lease.command.get("kind"):
        case "mirror":
            summary = await _mirror_without_folder(lease, workers, settings, options, observer, stop)
            return summary.status, {"summary": asdict(replace(summary, update=None))}
        case "track":
            from holdfast.jobs.cluster.shared_tracking import ask_shard  # noqa: PLC0415 - few jobs are of that kind

            return await ask_shard(lease, settings, options.seconds, observer, stop)
    raise UsageError(f"{lease.name}: this worker does not know such jobs", hint="use a newer Holdfast")


def _is_hopeless(error: HoldfastError, job: QueuedJob | None) -> bool:
    """Whether the next worker would fare no better: the order itself is wrong, or many have tried."""
    return isinstance(error, (UsageError, ConfigError)) or (
        job is not None and job.attempts >= _MOST_ATTEMPTS
    )


async def _mirror_without_folder(
    lease: JobLease,
    workers: Workers,
    settings: Settings,
    options: WorkerOptions,
    observer: Observer,
    stop: Stop,
) -> Summary:
    """Make a mirror without its folder, or go on with one that another worker began."""

    request, clock = _request_of(lease, settings), SystemClock()
    sources = checked_sources(request)
    address = server_address(request.settings)
    files = KeptFiles(PostgresDatabase(address, fence=lease), request.label or "")
    request = as_made(request, sources, manifest_of(files))
    own = request.settings
    rate = own.fetch.pace.content_rate_limit
    fetcher = LanedFetcher(
        make_fetcher(own, environment=request.environment, named=request.sources),
        open_jobs(own),
        lease,
        clock,
        seconds=options.seconds,
        pause=1 / rate if rate else 0.0,
    )
    try:
        with (
            tempfile.TemporaryDirectory(prefix="holdfast-") as state,
            open_store(Path(state), "cluster worker", own, lease=lease) as session,
        ):
            session.refine, session.observer = refined_by(workers), observer
            order = order_of(request, sources, session, manifest_of(files))
            return await mirror(order, session, fetcher, files, stop, limited=rate > 0)
    finally:
        await fetcher.close()
        files.close()


def _request_of(lease: JobLease, settings: Settings) -> MirrorRequest:
    """What a job asks for, with the ledger and the archive of this machine's settings."""
    command = lease.command
    own, label = settings_for_work(command["settings"], settings), str(command["label"])
    return MirrorRequest(tuple(command["sources"]), Path(label), own, os.environ, label)


def _summary_of(result: Mapping[str, Any]) -> Summary:
    """How a job went, as it was told."""
    told: dict[str, Any] = dict(result["summary"])
    remarks: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in told["remarks"].items()
    }
    counts = SummaryCounts(**told["counts"])
    told |= {"status": Ending(told["status"]), "counts": counts, "remarks": SummaryRemarks(**remarks)}
    return Summary(**told)


async def mirror_by_workers(request: MirrorRequest, label: str, observer: Observer, stop: Stop) -> Summary:
    """Submit, wait, and write the folder. Who asks to stop asks the worker; what was made is written out."""
    number = submit_mirror(request, label).job_id
    with closing(open_jobs(request.settings)) as jobs:
        asked = 0
        while (job := jobs.job(number)) is not None and job.state in (JobState.READY, JobState.TAKEN):
            while asked < stop.asked:
                asked += 1
                jobs.ask_to_stop(number)
            if stop.soon and job.state is JobState.READY and jobs.cancel(job.name):
                raise UsageError(f"{job.name}: taken out of the queue; no worker had begun")
            await asyncio.sleep(_IDLE / 4)
    if job is None or job.result is None or "summary" not in job.result:
        told = job.result.get("error") if job and job.result else None
        raise FailedError(f"mirror {label}: {told or 'it was taken out of the queue'}")
    await _write_out(request, label, observer)
    return replace(_summary_of(job.result), output=str(request.output))


async def _write_out(request: MirrorRequest, label: str, observer: Observer) -> None:
    """Make the folder of a mirror that workers made: what it says of itself, and its pages."""

    settings = request.settings
    with (
        closing(KeptFiles(PostgresDatabase(server_address(settings), read_only=True), label)) as kept,
        closing(Folder(request.output)) as folder,
    ):
        for path in kept.walk():
            folder.write(path, kept.read(path) or b"")
    with tempfile.TemporaryDirectory(prefix="holdfast-") as state:
        place = MirrorPlace(request.output, Path(state), label)
        await rebuild_mirror(RebuildRequest(place, None, None, None, {}), settings, observer)
