"""What looks after a mirror that exists: its folder, its state, its name in the ledger, opened together."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast import __version__
from holdfast.adapters.clock import SystemClock
from holdfast.core.canonical_fast import canonical_text
from holdfast.core.distill_options import DistillOptions
from holdfast.core.errors import LedgerError, MirrorError, UsageError, VersionError
from holdfast.core.hashing import url_key
from holdfast.core.identity import going_on_with
from holdfast.core.ledger import RunRecord
from holdfast.core.lineage import Job
from holdfast.core.mirror_plan import Layout, NamePlan
from holdfast.core.policy import policy_of
from holdfast.core.recipe import Component, Recipe
from holdfast.core.settings import Settings
from holdfast.core.versions import moment_of
from holdfast.formats.mirror_manifest import MANIFEST, read_manifest
from holdfast.wiring import (
    FOR_WORKERS,
    Store,
    check_ledger,
    has_ledger,
    join_policy,
    load_identity,
    mirror_label,
    mirror_state_of,
    open_store,
    read_store,
    state_of,
    survey_archive,
)

if TYPE_CHECKING:
    from holdfast.adapters.folder import Folder
    from holdfast.core.crawl.order import Order
    from holdfast.core.crawl.standard import Standard
    from holdfast.jobs.mirror.tools import Refine
    from holdfast.jobs.moving import Moved
    from holdfast.jobs.rebuild import Rebuilt
    from holdfast.jobs.reprocess import Reprocessed
    from holdfast.jobs.stop import Stop
    from holdfast.jobs.verify import Difference
    from holdfast.jobs.workshop import Workshop
    from holdfast.ports import Ledger, Observer

__all__ = [
    "UNREADABLE",
    "MirrorPlace",
    "RebuildRequest",
    "as_made",
    "converters",
    "distill_options",
    "place_of",
    "read_mirror",
    "rebuild_mirror",
    "reprocess_run",
    "verify_mirror",
    "write_mirror",
]


@dataclass(frozen=True, slots=True)
class MirrorPlace:
    """Where a mirror lies, where its state is, and what the ledger calls it."""

    folder: Path
    state: Path
    label: str


def place_of(folder: Path, settings: Settings) -> MirrorPlace:
    """A mirror by its folder. A folder without a state of its own or above is no mirror."""
    state = mirror_state_of(folder, settings)
    if not has_ledger(settings, state):
        raise MirrorError(
            f"{folder} is no mirror: there is no ledger in {state}",
            hint="`holdfast mirror SOURCE -o DIR` makes one; --state names a state folder elsewhere",
        )
    return MirrorPlace(folder, state, mirror_label(settings, state, folder))


@contextmanager
def read_mirror(place: MirrorPlace, settings: Settings) -> Iterator[Store]:
    """A mirror's ledger and archive, to ask."""
    with read_store(settings, place.state) as store:
        _require_runs(store, place)
        yield store


@contextmanager
def write_mirror(place: MirrorPlace, purpose: str, settings: Settings) -> Iterator[Store]:
    """A mirror's ledger and archive, as their one writer."""
    with open_store(place.state, purpose, settings) as store:
        _require_runs(store, place)
        yield store


def distill_options(settings: Settings) -> DistillOptions:
    """How Markdown is made."""
    return DistillOptions(
        full=settings.mirror.content == "full",
        max_bytes=settings.distill.max_page_bytes,
        anchors=settings.mirror.anchors,
    )


def _require_runs(store: Store, place: MirrorPlace) -> None:
    if next(store.ledger.runs.latest_first(label=place.label), None) is None:
        known = sorted({record.run.label for record in store.ledger.runs.latest_first()})
        raise UsageError(
            f"the ledger in {place.state} knows no mirror {place.label!r}",
            hint=f"it knows {', '.join(map(repr, known))}" if known else "it knows none",
        )


def require_run(store: Store, name: str) -> RunRecord:
    """A run by its id or the beginning of it."""
    record = store.ledger.runs.run(name)
    if record is None:
        raise UsageError(f"there is no run that begins with {name!r}", hint="`holdfast runs` lists them")
    return record


@contextmanager
def converters(settings: Settings) -> Iterator[Refine]:
    """Worker processes that turn captures into pages. They make ready while this process imports its part."""
    from holdfast.adapters.workers.pool import Lost, Workers  # noqa: PLC0415 # lazy: few commands need it

    workers = Workers(settings.mirror.workers or os.cpu_count() or 1)
    try:
        workers.start(*FOR_WORKERS)
        from holdfast.jobs.mirror.harvest import refine_with  # noqa: PLC0415 # lazy: with the parsers, 300 ms

        yield refine_with(workers.run, Lost)
    finally:
        workers.close()


def standard_for(
    recipe: Recipe, settings: Settings, ledger: Ledger, content: Component | None = None
) -> Standard:
    """The identity in force; policy and content component are a recipe's where nothing else is asked."""
    from holdfast.core.crawl.standard import Standard  # noqa: PLC0415 # lazy: the parsers

    own = replace(settings, identity=going_on_with(settings.identity, recipe))
    identity, _ = load_identity(own, "site")
    web = join_policy(settings, ledger)
    kept = content or recipe.content
    if kept is None:
        raise VersionError(f"this version of Holdfast does not know what {recipe} hashes")
    return Standard(identity.recipe(kept), identity.policy, web, identity.digest)


async def reprocess_run(
    name: str, content: Component | None, settings: Settings, observer: Observer, stop: Stop
) -> Reprocessed:
    """Go over a run with another recipe; the network is not among what it is given."""
    with open_store(state_of(settings), "reprocess", settings) as store, converters(settings) as refine:
        from holdfast.jobs.reprocess import reprocess  # noqa: PLC0415 # lazy: the parsers
        from holdfast.jobs.workshop import Workshop  # noqa: PLC0415 # lazy: as above

        origin = require_run(store, name)
        workshop = Workshop(store.ledger, store.archive, refine, SystemClock(), observer)
        standard = standard_for(origin.run.recipe, settings, store.ledger, content)
        return await reprocess(workshop, origin, standard, distill_options(settings), stop)


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
    place = request.place
    if request.to is not None:
        _check_target(place, request.to)
    with write_mirror(place, "rebuild", settings) as store, converters(settings) as refine:
        from holdfast.adapters.folder import Folder  # noqa: PLC0415 # lazy: with the parsers, 300 ms
        from holdfast.jobs.rebuild import RebuildOrder, rebuild  # noqa: PLC0415 # lazy: as above
        from holdfast.jobs.workshop import Workshop  # noqa: PLC0415 # lazy: as above

        moment = _moment(store, place, request.at) if request.at else None
        order, names = as_made(place, store, settings, request.given, moment, move=request.move)
        if request.layout:
            names = NamePlan(Layout(request.layout), names.scheme)
        folder = Folder(request.to or place.folder, durable=request.to is None)
        workshop = Workshop(store.ledger, store.archive, refine, SystemClock(), observer)
        try:
            moved = await _move(place, workshop, folder, order, names) if request.move else None
            job = RebuildOrder(order, names, moment, in_place=request.to is None)
            return replace(await rebuild(workshop, folder, job), moved=moved)
        finally:
            folder.close()
            if request.to is not None:
                _leave_no_state(request.to)


def _web_keys(order: Order, ledger: Ledger) -> Callable[[str], str | None] | None:
    """The key by which every table finds a URL (ID-12), made of its canonical form. None where a run's policy
    drops what the join keeps: there the form does not tell the key.
    """
    web = order.standard.web
    components = {record.run.recipe.url for record in ledger.runs.latest_first()}
    policies = [policy_of(component) if component else None for component in components]
    if not all(policy is not None and policy.keeps_what(web) for policy in policies):
        return None
    canonical = canonical_text(web)
    return lambda url: url_key(form) if isinstance(form := canonical(url), str) else None


UNREADABLE = (ValueError, LookupError, TypeError, OverflowError)
"""What reading a row ends in that somebody altered past the program."""


async def _move(
    place: MirrorPlace, workshop: Workshop, folder: Folder, order: Order, names: NamePlan
) -> Moved:
    from holdfast.jobs.moving import move  # noqa: PLC0415 # lazy: the parsers

    last = _last_run(workshop.ledger, place.label, None)
    if last.run.recipe == order.standard.recipe:
        raise UsageError(
            f"the mirror has {last.run.recipe} already",
            hint="name the version to move to, such as --policy site@2, or change the overrides",
        )
    return await move(workshop, folder, order, names, last)


def _last_run(ledger: Ledger, label: str, moment: datetime | None) -> RunRecord:
    """The mirror's run that was its last one at a moment."""
    runs = ledger.runs.latest_first(label=label, job=Job.MIRROR)
    return next(record for record in runs if moment is None or record.run.started_at <= moment)


async def verify_mirror(place: MirrorPlace, settings: Settings, observer: Observer) -> list[Difference]:
    """Everything that differs between a mirror's folder, its ledger and its archive."""
    from holdfast.jobs.verify import ANEW, Difference  # noqa: PLC0415 # lazy: with the parsers, 300 ms

    try:
        return await _verified(place, settings, observer)
    except UNREADABLE as error:
        return [Difference("ledger", f"a row cannot be read: {error}", ANEW)]


async def _verified(place: MirrorPlace, settings: Settings, observer: Observer) -> list[Difference]:
    from holdfast.adapters.folder import Folder  # noqa: PLC0415 # lazy: with the parsers, 300 ms
    from holdfast.jobs.verify import ANEW, Difference, verify  # noqa: PLC0415 # lazy: as above
    from holdfast.jobs.workshop import Workshop  # noqa: PLC0415 # lazy: as above

    with read_mirror(place, settings) as store, converters(settings) as refine:
        order, names = as_made(place, store, settings, {})
        folder = Folder(place.folder, to_read=True)
        workshop = Workshop(store.ledger, store.archive, refine, SystemClock(), observer)
        survey = chain(
            check_ledger(settings, place.state, _web_keys(order, store.ledger)),
            survey_archive(store).problems(),
        )
        differences: list[Difference] = []
        try:
            async for found in verify(workshop, folder, order, names, survey):
                differences.append(found)  # noqa: PERF401 - what was found before the ledger gave out counts
        except LedgerError as error:
            differences.append(Difference("ledger", error.message, ANEW))
        except UNREADABLE as error:
            differences.append(Difference("ledger", f"a row cannot be read: {error}", ANEW))
        finally:
            folder.close()
        return differences


def as_made(
    place: MirrorPlace,
    store: Store,
    settings: Settings,
    given: Mapping[str, str],
    moment: datetime | None = None,
    *,
    move: bool = False,
) -> tuple[Order, NamePlan]:
    """The order and the names a mirror was made with: its last run's recipe, its manifest's options.

    A mirror that shall `move` gets the recipe that the settings make.
    """
    from holdfast.core.crawl.order import Order  # noqa: PLC0415 # lazy: the parsers

    run = _last_run(store.ledger, place.label, moment).run
    standard = standard_for(run.recipe, settings, store.ledger)
    if standard.recipe != run.recipe and not move:
        raise VersionError(
            f"the mirror was made with {run.recipe}, the settings in force make {standard.recipe}",
            hint="give the settings it was made with (--policy, --overrides, --identity-version), or "
            f"`holdfast rebuild {place.folder} --move` to move it to these",
        )
    manifest = _manifest(place.folder)
    options = {**manifest.get("options", {}), **given}
    own = replace(settings.mirror, **{k: v for k, v in options.items() if hasattr(settings.mirror, k)})
    known = manifest.get("layout", {})
    first = next((page.place.url for page in store.ledger.pages.by_path(place.label)), "https:")
    names = NamePlan(Layout(known.get("name", own.layout)), known.get("scheme", first.partition(":")[0]))
    order = Order(
        label=place.label,
        sources=(),
        standard=standard,
        settings=own,
        options=distill_options(replace(settings, mirror=own)),
        software=f"holdfast/{__version__}",
    )
    return order, names


def _manifest(folder: Path) -> Mapping[str, Any]:
    file = folder / MANIFEST
    found = read_manifest(file.read_bytes()) if file.is_file() else "it is missing"
    return {} if isinstance(found, str) else found


def _moment(store: Store, place: MirrorPlace, at: str) -> datetime:
    """When a date or a run says, if there was a mirror by then."""
    moment = moment_of(at)
    if moment is None:
        record = store.ledger.runs.run(at)
        if record is None:
            raise UsageError(
                f"{at!r} is neither a date nor the beginning of a run's id",
                hint="such as 2026-05-04 or 2026-05-04T12:00; `holdfast runs` lists the runs",
            )
        moment = record.ended_at or record.updated_at
    *_, first = store.ledger.runs.latest_first(label=place.label, job=Job.MIRROR)
    if first.run.started_at > moment:
        raise UsageError(
            f"there was no mirror yet at {moment:%Y-%m-%d %H:%M:%S} UTC",
            hint=f"its first run began at {first.run.started_at:%Y-%m-%d %H:%M:%S} UTC",
        )
    return moment


def _leave_no_state(folder: Path) -> None:
    """A folder that is no mirror of its own must not look like one."""
    with suppress(OSError):
        for path in (folder / ".holdfast" / "tmp", folder / ".holdfast"):
            path.rmdir()


def _check_target(place: MirrorPlace, to: Path) -> None:
    """Another folder than the mirror's own, and nobody else's mirror."""
    if to.resolve() == place.folder.resolve():
        raise UsageError(
            f"--to names the mirror's own folder, {place.folder}",
            hint="leave out --to to rebuild it in place, or name a folder that is not there yet",
        )
    if (to / ".holdfast" / "ledger.db").is_file():
        raise UsageError(f"{to} is another mirror", hint="name a folder that is not there yet")
