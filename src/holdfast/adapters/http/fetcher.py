"""The `Fetcher` port on aiohttp: puts the parts together, and fetches."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from aiohttp.abc import AbstractResolver

from holdfast.adapters.http.connections import Pools
from holdfast.adapters.http.fetching import FetchContext, Fetching, FetchTerms, learn_robots
from holdfast.adapters.http.host_turns import HostTurns
from holdfast.adapters.http.robots_cache import RobotsCache
from holdfast.core.settings.groups import FetchSettings
from holdfast.core.settings.origins import OriginAccess
from holdfast.core.url.url import Url
from holdfast.core.web.body import BodyLimits
from holdfast.core.web.capture import Outcome
from holdfast.core.web.codings import ACCEPT_ENCODING
from holdfast.core.web.pace import Pace
from holdfast.core.web.retry import RetryRules
from holdfast.core.web.robots import RobotsReport

if TYPE_CHECKING:
    from holdfast.adapters.ports import Clock, FetchRequest

_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


class HttpFetcher:
    """Asks politely and safely; may be called from any number of tasks at once."""

    def __init__(
        self,
        settings: FetchSettings,
        clock: Clock,
        *,
        user_agent: str,
        accesses: Iterable[OriginAccess] = (),
        named: Iterable[str] = (),
        resolver: AbstractResolver | None = None,
        chance: Callable[[], float] = random.random,
    ) -> None:
        by_origin = {access.origin: access for access in accesses}
        headers = {"User-Agent": user_agent, "Accept": _ACCEPT, "Accept-Encoding": ACCEPT_ENCODING}
        limits = BodyLimits(
            settings.limits.max_body_bytes, settings.limits.max_decoded_bytes, settings.limits.max_ratio
        )
        self._plain = {
            obey: FetchTerms(headers, limits, settings.limits.max_redirects, settings.robots and obey)
            for obey in (True, False)
        }
        self._context = FetchContext(
            settings=settings,
            clock=clock,
            chance=chance,
            turns=HostTurns(
                clock,
                Pace.of_rate(
                    settings.pace.content_rate_limit, settings.pace.per_host, settings.pace.max_wait
                ),
            ),
            robots=RobotsCache(clock),
            pools=Pools(settings, resolver),
            retry=RetryRules(
                attempts=settings.pace.max_slowdowns,
                longest_wait=settings.pace.max_wait,
                longest_sum=settings.pace.max_wait_sum,
            ),
            named=frozenset((*named, *by_origin)),
            headers=headers,
            accesses=by_origin,
        )

    async def fetch(self, request: FetchRequest) -> Outcome:
        """Ask once, politely and safely. Never raises for anything the web does."""
        return await Fetching(self._context, request, self._terms_for(request)).outcome()

    async def robots(self, url: Url, *, named_by_user: bool = False) -> RobotsReport:
        """The robots.txt of a URL's origin: its state, its delay, its sitemaps. Asked once a run."""
        known = self._context.robots.known(url.origin)
        return (known or await learn_robots(self._context, url, trusted=named_by_user)).report

    async def close(self) -> None:
        """Close connections."""
        await self._context.pools.close()

    def _terms_for(self, request: FetchRequest) -> FetchTerms:
        plain = self._plain[request.obey_robots]
        conditional = request.etag is not None or request.last_modified is not None
        if not conditional and request.accept is None and request.max_bytes is None and not request.headers:
            return plain
        headers, limits = dict(plain.headers), plain.limits
        for name, value in request.headers:
            ours = next((known for known in headers if known.lower() == name.lower()), name)
            headers[ours] = value
        if request.etag is not None:
            headers["If-None-Match"] = request.etag
        if request.last_modified is not None:
            headers["If-Modified-Since"] = request.last_modified
        if request.accept is not None:
            headers["Accept"] = request.accept
        if request.max_bytes is not None:
            limits = BodyLimits(request.max_bytes, request.max_bytes, limits.ratio, limits.cut)
        return FetchTerms(
            headers=headers,
            limits=limits,
            max_redirects=plain.max_redirects,
            obey_robots=plain.obey_robots,
            conditional=conditional,
        )
