"""Mirrors and checks brought up to date, one after another (STA-11).

1. Each part is done whatever became of the others. One that could not be done at all says why.
2. Who asks to stop has what is under way finished, and nothing more begun.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from functools import partial
from typing import TYPE_CHECKING

from holdfast.core.base.errors import ExitStatus, HoldfastError, UsageError
from holdfast.core.crawl.decision import Ending
from holdfast.core.crawl.updates import Fate
from holdfast.core.lineage.lineage import is_empty_handed
from holdfast.core.links.link_state import Standing
from holdfast.core.settings.reach import lacks_trusted_consent
from holdfast.jobs.check.asking_run import track_once
from holdfast.jobs.check.check import open_tracker, track_request
from holdfast.jobs.mirror.starting import make_mirror
from holdfast.jobs.sync.sync_result import FAIL_ON, Synced, SyncedPart, passed

if TYPE_CHECKING:
    from holdfast.adapters.ports import Observer
    from holdfast.jobs.check.check_result import TrackResult
    from holdfast.jobs.mirror.summary import Summary
    from holdfast.jobs.stop import Stop
    from holdfast.jobs.sync.sync_plan import SyncCheck, SyncMirror, SyncPlan


async def sync(
    plan: SyncPlan, observers: tuple[Observer, Observer], stop: Stop, fail_on: Collection[str] = ("failed",)
) -> Synced:
    """Do all that is planned; of the observers one is told of mirrors, one of checks."""
    if unknown := [word for word in fail_on if word not in FAIL_ON]:
        raise UsageError(f"--fail-on {unknown[0]}: not a kind", hint=f"there are {', '.join(FAIL_ON)}")
    names = [*(mirror.name for mirror in plan.mirrors), *(check.name for check in plan.checks)]
    works = [partial(_mirrored, mirror, observers[0], stop, fail_on) for mirror in plan.mirrors]
    alone = len(names) == 1
    works += [partial(_checked, check, observers[1], stop, fail_on, is_only=alone) for check in plan.checks]
    done = [
        SyncedPart("rest", name, ExitStatus.INTERRUPTED, {}, "it was not begun")
        if stop.soon
        else await work()
        for name, work in zip(names, works, strict=True)
    ]
    return Synced(tuple(done), tuple(passed(plan)))


async def _mirrored(part: SyncMirror, observer: Observer, stop: Stop, fail_on: Collection[str]) -> SyncedPart:
    async def work() -> SyncedPart:
        summary = await make_mirror(part.request, observer, stop)
        report = summary.update
        fates = [happening.fate for happening in report.happenings] if report else []
        found = {
            "failed": summary.failed,
            "gone": fates.count(Fate.GONE),
            "changed": fates.count(Fate.CHANGED),
            "new": fates.count(Fate.NEW),
        }
        return SyncedPart("mirror", part.name, _status_of(summary, found, fail_on), found, summary=summary)

    return await _tried("mirror", part.name, work)


def _status_of(summary: Summary, found: dict[str, int], fail_on: Collection[str]) -> ExitStatus:
    match summary.status:
        case Ending.INTERRUPTED:
            return ExitStatus.INTERRUPTED
        case Ending.NO_SPACE:
            return ExitStatus.NO_SPACE
        case Ending.ABORTED:
            return ExitStatus.FAILED
        case Ending.FINISHED | Ending.MAX_PAGES:
            if summary.failed and is_empty_handed(summary.pages, summary.outcomes):
                return ExitStatus.FAILED
            return _status_by(found, fail_on)


def _status_by(found: dict[str, int], fail_on: Collection[str]) -> ExitStatus:
    return ExitStatus.FINDINGS if any(found.get(word) for word in fail_on) else ExitStatus.SUCCESS


async def _checked(
    part: SyncCheck, observer: Observer, stop: Stop, fail_on: Collection[str], *, is_only: bool
) -> SyncedPart:
    async def work() -> SyncedPart:
        request = track_request(force=False, eager=False)
        with open_tracker(part.paths, part.settings, request, observer) as tracker:
            result = (
                await _until_stopped(track_once(tracker, part.settings, part.environment), stop)
                if part.asks
                else tracker.report()
            )
        if result is None:
            return SyncedPart("check", part.name, ExitStatus.INTERRUPTED, {}, "interrupted; answers are kept")
        found = {
            "dead": result.standings[Standing.DEAD],
            "suspect": result.standings[Standing.SUSPECT],
            "changed": len(result.changes),
            "asked": result.asked,
            "not asked": 0 if part.asks else len(result.plan.asks),
        }
        status = _status_by(found, fail_on)
        if lacks_trusted_consent(part.settings) and (part.is_named or is_only):
            status = ExitStatus.REFUSED
        return SyncedPart("check", part.name, status, found, result=result)

    return await _tried("check", part.name, work)


async def _tried(kind: str, name: str, work: Callable[[], Awaitable[SyncedPart]]) -> SyncedPart:
    """What a part came to, also where it could not be done."""
    try:
        return await work()
    except HoldfastError as error:
        hint = f" ({error.hint})" if error.hint else ""
        return SyncedPart(kind, name, error.exit_status, {}, f"{error.message}{hint}")


async def _until_stopped(work: Awaitable[TrackResult], stop: Stop) -> TrackResult | None:
    """What a run of asking found; None where somebody asked to stop: what was answered is kept."""
    task = asyncio.ensure_future(work)
    stop.wakers.append(task.cancel)
    try:
        return await task
    except asyncio.CancelledError:
        if not stop.soon:
            raise
        return None
    finally:
        stop.wakers.remove(task.cancel)
