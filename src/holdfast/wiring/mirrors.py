"""Works on a mirror that exists: its workers started, then, while they make ready, its state opened and what
the work needs imported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast import questions, wiring
from holdfast.adapters.system import followed
from holdfast.core.answers.upkeep import Difference, unreadable_row
from holdfast.core.errors import UNREADABLE, UsageError
from holdfast.core.recipe import Component
from holdfast.core.settings import Settings
from holdfast.core.values import dataclass
from holdfast.wiring.states import LEDGER, MirrorPlace, state_of
from holdfast.wiring.workers import converters

if TYPE_CHECKING:
    from holdfast.core.answers.remaking import Rebuilt, Reprocessed
    from holdfast.jobs.stop import Stop
    from holdfast.ports import Observer
    from holdfast.wiring.store import Store

__all__ = ["RebuildRequest", "rebuild_mirror", "reprocess_run", "verify_mirror"]


@contextmanager
def _read_mirror(place: MirrorPlace, settings: Settings) -> Iterator[Store]:
    """A mirror's ledger and archive, to ask."""
    with wiring.store.read_store(settings, place.state) as store:
        questions.mirrors.require_mirror(store.ledger, place.label)
        yield store


@contextmanager
def _write_mirror(place: MirrorPlace, purpose: str, settings: Settings) -> Iterator[Store]:
    """A mirror's ledger and archive, as their one writer."""
    with wiring.store.open_store(place.state, purpose, settings, of=f"mirror {place.label}") as store:
        questions.mirrors.require_mirror(store.ledger, place.label)
        yield store


@dataclass(frozen=True, slots=True)
class RebuildRequest:
    """What to rebuild: `to` another folder, `at` a date or a run, in another `layout`; `given` flags; `move`:
    to the recipe that the settings make.
    """

    place: MirrorPlace
    to: Path | None
    at: str | None
    layout: str | None
    given: Mapping[str, str]
    move: bool = False


async def rebuild_mirror(request: RebuildRequest, settings: Settings, observer: Observer) -> Rebuilt:
    """Write a mirror's folder anew; the network is not among what it is given."""
    if request.to is not None:
        _check_target(request.place, request.to)
    with (
        converters(settings) as refine,
        _write_mirror(request.place, "rebuild", settings) as store,
    ):
        return await wiring.upkeep.rebuild_with(request, store, refine, settings, observer)


async def verify_mirror(place: MirrorPlace, settings: Settings, observer: Observer) -> list[Difference]:
    """Everything that differs between a mirror's folder, its ledger and its archive."""
    try:
        return await _verified(place, settings, observer)
    except UNREADABLE as error:
        return [unreadable_row(error)]


async def _verified(place: MirrorPlace, settings: Settings, observer: Observer) -> list[Difference]:
    with converters(settings) as refine, _read_mirror(place, settings) as store:
        return await wiring.upkeep.verify_with(place, store, refine, settings, observer)


async def reprocess_run(
    name: str, content: Component | None, settings: Settings, observer: Observer, stop: Stop
) -> Reprocessed:
    """Go over a run with another recipe; the network is not among what it is given."""
    with (
        converters(settings) as refine,
        wiring.store.open_store(state_of(settings), "reprocess", settings) as store,
    ):
        return await wiring.upkeep.reprocess_with(store, refine, (name, content), settings, observer, stop)


def _check_target(place: MirrorPlace, to: Path) -> None:
    """Another folder than the mirror's own, and nobody else's mirror."""
    if followed(to) == followed(place.folder):
        raise UsageError(
            f"--to names the mirror's own folder, {place.folder}",
            hint="leave out --to to rebuild it in place, or name a folder that is not there yet",
        )
    if (to / ".holdfast" / LEDGER).is_file():
        raise UsageError(f"{to} is another mirror", hint="name a folder that is not there yet")
