"""What looks after a mirror that exists: its folder, its state, its name in the ledger, opened together."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
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
from holdfast.core.hashing import UrlKey, url_key
from holdfast.core.ledger import Place, RunRecord
from holdfast.core.lineage import Job
from holdfast.core.mirror_plan import Layout, NamePlan
from holdfast.core.policy import POLICIES
from holdfast.core.recipe import Component, Recipe
from holdfast.core.settings import Settings
from holdfast.core.versions import moment_of
from holdfast.formats.mirror_manifest import MANIFEST, read_manifest
from holdfast.wiring import (
    FOR_WORKERS,
    Store,
    check_ledger,
    has_ledger,
    load_identity,
    mirror_label,
    mirror_state_of,
    open_store,
    orphans_of,
    read_store,
    state_of,
    survey_archive,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from holdfast.adapters.folder import Folder
    from holdfast.core.crawl.order import Order
    from holdfast.core.crawl.standard import Standard
    from holdfast.jobs.forgetting import Collected, Forgotten, Repaired
    from holdfast.jobs.mirror.tools import Refine
    from holdfast.jobs.rebuild import Rebuilt
    from holdfast.jobs.reprocess import Reprocessed
    from holdfast.jobs.stop import Stop
    from holdfast.jobs.verify import Difference
    from holdfast.ports import Observer

__all__ = [
    "MirrorPlace",
    "RebuildRequest",
    "collect_garbage",
    "distill_options",
    "forget_places",
    "orphan_files",
    "place_of",
    "read_mirror",
    "rebuild_mirror",
    "remove_orphans",
    "repair_archive",
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


def standard_for(recipe: Recipe, settings: Settings, content: Component | None = None) -> Standard:
    """The identity in force; policy and content component are a recipe's where nothing else is asked."""
    from holdfast.core.crawl.standard import Standard  # noqa: PLC0415 # lazy: the parsers

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
    with open_store(state_of(settings), "reprocess", settings) as store, converters(settings) as refine:
        from holdfast.jobs.reprocess import reprocess  # noqa: PLC0415 # lazy: the parsers
        from holdfast.jobs.workshop import Workshop  # noqa: PLC0415 # lazy: as above

        origin = require_run(store, name)
        workshop = Workshop(store.ledger, store.archive, refine, SystemClock(), observer)
        standard = standard_for(origin.run.recipe, settings, content)
        return await reprocess(workshop, origin, standard, distill_options(settings), stop)


@dataclass(frozen=True, slots=True)
class RebuildRequest:
    """What to rebuild: `to` another folder, `at` a date or a run, in another `layout`; `given` flags."""

    place: MirrorPlace
    to: Path | None
    at: str | None
    layout: str | None
    given: Mapping[str, str]


async def rebuild_mirror(request: RebuildRequest, settings: Settings, observer: Observer) -> Rebuilt:
    """Write a mirror's folder anew; the network is not among what it is given."""
    place = request.place
    if request.to is not None:
        _check_target(place, request.to)
    with write_mirror(place, "rebuild", settings) as store, converters(settings) as refine:
        from holdfast.adapters.folder import Folder  # noqa: PLC0415 # lazy: with the parsers, 300 ms
        from holdfast.jobs.rebuild import RebuildOrder, rebuild  # noqa: PLC0415 # lazy: as above
        from holdfast.jobs.workshop import Workshop  # noqa: PLC0415 # lazy: as above

        order, names = _as_made(place, store, settings, request.given)
        if request.layout:
            names = NamePlan(Layout(request.layout), names.scheme)
        moment = _moment(store, place, request.at) if request.at else None
        folder = Folder(request.to or place.folder, durable=request.to is None)
        workshop = Workshop(store.ledger, store.archive, refine, SystemClock(), observer)
        try:
            job = RebuildOrder(order, names, moment, in_place=request.to is None)
            return await rebuild(workshop, folder, job)
        finally:
            folder.close()
            if request.to is not None:
                _leave_no_state(request.to)


async def verify_mirror(place: MirrorPlace, settings: Settings, observer: Observer) -> list[Difference]:
    """Everything that differs between a mirror's folder, its ledger and its archive."""
    from holdfast.adapters.folder import Folder  # noqa: PLC0415 # lazy: with the parsers, 300 ms
    from holdfast.jobs.verify import RESTORE, Difference, verify  # noqa: PLC0415 # lazy: as above
    from holdfast.jobs.workshop import Workshop  # noqa: PLC0415 # lazy: as above

    with read_mirror(place, settings) as store, converters(settings) as refine:
        order, names = _as_made(place, store, settings, {})
        folder = Folder(place.folder, to_read=True)
        workshop = Workshop(store.ledger, store.archive, refine, SystemClock(), observer)
        survey = chain(check_ledger(settings, place.state), survey_archive(store).problems())
        differences: list[Difference] = []
        try:
            async for found in verify(workshop, folder, order, names, survey):
                differences.append(found)  # noqa: PERF401 - what was found before the ledger gave out counts
        except LedgerError as error:
            differences.append(Difference("ledger", error.message, RESTORE))
        finally:
            folder.close()
        return differences


def _as_made(
    place: MirrorPlace, store: Store, settings: Settings, given: Mapping[str, str]
) -> tuple[Order, NamePlan]:
    """The order and the names a mirror was made with: its last run's recipe, its manifest's options."""
    from holdfast.core.crawl.order import Order  # noqa: PLC0415 # lazy: the parsers

    run = next(store.ledger.runs.latest_first(label=place.label, job=Job.MIRROR)).run
    standard = standard_for(run.recipe, settings)
    if standard.recipe != run.recipe:
        raise VersionError(
            f"the mirror was made with {run.recipe}, the settings in force make {standard.recipe}",
            hint="give the settings it was made with: --policy, --overrides, --identity-version",
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


def forget_places(settings: Settings, *, web_key: UrlKey | None = None, host: str | None = None) -> Forgotten:
    """Forget a URL, by its `web` key, or everything on a host: ledger, archive, and the mirrors' files."""
    from holdfast.adapters.folder import Folder  # noqa: PLC0415 # lazy: with the parsers, 300 ms
    from holdfast.jobs.forgetting import forget  # noqa: PLC0415 # lazy: as above

    state = state_of(settings)
    with open_store(state, "forget", settings) as store:
        ledger = store.ledger
        places = ledger.forgetting.places_at(web_key) if web_key else ledger.forgetting.places_on(host or "")
        forgotten = forget(ledger, store.archive, SystemClock(), places)
        is_meant = _meant(settings, web_key, host, [place.url for place in forgotten.places])
        forgotten = replace(forgotten, orphans=orphans_of(state).forget(is_meant))
        for label in sorted({label for label, _ in forgotten.files}):
            place = MirrorPlace(state.resolve().parent / label, state, label)
            if not place.folder.is_dir():
                continue
            folder = Folder(place.folder)
            try:
                _take_away(folder, place, store, settings, forgotten)
            finally:
                folder.close()
    return forgotten


def _meant(
    settings: Settings, web_key: UrlKey | None, host: str | None, urls: Collection[str]
) -> Callable[[str], bool]:
    """Whether an address in the archive is one that shall be forgotten."""
    web, _ = load_identity(replace(settings, identity=replace(settings.identity, policy="web")), "web")
    canonical = canonical_text(web.policy)
    keys = {web_key, *(url_key(form) for url in urls if isinstance(form := canonical(url), str))}

    def is_meant(text: str) -> bool:
        form = canonical(text)
        if not isinstance(form, str):
            return False
        key = url_key(form)
        return key in keys or (host is not None and Place(form, key, key).host == host)

    return is_meant


def _take_away(
    folder: Folder, place: MirrorPlace, store: Store, settings: Settings, forgotten: Forgotten
) -> None:
    """Remove the files of what was forgotten, and describe the mirror without them."""
    from holdfast.jobs.removal import take_away  # noqa: PLC0415 # lazy: the parsers

    order, names = _as_made(place, store, settings, {})
    paths = [path for label, path in forgotten.files if label == place.label]
    take_away(folder, store.ledger, order, names, (paths, {gone.url for gone in forgotten.places}))


def orphan_files(settings: Settings) -> tuple[tuple[str, int], ...]:
    """Files of records that no ledger knows: names and sizes."""
    return orphans_of(state_of(settings)).files()


def remove_orphans(settings: Settings) -> int:
    """Delete what no ledger knows; how many bytes that was."""
    state = state_of(settings)
    with open_store(state, "gc", settings):
        return orphans_of(state).remove()


def repair_archive(settings: Settings) -> Repaired:
    """Note what the archive cannot give back as lost, and write the rest anew."""
    from holdfast.jobs.forgetting import Repaired, repair  # noqa: PLC0415 # lazy: the parsers

    with open_store(state_of(settings), "archive repair", settings) as store:
        before = store.ledger.archived.lost()
        survey = survey_archive(store)
        if not list(survey.problems()) and not before:
            return Repaired(survey.captures, 0, ())
        return repair(store.ledger, store.archive, SystemClock(), survey.damaged)


def collect_garbage(settings: Settings) -> Collected:
    """Drop what no item needs."""
    from holdfast.jobs.forgetting import collect  # noqa: PLC0415 # lazy: the parsers

    with open_store(state_of(settings), "gc", settings) as store:
        return collect(store.ledger, store.archive, SystemClock())
