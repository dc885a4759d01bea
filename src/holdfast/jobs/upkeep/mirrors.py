"""Works on a mirror that exists: its workers started, then, while they make ready, its state opened and what
the work needs imported.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.system import followed
from holdfast.core.base.errors import UNREADABLE, UsageError
from holdfast.core.settings.resolve import Settings
from holdfast.core.url.policy import Component
from holdfast.jobs.places import LEDGER, state_of
from holdfast.jobs.upkeep.restore_row import Difference, unreadable_row
from holdfast.jobs.workers import converters

if TYPE_CHECKING:
    from holdfast.adapters.ports import Observer
    from holdfast.jobs.mirror_place import MirrorPlace, RebuildRequest
    from holdfast.jobs.session import Store
    from holdfast.jobs.stop import Stop
    from holdfast.jobs.upkeep.restore_row import Rebuilt, Reprocessed


@contextmanager
def _read_mirror(place: MirrorPlace, settings: Settings) -> Iterator[Store]:
    """A mirror's ledger and archive, to ask."""
    from holdfast.jobs.session import read_store  # noqa: PLC0415 - imported when it is used

    with read_store(settings, place.state) as store:
        from holdfast.questions.log.runs import require_mirror  # noqa: PLC0415 - imported when it is used

        require_mirror(store.ledger, place.label)
        yield store


@contextmanager
def _write_mirror(place: MirrorPlace, purpose: str, settings: Settings) -> Iterator[Store]:
    """A mirror's ledger and archive, as their one writer."""
    from holdfast.jobs.session import open_store  # noqa: PLC0415 - imported when it is used

    with open_store(place.state, purpose, settings, of=f"mirror {place.label}") as store:
        from holdfast.questions.log.runs import require_mirror  # noqa: PLC0415 - imported when it is used

        require_mirror(store.ledger, place.label)
        yield store


async def rebuild_mirror(request: RebuildRequest, settings: Settings, observer: Observer) -> Rebuilt:
    """Write a mirror's folder anew; the network is not among what it is given."""
    if request.to is not None:
        _check_target(request.place, request.to)
    with (
        converters(settings) as refine,
        _write_mirror(request.place, "rebuild", settings) as store,
    ):
        from holdfast.jobs.upkeep.as_made import rebuild_with  # noqa: PLC0415 - imported when it is used

        return await rebuild_with(request, store, refine, settings, observer)


async def verify_mirror(place: MirrorPlace, settings: Settings, observer: Observer) -> list[Difference]:
    """Everything that differs between a mirror's folder, its ledger and its archive."""
    try:
        return await _verified(place, settings, observer)
    except UNREADABLE as error:
        return [unreadable_row(error)]


async def _verified(place: MirrorPlace, settings: Settings, observer: Observer) -> list[Difference]:
    with converters(settings) as refine, _read_mirror(place, settings) as store:
        from holdfast.jobs.upkeep.as_made import verify_with  # noqa: PLC0415 - imported when it is used

        return await verify_with(place, store, refine, settings, observer)


async def reprocess_run(
    name: str, content: Component | None, settings: Settings, observer: Observer, stop: Stop
) -> Reprocessed:
    """Go over a run with another recipe; the network is not among what it is given."""
    from holdfast.jobs.session import open_store  # noqa: PLC0415 - imported when it is used

    with (
        converters(settings) as refine,
        open_store(state_of(settings), "reprocess", settings) as store,
    ):
        from holdfast.jobs.upkeep.as_made import reprocess_with  # noqa: PLC0415 - imported when it is used

        return await reprocess_with(store, refine, (name, content), settings, observer, stop)


def _check_target(place: MirrorPlace, to: Path) -> None:
    """Another folder than the mirror's own, and nobody else's mirror."""
    if followed(to) == followed(place.folder):
        raise UsageError(
            f"--to names the mirror's own folder, {place.folder}",
            hint="leave out --to to rebuild it in place, or name a folder that is not there yet",
        )
    if (to / ".holdfast" / LEDGER).is_file():
        raise UsageError(f"{to} is another mirror", hint="name a folder that is not there yet")
