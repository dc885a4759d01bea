"""Works on a mirror that exists: its workers started, then, while they make ready, its state opened and what
the work needs imported.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.system import followed
from holdfast.core.base.errors import NotHereError, UsageError
from holdfast.core.base.late_modules import thing_named
from holdfast.core.settings.resolve import Settings
from holdfast.core.targets.command_target import CommandTarget, TargetKind
from holdfast.core.url.policy import Component
from holdfast.jobs.places import LEDGER, state_of
from holdfast.jobs.session import open_store, read_store
from holdfast.jobs.upkeep.verify_row import StoreVerified, verify

if TYPE_CHECKING:
    from holdfast.adapters.ports import Observer
    from holdfast.jobs.mirror_place import MirrorPlace, RebuildRequest
    from holdfast.jobs.row_runner import StoreAtWork
    from holdfast.jobs.stop import Stop
    from holdfast.jobs.upkeep.restore_row import Rebuilt, Reprocessed


async def rebuild_mirror(request: RebuildRequest, settings: Settings, observer: Observer) -> Rebuilt:
    """Write a mirror's folder anew; the network is not among what it is given."""
    place = request.place
    if request.to is not None:
        _check_target(place, request.to)
    with open_store(place.state, "restore", settings, of=f"mirror {place.label}", workers=True) as session:
        from holdfast.jobs.upkeep.as_made import rebuild_with  # noqa: PLC0415 - workers start first

        session.observer = observer
        return await rebuild_with(request, session)


@verify.job
async def verify_store(
    work: StoreAtWork, target: CommandTarget, *, repair: bool, dry_run: bool
) -> StoreVerified:
    """Read all of a store, or of one of its mirrors; and with `repair` mend its archive, unless that is only
    tried.
    """
    if target.kind is TargetKind.DOCUMENTS and target.value != ".":
        raise NotHereError(f"no store is in {target.value}", hint=f"one is in {work.root}: `holdfast verify`")
    mirror = target.value if target.kind is TargetKind.MIRROR else None
    done = None
    if repair and not dry_run:
        done = thing_named("jobs.upkeep.repair:repair_archive")(work.settings, work.state)
    with read_store(work.settings, work.state, workers=True) as session:
        from holdfast.jobs.upkeep.repair import verified  # noqa: PLC0415 - workers start first

        session.observer = work.observer
        found = await verified(session, work, mirror, is_plan=repair and dry_run)
    return replace(found, repair=done) if done else found


async def reprocess_run(
    name: str, content: Component | None, settings: Settings, observer: Observer, stop: Stop
) -> Reprocessed:
    """Go over a run with another recipe; the network is not among what it is given."""
    with open_store(state_of(settings), "store reprocess", settings, workers=True) as session:
        from holdfast.jobs.upkeep.as_made import reprocess_with  # noqa: PLC0415 - workers start first

        session.observer = observer
        return await reprocess_with(session, name, content, stop)


def _check_target(place: MirrorPlace, to: Path) -> None:
    """Another folder than the mirror's own, and nobody else's mirror."""
    if followed(to) == followed(place.folder):
        raise UsageError(
            f"--output names the mirror's own folder, {place.folder}",
            hint="leave out --output to rebuild it in place, or name a folder that is not there yet",
        )
    if (to / ".holdfast" / LEDGER).is_file():
        raise UsageError(f"{to} is another mirror", hint="name a folder that is not there yet")
