"""Wiring of the jobs that look after a mirror: rebuild, move, verify, reprocess, taking pages out."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import replace
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast import __version__
from holdfast.adapters.folder.folder import Folder
from holdfast.adapters.system import SystemClock
from holdfast.core.crawl.making import is_to_move, order_as_made, require_made_with, standard_of
from holdfast.core.crawl.mirror_spec import Order, Standard
from holdfast.core.mirror.manifest import MANIFEST
from holdfast.core.mirror.manifest_gist import gist_of_manifest
from holdfast.core.page.distill_options import distill_options
from holdfast.core.settings.identity import going_on_with
from holdfast.core.settings.resolve import Settings
from holdfast.core.url.layout import Layout
from holdfast.core.url.name_plan import NamePlan
from holdfast.core.url.policy import Component, Recipe
from holdfast.jobs.converting import OfflineTools, Refine
from holdfast.jobs.load_settings import join_policy, load_identity
from holdfast.jobs.upkeep.check_store import ledger_problems, survey_archive, web_keys
from holdfast.jobs.upkeep.moving import move, take_away
from holdfast.jobs.upkeep.reprocess import reprocess
from holdfast.jobs.upkeep.restore import RebuildOrder, rebuild
from holdfast.jobs.upkeep.verify import differences
from holdfast.jobs.workers import converters, under_way
from holdfast.questions.log.mirror_log import require_run
from holdfast.questions.log.runs import first_scheme, mirror_run, moment_in_mirror

if TYPE_CHECKING:
    from holdfast.adapters.ports import Observer
    from holdfast.jobs.mirror_place import MirrorPlace, RebuildRequest
    from holdfast.jobs.session import Store
    from holdfast.jobs.stop import Stop
    from holdfast.jobs.upkeep.restore_row import Difference, Moved, Rebuilt, Reprocessed
    from holdfast.storage.ledger.ledger import Ledger


async def rebuild_with(
    request: RebuildRequest, store: Store, refine: Refine, settings: Settings, observer: Observer
) -> Rebuilt:
    """Write a mirror's folder anew."""
    place = request.place
    moment = moment_in_mirror(store.ledger, place.label, request.at) if request.at else None
    order, names = _as_made(place, store, settings, request.given, moment, move=request.move)
    if request.layout:
        names = NamePlan(Layout(request.layout), names.scheme)
    tools = OfflineTools(store.ledger, store.archive, refine, SystemClock(), observer, under_way(settings))
    try:
        with closing(Folder(request.to or place.folder, durable=request.to is None)) as folder:
            if request.to is not None and folder.folds_names():
                names = NamePlan(names.layout.folded, names.scheme)
            moved = await _move(place, tools, folder, order, names) if request.move else None
            job = RebuildOrder(order, names, moment, in_place=request.to is None)
            written = str(request.to or place.folder)
            return replace(await rebuild(tools, folder, job), moved=moved, folder=written)
    finally:
        if request.to is not None:
            _leave_no_state(request.to)


async def _move(
    place: MirrorPlace, tools: OfflineTools, folder: Folder, order: Order, names: NamePlan
) -> Moved | None:
    last = mirror_run(tools.ledger, place.label)
    told = _manifest(place.folder).get("normalization_version")
    if not is_to_move(last.run.recipe, order.standard.recipe, told):
        return None
    return await move(tools, folder, order, names, last)


def _leave_no_state(folder: Path) -> None:
    """Remove the state folder of a copy: it must not look like a mirror of its own."""
    with suppress(OSError):
        for path in (folder / ".holdfast" / "tmp", folder / ".holdfast"):
            path.rmdir()


async def verify_with(
    place: MirrorPlace, store: Store, refine: Refine, settings: Settings, observer: Observer
) -> list[Difference]:
    """Everything that differs between a mirror's folder, its ledger and its archive."""
    order, names = _as_made(place, store, settings, {})
    tools = OfflineTools(store.ledger, store.archive, refine, SystemClock(), observer, under_way(settings))
    problems = ledger_problems(settings, place.state, web_keys(order, store.ledger))
    with closing(Folder(place.folder, to_read=True)) as folder:
        return await differences(
            tools, folder, order, names, chain(problems, survey_archive(store).problems())
        )


async def reprocess_with(
    store: Store,
    refine: Refine,
    asked: tuple[str, Component | None],
    settings: Settings,
    observer: Observer,
    stop: Stop,
) -> Reprocessed:
    """Go over a run, named by the beginning of its id, with another recipe; `asked` are both."""
    name, content = asked
    origin = require_run(store.ledger, name)
    tools = OfflineTools(store.ledger, store.archive, refine, SystemClock(), observer, under_way(settings))
    standard = standard_for(origin.run.recipe, settings, store.ledger, content)
    return await reprocess(tools, origin, standard, distill_options(settings), stop)


def standard_for(
    recipe: Recipe, settings: Settings, ledger: Ledger, content: Component | None = None
) -> Standard:
    """The identity in force; policy and content component are a recipe's where nothing else is asked."""
    own = replace(settings, identity=going_on_with(settings.identity, recipe))
    join = join_policy(settings, ledger.joins.version())
    return standard_of(load_identity(own, "site")[0], join, recipe, content)


def _as_made(
    place: MirrorPlace,
    store: Store,
    settings: Settings,
    given: Mapping[str, str],
    moment: datetime | None = None,
    *,
    move: bool = False,
) -> tuple[Order, NamePlan]:
    """The order and the names a mirror was made with; one that shall `move` gets the recipe that the settings
    make.
    """
    recipe = mirror_run(store.ledger, place.label, moment).run.recipe
    standard = standard_for(recipe, settings, store.ledger)
    if not move:
        require_made_with(recipe, standard.recipe, str(place.folder))
    order = Order(place.label, (), standard, settings.mirror, software=f"holdfast/{__version__}")
    scheme = first_scheme(store.ledger, place.label)
    return order_as_made(order, settings, _manifest(place.folder), given, scheme)


def _manifest(folder: Path) -> Mapping[str, Any]:
    if not (folder / MANIFEST).is_file():
        return {}
    with closing(Folder(folder, to_read=True)) as there:
        found = gist_of_manifest(lambda: there.pieces(MANIFEST))
    return {} if isinstance(found, str) else found.head


class _NoWatcher:
    """An observer that tells nobody."""

    def notice(self, event: object) -> None:
        """Nothing."""


async def take_away_with(place: MirrorPlace, store: Store, settings: Settings) -> None:
    """Remove the files of what was forgotten, describe the mirror without them, and write pages anew that
    linked to them.
    """
    order, names = _as_made(place, store, settings, {})
    rows = [row for row in store.ledger.forgetting.removals() if row.label == place.label]
    with closing(Folder(place.folder)) as folder:
        gone = ([row.path for row in rows if row.path], {row.url for row in rows if row.url})
        take_away(folder, store.ledger, order, names, gone)
        if order.settings.files.links == "local":
            with converters(settings) as refine:
                tools = OfflineTools(store.ledger, store.archive, refine, SystemClock(), _NoWatcher())
                await rebuild(tools, folder, RebuildOrder(order, names))
