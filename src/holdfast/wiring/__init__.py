"""Settings to adapters. The only room that names adapters; nothing here decides anything."""

from __future__ import annotations

import os
from collections.abc import Coroutine, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from holdfast import __version__
from holdfast.adapters.files import read_bytes, read_text
from holdfast.adapters.state_folder import find_config
from holdfast.core.distill_options import DistillOptions
from holdfast.core.errors import UsageError, VersionError
from holdfast.core.identity import Identity, going_on_with, identity_in_force, recorded_policy
from holdfast.core.lineage import Job
from holdfast.core.origins import accesses_of, check_proxy, read_origin_rules
from holdfast.core.policy import JOIN, PUBLISHED, Overrides, Policy, policy_named
from holdfast.core.recipe import Component, Recipe, Version
from holdfast.core.settings import Origin, Settings, resolve
from holdfast.core.url import Url, parse_url
from holdfast.core.user_agent import user_agent
from holdfast.formats.overrides_file import read_overrides
from holdfast.formats.settings_file import SettingsFile, read_settings_file
from holdfast.wiring.store import (
    Store,
    archive_index,
    check_ledger,
    has_ledger,
    in_use,
    migrate_ledger,
    mirror_label,
    mirror_state_of,
    named_state,
    open_store,
    orphans_of,
    read_store,
    state_of,
    survey_archive,
)

if TYPE_CHECKING:
    from holdfast.adapters.workers.pool import Workers
    from holdfast.core.capture import Outcome
    from holdfast.core.crawl.order import Order, Source
    from holdfast.core.mirror_plan import Layout
    from holdfast.jobs.mirror.closing import Summary
    from holdfast.jobs.stop import Stop
    from holdfast.ports import Clock, Fetcher, FetchRequest, Ledger, Observer

__all__ = [
    "MirrorRequest",
    "Store",
    "archive_index",
    "check_ledger",
    "config_file",
    "fetch_once",
    "has_ledger",
    "in_use",
    "join_policy",
    "load_identity",
    "load_settings",
    "load_settings_file",
    "make_fetcher",
    "make_mirror",
    "migrate_ledger",
    "mirror_label",
    "mirror_state_of",
    "named_state",
    "open_store",
    "orphans_of",
    "plan_mirror",
    "read_bytes",
    "read_store",
    "run",
    "setting_path",
    "state_of",
    "survey_archive",
    "url_of_file",
    "web_identity",
]

T = TypeVar("T")
TEXT = Component("text", Version(1))
FOR_WORKERS = ("holdfast.jobs.mirror.harvest", "holdfast.distill")
"""What workers import that start before there is a page: all that a page needs."""


def load_settings_file(start: Path) -> SettingsFile:
    """The nearest `holdfast.toml`; an empty one where there is none."""
    config = find_config(start)
    if config is None:
        return SettingsFile()
    return read_settings_file(read_text(config, "settings file"), str(config))


def load_settings(
    start: Path,
    *,
    flags: Mapping[str, Any],
    environment: Mapping[str, str],
    job: str | None = None,
) -> Settings:
    """Every setting, settled; `job` is `mirror.NAME` or `track.NAME`."""
    file = load_settings_file(start)
    named = _job_of(file, job) if job else {}
    settings = resolve(flags=flags, environment=environment, job=named, file=file.settings)
    return replace(settings, origins=read_origin_rules(file.origins))


def _job_of(file: SettingsFile, job: str) -> Mapping[str, Any]:
    kind, dot, name = job.partition(".")
    if not dot or not name:
        known = [f"{kind}.{name}" for kind, jobs in file.jobs.items() for name in jobs]
        raise UsageError(
            f"a job is named by its kind and its name, not {job!r}",
            hint=f"jobs here: {', '.join(sorted(known))}" if known else "as in --job mirror.handbook",
        )
    return file.job(kind, name)


def config_file(start: Path) -> Path | None:
    """The settings file in force in a folder."""
    return find_config(start)


def load_identity(settings: Settings, default_policy: str) -> tuple[Identity, tuple[str, ...]]:
    """The identity in force, and what was odd about the overrides file."""
    path = setting_path(settings, "overrides")
    overrides = read_overrides(read_text(path, "overrides file"), str(path)) if path else Overrides()
    content = {
        row.setting.name: row.value
        for row in settings.resolved
        if row.setting.identity and row.setting.group == "distill" and row.value != row.setting.default
    }
    return identity_in_force(default_policy, settings.identity, overrides, content), overrides.warnings


def web_identity(settings: Settings, version: str = JOIN) -> Identity:
    """A version of `web` with the user's own overrides: the one that cited URLs are written by, if none is
    named.
    """
    return load_identity(replace(settings, identity=replace(settings.identity, policy=version)), version)[0]


def join_policy(settings: Settings, ledger: Ledger) -> Policy:
    """The policy by which every table of a ledger finds a URL: the version that the ledger has recorded, with
    the user's own overrides (ID-12).
    """
    return web_identity(settings, ledger.joins.version()).policy


def url_of_file(file: Path, layout: Layout) -> str | None:
    """The URL of a mirrored file: from its name, else from the sidecar, else from the manifest (PATH-8)."""
    from holdfast.adapters.mirror_lookup import find_file  # noqa: PLC0415 # lazy: for `holdfast path` alone
    from holdfast.core.mirror_plan import Layout, url_in_name  # noqa: PLC0415 # lazy: as above

    found = find_file(file)
    named = Layout(found.layout) if found.layout in set(Layout) else layout
    in_name = url_in_name(found.path, named, found.scheme or "https")
    return in_name or found.sidecar_url or found.manifest_urls.get(found.path)


def make_fetcher(
    settings: Settings,
    *,
    environment: Mapping[str, str],
    named: Iterable[str] = (),
    clock: Clock | None = None,
) -> Fetcher:
    """The door to the web. `named` are the URLs the user gave, as given: their origins may be private, and
    credentials written into them are sent to their origin alone.
    """
    # lazy: asyncio takes 50 ms and aiohttp 150, and most commands never fetch
    from holdfast.adapters.clock import SystemClock  # noqa: PLC0415
    from holdfast.adapters.http.fetcher import HttpFetcher  # noqa: PLC0415

    given = tuple(named)
    if settings.fetch.proxy:
        check_proxy(settings.fetch.proxy, "the setting")
    urls = (parse_url(text) for text in given)
    certificates = setting_path(settings, "ca_file")
    return HttpFetcher(
        replace(settings.fetch, ca_file=str(certificates) if certificates else None),
        clock or SystemClock(),
        user_agent=user_agent(__version__, settings.fetch.contact),
        accesses=accesses_of(settings.origins, environment, given).values(),
        named=[url.origin for url in urls if isinstance(url, Url)],
    )


async def fetch_once(
    settings: Settings, request: FetchRequest, *, environment: Mapping[str, str], named: Iterable[str]
) -> Outcome:
    """Open the door, ask one thing, close it."""
    fetcher = make_fetcher(settings, environment=environment, named=named)
    try:
        return await fetcher.fetch(request)
    finally:
        await fetcher.close()


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on the event loop of choice."""
    from holdfast.adapters import loop  # noqa: PLC0415 - lazy, as above

    return loop.run(main)


def setting_path(settings: Settings, name: str) -> Path | None:
    """A path among the settings: relative to the settings file if it came from there, else to the folder."""
    resolved = next(row for row in settings.resolved if row.setting.name == name)
    if resolved.value is None:
        return None
    config = find_config(Path.cwd()) if resolved.origin in (Origin.FILE, Origin.JOB) else None
    return config.parent / resolved.value if config else Path(resolved.value)


@dataclass(frozen=True, slots=True)
class MirrorRequest:
    """A mirror that somebody asked for: sources as they were given, and where it shall lie."""

    sources: tuple[str, ...]
    output: Path
    settings: Settings
    environment: Mapping[str, str]


async def make_mirror(request: MirrorRequest, observer: Observer, stop: Stop) -> Summary:
    """Make a mirror, or go on with one."""
    from holdfast.adapters.workers.pool import Workers  # noqa: PLC0415 # lazy: before what takes 300 ms

    settings = request.settings
    state = mirror_state_of(request.output, settings)
    workers = Workers(settings.mirror.workers or os.cpu_count() or 1)
    try:
        if not state.exists():  # every page will be new: the workers make ready while this process does
            workers.start(*FOR_WORKERS)
        return await _mirror_with(workers, request, observer, stop, state)
    finally:
        workers.close()


async def _mirror_with(
    workers: Workers, request: MirrorRequest, observer: Observer, stop: Stop, state: Path
) -> Summary:
    from holdfast.adapters.clock import SystemClock  # noqa: PLC0415 # lazy: with all of the below, 300 ms
    from holdfast.adapters.folder import Folder  # noqa: PLC0415 # lazy: as above
    from holdfast.adapters.scribe import ThreadScribe  # noqa: PLC0415 # lazy: as above
    from holdfast.adapters.workers.pool import Lost  # noqa: PLC0415 # lazy: as above
    from holdfast.jobs.finishing import finish  # noqa: PLC0415 # lazy: as above
    from holdfast.jobs.mirror.harvest import refine_with  # noqa: PLC0415 # lazy: as above
    from holdfast.jobs.mirror.job import mirror  # noqa: PLC0415 # lazy: as above
    from holdfast.jobs.mirror.tools import Tools  # noqa: PLC0415 # lazy: as above
    from holdfast.jobs.workshop import Workshop  # noqa: PLC0415 # lazy: as above
    from holdfast.wiring.searching import keep_index  # noqa: PLC0415 # lazy: as above

    settings = request.settings
    sources = _checked_sources(request)  # what is wrong with a call is said before anything is made
    folder = Folder(request.output)
    fetcher = make_fetcher(settings, environment=request.environment, named=request.sources)
    try:
        with open_store(state, "mirror", settings) as store:
            order = _mirror_order(request, sources, observer, state, store.ledger)
            refine, clock = refine_with(workers.run, Lost), SystemClock()
            with closing(ThreadScribe(store.ledger, store.archive, clock)) as scribe:
                tools = Tools(fetcher, scribe, folder, refine, clock, observer)
                summary = await mirror(order, tools, stop, limited=settings.fetch.content_rate_limit > 0)
            workshop = Workshop(store.ledger, store.archive, refine, clock, observer)
            await finish(workshop, folder, order, summary, stop)
            keep_index(store, settings.distill.max_page_bytes)
            return summary
    finally:
        await fetcher.close()
        folder.close()


async def plan_mirror(request: MirrorRequest, observer: Observer) -> list[tuple[str, str]]:
    """What a mirror would ask for first, and where it would lie: URL and path. Nothing is written."""
    from holdfast.adapters.clock import SystemClock  # noqa: PLC0415 # lazy: as for `make_mirror`
    from holdfast.adapters.memory.archive import MemoryArchive  # noqa: PLC0415 # lazy: as above
    from holdfast.adapters.memory.ledger import MemoryLedger  # noqa: PLC0415 # lazy: as above
    from holdfast.adapters.memory.mirror import MemoryMirror  # noqa: PLC0415 # lazy: as above
    from holdfast.adapters.scribe import ThreadScribe  # noqa: PLC0415 # lazy: as above
    from holdfast.jobs.mirror.harvest import refine_here  # noqa: PLC0415 # lazy: as above
    from holdfast.jobs.mirror.job import preview  # noqa: PLC0415 # lazy: as above
    from holdfast.jobs.mirror.tools import Tools  # noqa: PLC0415 # lazy: as above

    there = {
        name: data for name in ("_manifest.json", "_processed.txt") if (data := _bytes_of(request, name))
    }
    fetcher = make_fetcher(request.settings, environment=request.environment, named=request.sources)
    clock = SystemClock()
    ledger = MemoryLedger()
    scribe = ThreadScribe(ledger, MemoryArchive(), clock)
    tools = Tools(fetcher, scribe, MemoryMirror(there), refine_here, clock, observer)
    try:
        return await preview(_order_to_plan(request, observer, ledger), tools)
    finally:
        scribe.close()
        await fetcher.close()


def _order_to_plan(request: MirrorRequest, observer: Observer, empty: Ledger) -> Order:
    """The order that a mirror would have: with the versions that its ledger has recorded, if it has one."""
    state, sources = mirror_state_of(request.output, request.settings), _checked_sources(request)
    if not has_ledger(request.settings, state):
        return _mirror_order(request, sources, observer, state, empty)
    with read_store(request.settings, state) as store:
        return _mirror_order(request, sources, observer, state, store.ledger)


def _bytes_of(request: MirrorRequest, name: str) -> bytes | None:
    file = request.output / name
    return read_bytes(file, "checkpoint") if file.is_file() else None


def _checked_sources(request: MirrorRequest) -> tuple[Source, ...]:
    """What a call names, if its patterns and its identity settings can be obeyed."""
    from holdfast.core.crawl.order import check_patterns, source_of  # noqa: PLC0415 # lazy: with the job

    check_patterns(request.settings.mirror)
    load_identity(request.settings, "site")
    return tuple(source_of(text, _listing(text)) for text in request.sources)


def _mirror_order(
    request: MirrorRequest, sources: tuple[Source, ...], observer: Observer, state: Path, ledger: Ledger
) -> Order:
    from holdfast.core.crawl.order import Order  # noqa: PLC0415 # lazy: with the job
    from holdfast.core.crawl.standard import Standard  # noqa: PLC0415 # lazy: as above
    from holdfast.ports import Event  # noqa: PLC0415 # lazy: as above

    label = mirror_label(request.settings, state, request.output)
    last = next(ledger.runs.latest_first(label=label, job=Job.MIRROR), None)
    asked, recorded = request.settings, last.run.recipe if last else None
    settings = replace(asked, identity=going_on_with(asked.identity, recorded))
    identity, odd = load_identity(settings, "site")
    web = join_policy(settings, ledger)
    for text in odd:
        observer.notice(Event("warning", (("text", text),)))
    content = (recorded.content if recorded else None) or TEXT
    standard = Standard(identity.recipe(content), identity.policy, web, identity.digest)
    if recorded is not None:
        _say_versions(recorded, standard.recipe, asked, request.output, observer)
    return Order(
        label=label,
        sources=sources,
        standard=standard,
        settings=settings.mirror,
        options=DistillOptions(
            full=settings.mirror.content == "full",
            max_bytes=settings.distill.max_page_bytes,
            anchors=settings.mirror.anchors,
            outline=True,
        ),
        software=f"holdfast/{__version__}",
    )


def _say_versions(
    recorded: Recipe, recipe: Recipe, asked: Settings, folder: Path, observer: Observer
) -> None:
    """A mirror goes on with its own versions; who wants others is told how to move it."""
    from holdfast.ports import Event  # noqa: PLC0415 # lazy: with the job

    if recipe != recorded:
        raise VersionError(
            f"this mirror was made with {recorded}, these settings make {recipe}",
            hint=f"`holdfast rebuild {folder} --move` with these settings moves it, from the archive; with "
            "the settings it was made with it goes on. `holdfast reprocess` makes items of another version "
            "beside those there are",
        )
    newer = policy_named(asked.identity.policy or "site")
    if PUBLISHED.index(newer) > PUBLISHED.index(recorded_policy(recorded)):
        how = f"`holdfast rebuild {folder} --move --policy {newer.full_name}` moves it"
        text = f"this mirror goes on with {recorded}; {how} to {newer.full_name}"
        observer.notice(Event("warning", (("text", text),)))


def _listing(text: str) -> bytes | None:
    """The bytes of a file of URLs; None where the text is no file's name."""
    file = Path(text)
    return read_bytes(file, "file of URLs") if "://" not in text and file.is_file() else None
