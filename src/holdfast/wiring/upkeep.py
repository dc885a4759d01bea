"""What looks after a mirror that exists: its folder, its state, its name in the ledger, opened together."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.clock import SystemClock
from holdfast.adapters.state_folder import mirror_state
from holdfast.core.errors import MirrorError, UsageError
from holdfast.core.ledger import RunRecord
from holdfast.core.policy import POLICIES
from holdfast.core.recipe import Component, Recipe
from holdfast.core.settings import Settings
from holdfast.wiring import Store, load_identity, open_store, read_store, state_of

if TYPE_CHECKING:
    from holdfast.distill import DistillOptions
    from holdfast.jobs.mirror.order import Standard
    from holdfast.jobs.mirror.tools import Refine, Stop
    from holdfast.jobs.reprocess import Reprocessed
    from holdfast.ports import Observer

__all__ = ["Place", "distill_options", "place_of", "read_mirror", "reprocess_run", "write_mirror"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a mirror lies, where its state is, and what the ledger calls it."""

    folder: Path
    state: Path
    label: str


def place_of(folder: Path, settings: Settings) -> Place:
    """A mirror by its folder. A folder without a state of its own or above is no mirror."""
    state = Path(settings.store.state) if settings.store.state else mirror_state(folder)
    if not (state / "ledger.db").is_file():
        raise MirrorError(
            f"{folder} is no mirror: there is no ledger in {state}",
            hint="`holdfast mirror SOURCE -o DIR` makes one; --state names a state folder elsewhere",
        )
    output, root = folder.resolve(), state.resolve().parent
    inside = output.is_relative_to(root)
    return Place(folder, state, output.relative_to(root).as_posix() if inside else output.as_posix())


@contextmanager
def read_mirror(place: Place, settings: Settings) -> Iterator[Store]:
    """A mirror's ledger and archive, to ask."""
    with read_store(settings, place.state) as store:
        _require_runs(store, place)
        yield store


@contextmanager
def write_mirror(place: Place, purpose: str, settings: Settings) -> Iterator[Store]:
    """A mirror's ledger and archive, as their one writer."""
    with open_store(place.state, purpose, settings) as store:
        _require_runs(store, place)
        yield store


def distill_options(settings: Settings) -> DistillOptions:
    """How Markdown is made."""
    from holdfast.distill import DistillOptions  # noqa: PLC0415 # lazy: the parser

    return DistillOptions(full=settings.mirror.content == "full", max_bytes=settings.distill.max_page_bytes)


def _require_runs(store: Store, place: Place) -> None:
    if next(store.ledger.runs(label=place.label), None) is None:
        known = sorted({record.run.label for record in store.ledger.runs()})
        raise UsageError(
            f"the ledger in {place.state} knows no mirror {place.label!r}",
            hint=f"it knows {', '.join(map(repr, known))}" if known else "it knows none",
        )


def require_run(store: Store, name: str) -> RunRecord:
    """A run by its id or the beginning of it."""
    record = store.ledger.run(name)
    if record is None:
        raise UsageError(f"there is no run that begins with {name!r}", hint="`holdfast runs` lists them")
    return record


@contextmanager
def converters(settings: Settings) -> Iterator[Refine]:
    """Worker processes that turn captures into pages."""
    from holdfast.adapters.workers import Lost, Workers  # noqa: PLC0415 # lazy: with the parsers, 300 ms
    from holdfast.jobs.mirror.tools import refine_with  # noqa: PLC0415 # lazy: as above

    workers = Workers(settings.mirror.workers or os.cpu_count() or 1)
    try:
        yield refine_with(workers.run, Lost)
    finally:
        workers.close()


def standard_for(recipe: Recipe, settings: Settings, content: Component | None = None) -> Standard:
    """The identity in force; policy and content component are a recipe's where nothing else is asked."""
    from holdfast.jobs.mirror.order import Standard  # noqa: PLC0415 # lazy: the parsers

    own = {policy.component: name for name, policy in POLICIES.items()}
    default = next((own[part] for part in recipe.components if part in own), "site")
    identity, _ = load_identity(settings, default)
    web, _ = load_identity(replace(settings, identity=replace(settings.identity, policy="web")), "web")
    kept = next(part for part in recipe.components if part not in own)
    return Standard(identity.recipe(content or kept), identity.policy, web.policy, identity.digest)


async def reprocess_run(
    name: str, content: Component | None, settings: Settings, observer: Observer, stop: Stop
) -> Reprocessed:
    """Go over a run with another recipe; the network is not among what it is given."""
    from holdfast.jobs.reprocess import Workshop, reprocess  # noqa: PLC0415 # lazy: the parsers

    with open_store(state_of(settings), "reprocess", settings) as store, converters(settings) as refine:
        origin = require_run(store, name)
        workshop = Workshop(store.ledger, store.archive, refine, SystemClock(), observer)
        standard = standard_for(origin.run.recipe, settings, content)
        return await reprocess(workshop, origin, standard, distill_options(settings), stop)
