"""Settings to adapters. The only file that names adapters; nothing here decides anything."""

from __future__ import annotations

from collections.abc import Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from holdfast import __version__
from holdfast.adapters.command import revision_time, run_command
from holdfast.adapters.files import read_bytes, read_text, write_text
from holdfast.adapters.git import touched_lines
from holdfast.adapters.mirror_lookup import find_file
from holdfast.adapters.state_folder import STATE_NAME, find_config, find_root, find_state, is_held, lock
from holdfast.core.identity import Identity, identity_in_force
from holdfast.core.mirror_plan import Layout, url_in_name
from holdfast.core.origins import accesses_of, check_proxy, read_origin_rules
from holdfast.core.policy import Overrides, Policy
from holdfast.core.settings import Origin, Settings, resolve
from holdfast.core.url import Url, parse_url
from holdfast.core.user_agent import user_agent
from holdfast.formats.overrides_file import read_overrides
from holdfast.formats.settings_file import SettingsFile, read_settings_file

if TYPE_CHECKING:
    from holdfast.adapters.sqlite.ledger import SqliteLedger
    from holdfast.adapters.warc.archive import WarcArchive
    from holdfast.adapters.warc.survey import Survey
    from holdfast.core.capture import Outcome
    from holdfast.jobs.fix import Fixer
    from holdfast.jobs.track import Tracker, TrackResult
    from holdfast.jobs.track.options import TrackRequest
    from holdfast.ports import Clock, Fetcher, FetchRequest, Observer

__all__ = [
    "Store",
    "archive_index",
    "baseline_path",
    "check_ledger",
    "config_file",
    "document_path",
    "fetch_once",
    "in_use",
    "load_identity",
    "load_settings",
    "load_settings_file",
    "make_fetcher",
    "migrate_ledger",
    "open_fixer",
    "open_store",
    "open_tracker",
    "read_bytes",
    "read_store",
    "read_text",
    "revision_time",
    "run",
    "run_command",
    "state_of",
    "survey_archive",
    "touched_since",
    "track_fetcher",
    "track_once",
    "track_request",
    "url_of_file",
    "web_policy",
    "write_text",
]

T = TypeVar("T")
LEDGER = "ledger.db"
ARCHIVE = "archive"


@dataclass(frozen=True, slots=True)
class Store:
    """What a state folder holds."""

    ledger: SqliteLedger
    archive: WarcArchive
    state: Path


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
    named = file.job(*job.split(".", 1)) if job else {}
    settings = resolve(flags=flags, environment=environment, job=named, file=file.settings)
    return replace(settings, origins=read_origin_rules(file.origins))


def config_file(start: Path) -> Path | None:
    """The settings file in force in a folder."""
    return find_config(start)


def load_identity(settings: Settings, default_policy: str) -> tuple[Identity, tuple[str, ...]]:
    """The identity in force, and what was odd about the overrides file."""
    path = _path(settings, "overrides")
    overrides = read_overrides(read_text(path, "overrides file"), str(path)) if path else Overrides()
    content = {
        row.setting.name: row.value
        for row in settings.resolved
        if row.setting.identity and row.setting.group == "distill" and row.value != row.setting.default
    }
    return identity_in_force(default_policy, settings.identity, overrides, content), overrides.warnings


def url_of_file(file: Path, layout: Layout) -> str | None:
    """The URL of a mirrored file: from its name, else from the sidecar, else from the manifest (PATH-8)."""
    found = find_file(file)
    named = Layout(found.layout) if found.layout in set(Layout) else layout
    in_name = url_in_name(found.path, named, found.scheme or "https")
    return in_name or found.sidecar_url or found.manifest_urls.get(found.path)


@contextmanager
def open_store(state: Path, purpose: str, settings: Settings) -> Iterator[Store]:
    """A state folder as its one writer; `purpose` is the command, for whoever finds it locked (STA-1)."""
    from holdfast.adapters.sqlite.ledger import open_ledger  # noqa: PLC0415 # lazy: 60 ms of imports
    from holdfast.adapters.warc.archive import open_archive  # noqa: PLC0415 # lazy: as above

    with lock(state, purpose):
        ledger = open_ledger(state / LEDGER, _now())
        try:
            archive = open_archive(
                state / ARCHIVE,
                ledger.archive_ends(),
                software=f"holdfast/{__version__}",
                limit=settings.store.archive_file_mb * 1_000_000,
            )
            try:
                yield Store(ledger, archive, state)
            finally:
                archive.close()
        finally:
            ledger.close()


@contextmanager
def read_store(settings: Settings) -> Iterator[Store]:
    """The state folder that the settings name, or the nearest one upward, to ask and not to write."""
    from holdfast.adapters.sqlite.ledger import open_ledger  # noqa: PLC0415 # lazy: 60 ms of imports
    from holdfast.adapters.warc.archive import WarcArchive  # noqa: PLC0415 # lazy: as above

    state = state_of(settings)
    ledger = open_ledger(state / LEDGER, _now(), read_only=True)
    try:
        yield Store(ledger, WarcArchive(state / ARCHIVE), state)
    finally:
        ledger.close()


def state_of(settings: Settings) -> Path:
    """The state folder that the settings name, or the nearest one upward."""
    return Path(settings.store.state) if settings.store.state else find_state(Path.cwd())


def in_use(state: Path) -> bool:
    """Whether a writer holds the state folder just now."""
    return is_held(state)


def check_ledger(state: Path) -> Iterator[str]:
    """What is wrong with a ledger's file, one sentence each."""
    from holdfast.adapters.sqlite.ledger import check_file  # noqa: PLC0415 # lazy: 60 ms of imports

    return check_file(state / LEDGER)


def migrate_ledger(state: Path) -> tuple[int, int, Path | None]:
    """Bring a ledger's schema up to date: the schema it had, the one it has, the copy that was kept."""
    from holdfast.adapters.sqlite.ledger import migrate_file  # noqa: PLC0415 # lazy: 60 ms of imports

    with lock(state, "db migrate"):
        return migrate_file(state / LEDGER, _now())


def survey_archive(store: Store) -> Survey:
    """A walk over every archive record, next to what the ledger has of it."""
    from holdfast.adapters.warc.survey import Survey  # noqa: PLC0415 # lazy: 60 ms of imports

    return Survey(store.state / ARCHIVE, store.ledger.archive_ends(), store.ledger.archived())


def archive_index(store: Store) -> list[str]:
    """The CDXJ lines of everything committed."""
    from holdfast.adapters.warc.survey import index_lines  # noqa: PLC0415 # lazy: 60 ms of imports

    return index_lines(store.state / ARCHIVE, store.ledger.archive_ends())


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
    certificates = _path(settings, "ca_file")
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


@contextmanager
def open_tracker(
    paths: Sequence[Path], settings: Settings, request: TrackRequest, observer: Observer
) -> Iterator[Tracker]:
    """Tracking of the documents in these files and folders, whose root they share (STA-1)."""
    from holdfast.adapters.clock import SystemClock  # noqa: PLC0415 # lazy: it brings asyncio
    from holdfast.adapters.document_folder import DocumentFolder  # noqa: PLC0415 # lazy: parsers
    from holdfast.jobs.track import Tracker  # noqa: PLC0415 # lazy: parsers
    from holdfast.jobs.track.options import track_options  # noqa: PLC0415 # lazy: parsers

    root = find_root(paths[0])
    folder = DocumentFolder(
        root, filter(None, [baseline_path(settings)]), force_exclude=request.force_exclude
    )
    scope = tuple(folder.relative(path) for path in paths)
    identity, _ = load_identity(replace(settings, identity=replace(settings.identity, policy="web")), "web")
    options = track_options(settings, request, scope, str(root))
    state = Path(settings.store.state) if settings.store.state else root / STATE_NAME
    with open_store(state, "track", settings) as store:
        yield Tracker(folder, store.ledger, store.archive, SystemClock(), identity, observer, options)


@contextmanager
def open_fixer(paths: Sequence[Path], settings: Settings, only: Sequence[str] | None) -> Iterator[Fixer]:
    """Mending of the links in these files and folders, by what the state of their root knows."""
    from holdfast.adapters.clock import SystemClock  # noqa: PLC0415 # lazy: it brings asyncio
    from holdfast.adapters.document_folder import DocumentFolder  # noqa: PLC0415 # lazy: parsers
    from holdfast.core.fixes import FixKind  # noqa: PLC0415 # lazy: as above
    from holdfast.jobs.fix import Fixer  # noqa: PLC0415 # lazy: parsers

    root = find_root(paths[0])
    folder = DocumentFolder(root, filter(None, [baseline_path(settings)]))
    scope = tuple(folder.relative(path) for path in paths)
    kinds = frozenset(map(FixKind, only)) if only else frozenset(FixKind)
    state = Path(settings.store.state) if settings.store.state else root / STATE_NAME
    with open_store(state, "fix", settings) as store:
        yield Fixer(folder, store.ledger, SystemClock(), web_policy(settings), scope, kinds)


def touched_since(paths: Sequence[Path], revision: str) -> dict[str, list[range]]:
    """The lines of the tracked documents that a change touched, by path from their root."""
    return touched_lines(find_root(paths[0]), revision)


def baseline_path(settings: Settings) -> Path | None:
    """The baseline file that the settings name."""
    return _path(settings, "baseline")


def track_fetcher(settings: Settings, environment: Mapping[str, str]) -> Fetcher:
    """The door for cited URLs: none of them was named by the user, and nobody waits long for a busy host."""
    fetch = settings.fetch
    patient = replace(
        fetch,
        max_wait=min(fetch.max_wait, 10.0),
        max_wait_sum=min(fetch.max_wait_sum, 20.0),
        max_slowdowns=min(fetch.max_slowdowns, 1),
    )
    return make_fetcher(replace(settings, fetch=patient), environment=environment)


async def track_once(tracker: Tracker, settings: Settings, environment: Mapping[str, str]) -> TrackResult:
    """One run of tracking that asks, with a door of its own."""
    from holdfast.adapters.distillery import Distillery  # noqa: PLC0415 # lazy: parsers

    fetcher = track_fetcher(settings, environment)
    distiller = Distillery(tracker.recipe, tracker.distill_options)
    try:
        return await tracker.run(fetcher, distiller)
    finally:
        await fetcher.close()
        distiller.close()


def track_request(*, force: bool, eager: bool) -> TrackRequest:
    """What is wished of one run of tracking."""
    from holdfast.jobs.track.options import TrackRequest  # noqa: PLC0415 # lazy: parsers

    return TrackRequest(force=force, eager=eager)


def web_policy(settings: Settings) -> Policy:
    """The policy that decides which place a cited URL names."""
    return load_identity(replace(settings, identity=replace(settings.identity, policy="web")), "web")[
        0
    ].policy


def document_path(settings: Settings, path: Path) -> str:
    """A document as the ledger names it: from the root whose state the settings name."""
    root = state_of(settings).resolve().parent
    resolved = path.resolve()
    return resolved.relative_to(root).as_posix() if resolved.is_relative_to(root) else path.as_posix()


def _path(settings: Settings, name: str) -> Path | None:
    """A path among the settings: relative to the settings file if it came from there, else to the folder."""
    resolved = next(row for row in settings.resolved if row.setting.name == name)
    if resolved.value is None:
        return None
    config = find_config(Path.cwd()) if resolved.origin in (Origin.FILE, Origin.JOB) else None
    return config.parent / resolved.value if config else Path(resolved.value)


def _now() -> datetime:
    from holdfast.adapters.clock import SystemClock  # noqa: PLC0415 # lazy: it brings asyncio

    return SystemClock().now()
