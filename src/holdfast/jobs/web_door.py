"""The door to the web: a fetcher as the settings want it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast import __version__
from holdfast.adapters.http.fetcher import HttpFetcher
from holdfast.adapters.system import SystemClock
from holdfast.core.settings.origins import accesses_of, check_proxy
from holdfast.core.settings.resolve import Settings
from holdfast.core.url.url import Url, parse_url
from holdfast.core.web.capture import Outcome
from holdfast.core.web.robots import user_agent
from holdfast.jobs.load_settings import setting_path

if TYPE_CHECKING:
    from holdfast.adapters.ports import Clock, Fetcher, FetchRequest


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
