"""A mirror is looked after as it was made: rebuilt, moved, verified, reprocessed, pages taken out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast import __version__
from holdfast.adapters.folder.folder import Folder
from holdfast.core.base.errors import UNREADABLE, LedgerError
from holdfast.core.crawl.making import is_to_move, order_as_made, require_made_with, standard_of
from holdfast.core.crawl.mirror_spec import Order, Standard
from holdfast.core.settings.identity import going_on_with
from holdfast.core.url.layout import Layout
from holdfast.core.url.name_plan import NamePlan
from holdfast.core.url.policy import Component, Recipe
from holdfast.jobs.load_settings import load_identity
from holdfast.jobs.mirror_place import manifest_in
from holdfast.jobs.upkeep.check_store import ledger_problems, web_keys
from holdfast.jobs.upkeep.moving import move, take_away
from holdfast.jobs.upkeep.reprocess import reprocess
from holdfast.jobs.upkeep.restore import RebuildOrder, rebuild
from holdfast.jobs.upkeep.verify import REBUILD, mirror_differences, store_differences
from holdfast.jobs.upkeep.verify_row import ANEW, Difference, unreadable_row
from holdfast.questions.log.mirror_log import require_run
from holdfast.questions.log.runs import first_scheme, mirror_run, moment_in_mirror, require_mirror

if TYPE_CHECKING:
    from holdfast.jobs.mirror_place import MirrorPlace, RebuildRequest
    from holdfast.jobs.session import Session
    from holdfast.jobs.stop import Stop
    from holdfast.jobs.upkeep.restore_row import Moved, Rebuilt, Reprocessed
    from holdfast.storage.archive.check_records import Survey


async def rebuild_with(request: RebuildRequest, session: Session) -> Rebuilt:
    """Write a mirror's folder anew."""
    place = request.place
    require_mirror(session.ledger, place.label)
    moment = moment_in_mirror(session.ledger, place.label, request.at) if request.at else None
    order, names = _as_made(place, session, request.given, moment, move=request.move)
    if request.layout:
        names = NamePlan(Layout(request.layout), names.scheme)
    try:
        with closing(Folder(request.to or place.folder, durable=request.to is None)) as folder:
            if request.to is not None and folder.folds_names():
                names = NamePlan(names.layout.folded, names.scheme)
            moved = await _move(place, session, folder, order, names) if request.move else None
            job = RebuildOrder(order, names, moment, in_place=request.to is None)
            written = str(request.to or place.folder)
            return replace(await rebuild(session, folder, job), moved=moved, folder=written)
    finally:
        if request.to is not None:
            _leave_no_state(request.to)


async def _move(
    place: MirrorPlace, session: Session, folder: Folder, order: Order, names: NamePlan
) -> Moved | None:
    last = mirror_run(session.ledger, place.label)
    told = manifest_in(place.folder).get("normalization_version")
    if not is_to_move(last.run.recipe, order.standard.recipe, told):
        return None
    return await move(session, folder, order, names, last)


def _leave_no_state(folder: Path) -> None:
    """Remove the store of a copy: it must not look like a mirror of its own."""
    with suppress(OSError):
        for path in (folder / ".holdfast" / "tmp", folder / ".holdfast"):
            path.rmdir()


async def verify_with(
    session: Session, places: Sequence[MirrorPlace], survey: Survey
) -> tuple[Difference, ...]:
    """Everything that differs in a store, and between it and the folders of these mirrors. Where the ledger
    gives out, what was found before counts.
    """
    found: list[Difference] = []
    try:
        keys = web_keys(session.policy, session.ledger)
        problems = ledger_problems(session.settings, session.state, keys)
        for each in store_differences(session, chain(problems, survey.problems())):
            found.append(each)  # noqa: PERF402 # as the sentence above says
        for place in places:
            async for each in _of_mirror(session, place):
                found.append(replace(each, mirror=place.label))  # noqa: PERF401 # as above
    except LedgerError as error:
        found.append(Difference("ledger", error.message, ANEW))
    except UNREADABLE as error:
        found.append(unreadable_row(error))
    return tuple(found)


async def _of_mirror(session: Session, place: MirrorPlace) -> AsyncIterator[Difference]:
    require_mirror(session.ledger, place.label)
    if not place.folder.is_dir():
        yield Difference(place.label, "the mirror's folder is not there", REBUILD)
        return
    order, names = _as_made(place, session, {})
    with closing(Folder(place.folder, to_read=True)) as folder:
        async for each in mirror_differences(session, folder, order, names):
            yield each


async def reprocess_with(session: Session, name: str, content: Component | None, stop: Stop) -> Reprocessed:
    """Go over a run, named by the beginning of its id, with another recipe."""
    origin = require_run(session.ledger, name)
    standard = standard_for(session, origin.run.recipe, content)
    return await reprocess(session, origin, standard, session.options, stop)


def standard_for(session: Session, recipe: Recipe, content: Component | None = None) -> Standard:
    """The identity in force; policy and content component are a recipe's where nothing else is asked."""
    own = replace(session.settings, identity=going_on_with(session.settings.identity, recipe))
    return standard_of(load_identity(own, "site")[0], session.policy, recipe, content)


def _as_made(
    place: MirrorPlace,
    session: Session,
    given: Mapping[str, str],
    moment: datetime | None = None,
    *,
    move: bool = False,
) -> tuple[Order, NamePlan]:
    """The order and the names a mirror was made with; one that shall `move` gets the recipe that the settings
    make.
    """
    settings, ledger = session.settings, session.ledger
    recipe = mirror_run(ledger, place.label, moment).run.recipe
    standard = standard_for(session, recipe)
    if not move:
        require_made_with(recipe, standard.recipe, str(place.folder))
    order = Order(place.label, (), standard, settings.mirror, software=f"holdfast/{__version__}")
    scheme = first_scheme(ledger, place.label)
    return order_as_made(order, settings, manifest_in(place.folder), given, scheme)


async def take_away_with(place: MirrorPlace, session: Session) -> None:
    """Remove the files of what was forgotten, describe the mirror without them, and write pages anew that
    linked to them.
    """
    order, names = _as_made(place, session, {})
    rows = [row for row in session.ledger.forgetting.removals() if row.label == place.label]
    with closing(Folder(place.folder)) as folder:
        gone = ([row.path for row in rows if row.path], {row.url for row in rows if row.url})
        take_away(folder, session.ledger, order, names, gone)
        if order.settings.files.convert_links == "local":
            await rebuild(session, folder, RebuildOrder(order, names))
