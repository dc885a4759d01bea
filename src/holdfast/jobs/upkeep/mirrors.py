"""Works on a mirror that exists: its workers started, then, while they make ready, its state opened and what
the work needs imported.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.system import followed
from holdfast.core.base.errors import UNREADABLE, UsageError
from holdfast.core.settings.resolve import Settings
from holdfast.core.url.policy import Component
from holdfast.jobs.places import LEDGER, state_of
from holdfast.jobs.session import open_store, read_store
from holdfast.jobs.upkeep.restore_row import Difference, unreadable_row

if TYPE_CHECKING:
    from holdfast.adapters.ports import Observer
    from holdfast.jobs.mirror_place import MirrorPlace, RebuildRequest
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


async def verify_mirror(place: MirrorPlace, settings: Settings, observer: Observer) -> list[Difference]:
    """Everything that differs between a mirror's folder, its ledger and its archive."""
    try:
        with read_store(settings, place.state, workers=True) as session:
            from holdfast.jobs.upkeep.as_made import verify_with  # noqa: PLC0415 - workers start first

            session.observer = observer
            return await verify_with(place, session)
    except UNREADABLE as error:
        return [unreadable_row(error)]


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
