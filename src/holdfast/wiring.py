"""Settings to adapters. The only file that names adapters; nothing here decides anything."""

from __future__ import annotations

from collections.abc import Coroutine, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from holdfast import __version__
from holdfast.adapters.files import read_bytes, read_text
from holdfast.adapters.mirror_lookup import find_file
from holdfast.adapters.state_folder import find_config, find_state, is_held, lock
from holdfast.core.identity import Identity, identity_in_force
from holdfast.core.mirror_plan import Layout, url_in_name
from holdfast.core.origins import accesses_of, check_proxy, read_origin_rules
from holdfast.core.policy import Overrides
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
    from holdfast.ports import Clock, Fetcher, FetchRequest

__all__ = [
    "Store",
    "archive_index",
    "check_ledger",
    "config_file",
    "fetch_once",
    "in_use",
    "load_identity",
    "load_settings",
    "load_settings_file",
    "make_fetcher",
    "migrate_ledger",
    "open_store",
    "read_bytes",
    "read_store",
    "run",
    "state_of",
    "survey_archive",
    "url_of_file",
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
