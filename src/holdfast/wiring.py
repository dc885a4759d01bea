"""Settings to adapters. The only file that names adapters; nothing here decides anything."""

from __future__ import annotations

from collections.abc import Coroutine, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from holdfast import __version__
from holdfast.adapters.clock import SystemClock
from holdfast.adapters.files import read_text
from holdfast.adapters.state_folder import find_config
from holdfast.core.origins import accesses_of, check_proxy, read_origin_rules
from holdfast.core.settings import Settings, resolve
from holdfast.core.url import Url, parse_url
from holdfast.core.user_agent import user_agent
from holdfast.formats.settings_file import SettingsFile, read_settings_file

if TYPE_CHECKING:
    from holdfast.ports import Clock, Fetcher

__all__ = ["load_settings", "load_settings_file", "make_fetcher", "read_text", "run"]

T = TypeVar("T")


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
    from holdfast.adapters.http.fetcher import HttpFetcher  # noqa: PLC0415 # lazy: aiohttp takes 150 ms

    given = tuple(named)
    if settings.fetch.proxy:
        check_proxy(settings.fetch.proxy, "the setting")
    urls = (parse_url(text) for text in given)
    return HttpFetcher(
        settings.fetch,
        clock or SystemClock(),
        user_agent=user_agent(__version__, settings.fetch.contact),
        accesses=accesses_of(settings.origins, environment, given).values(),
        named=[url.origin for url in urls if isinstance(url, Url)],
    )


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on the event loop of choice."""
    from holdfast.adapters import loop  # noqa: PLC0415 # lazy: uvloop

    return loop.run(main)
