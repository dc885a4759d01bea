"""Tracking whose URLs workers ask: one job for each part of the hosts (CLU-3).

The command that was started reads the documents, puts what is due in the queue, waits, and tells. A worker
makes the same plan from the ledger and asks the hosts of its part, each in its lane. The one who waited for
all tells the archive what was learned.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from holdfast.adapters.document_folder import DocumentFolder
from holdfast.adapters.ports import Event, Observer
from holdfast.adapters.system import SystemClock
from holdfast.adapters.workers.distillery import Distillery
from holdfast.core.base.errors import FailedError, UsageError
from holdfast.core.lineage.chapters import CITATIONS
from holdfast.core.lineage.shared_jobs import JobLease, JobState, shards_of
from holdfast.core.settings.resolve import Settings
from holdfast.jobs.check.asking_run import TrackRun, plan_of_shard, track_fetcher, track_shared
from holdfast.jobs.check.check import Tracker, tracked_standard
from holdfast.jobs.check.options import TrackRequest, track_options
from holdfast.jobs.leases import open_jobs
from holdfast.jobs.load_settings import settings_for_work, settings_of_work
from holdfast.jobs.session import is_shared, open_store
from holdfast.storage.postgres.host_lanes import LanedFetcher

if TYPE_CHECKING:
    from holdfast.jobs.check.check_result import TrackResult
    from holdfast.jobs.check.planning import TrackPlan
    from holdfast.jobs.stop import Stop
    from holdfast.storage.postgres.job_queue import JobTable

SHARDS: Final = 16
_LOOK: Final = 0.25


def _require_sharable(settings: Settings, request: TrackRequest) -> None:
    """Refuse what workers cannot reach: files of this machine."""
    if not is_shared(settings):
        raise UsageError(
            "--cluster needs a ledger on a server and an archive in a bucket",
            hint='set ledger = "postgresql://…" and archive = "s3://…" in holdfast.toml',
        )
    if request.touched is not None or request.told or request.given or request.pages:
        raise UsageError(
            "--cluster asks what is due of all that the documents cite",
            hint="leave out --changed-since, --lychee-cache, standard input and pages, or --cluster",
        )


async def track_by_workers(
    tracker: Tracker, settings: Settings, request: TrackRequest, observer: Observer
) -> TrackResult:
    """One run of tracking that workers ask for."""
    _require_sharable(settings, request)
    wish = {"kind": "track", "settings": settings_of_work(settings), "of": SHARDS}
    wish |= {"force": request.force, "eager": request.eager}

    async def ask(plan: TrackPlan, paths: tuple[str, ...] | None) -> None:
        counts = shards_of((ask.url.host for ask in plan.asks), SHARDS)
        with closing(open_jobs(settings)) as jobs:
            numbers = {
                jobs.submit(f"track {shard + 1}/{SHARDS}", {**wish, "shard": shard, "paths": paths}): count
                for shard, count in counts.items()
            }
            try:
                await _wait_for(numbers, jobs, observer)
            except BaseException:
                for number in numbers:
                    job = jobs.job(number)
                    if job is not None and job.state is JobState.READY:
                        jobs.cancel(job.name)
                    jobs.ask_to_stop(number)
                raise

    return await track_shared(tracker, ask)


async def _wait_for(numbers: Mapping[int, int], jobs: JobTable, observer: Observer) -> None:
    """Until all jobs are over; how far they are is told. `numbers` says how many URLs each has."""
    total, left, done = sum(numbers.values()), set(numbers), 0
    while left:
        for number in tuple(left):
            job = jobs.job(number)
            if job is not None and job.state in (JobState.READY, JobState.TAKEN):
                continue
            if job is None or job.state is not JobState.DONE:
                told = job.result.get("error") if job and job.result else "it was taken out of the queue"
                raise FailedError(f"{job.name if job else 'track'}: {told}")
            left.remove(number)
            done += numbers[number]
            facts = (("url", job.name), ("state", job.state), ("done", done), ("total", total))
            observer.notice(Event("answered", facts))
        await asyncio.sleep(_LOOK)


async def ask_shard(
    lease: JobLease, settings: Settings, seconds: float, observer: Observer, stop: Stop
) -> tuple[str, Mapping[str, Any]]:
    """On a worker: ask the hosts of one part; how it ended. What was answered is kept, whatever happens."""
    own, command, clock = settings_for_work(lease.command["settings"], settings), lease.command, SystemClock()
    rate = own.fetch.pace.content_rate_limit
    fetcher = LanedFetcher(
        track_fetcher(own, os.environ),
        open_jobs(own),
        lease,
        clock,
        seconds=seconds,
        pause=1 / rate if rate else 0.0,
    )
    paths = command["paths"]
    try:
        with (
            tempfile.TemporaryDirectory(prefix="holdfast-") as folder,
            open_store(Path(folder), "cluster worker", own, lease=lease, but={CITATIONS}) as session,
        ):
            session.observer = observer
            request = TrackRequest(force=command["force"], eager=command["eager"])
            options = track_options(own, request, tuple(paths) if paths is not None else ("",), "")
            documents = DocumentFolder(Path(folder), ())
            tracker = Tracker(documents, session, tracked_standard(session), options)
            cited = tracker.survey_of(paths)
            plan = plan_of_shard(tracker.make_plan(cited), command["shard"], command["of"])
            with closing(Distillery(tracker.recipe, tracker.distill_options, workers=1)) as distiller:
                run = TrackRun(tracker, fetcher, distiller)
                asking = asyncio.ensure_future(run.ask_planned(plan, cited))
                stop.wakers.append(asking.cancel)
                with suppress(asyncio.CancelledError):
                    await asking
            return "interrupted" if asking.cancelled() else "finished", {"asked": len(plan.asks)}
    finally:
        await fetcher.close()
