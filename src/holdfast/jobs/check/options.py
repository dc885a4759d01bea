"""From settings and the wishes of one call to the options of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from holdfast.core.base.figures import parse_duration
from holdfast.core.base.values import dataclass
from holdfast.core.findings.cited_findings import TouchedLines
from holdfast.core.links.after_look import ToldState
from holdfast.core.links.local_links import LocalOptions
from holdfast.core.links.url_manifest import DataFormat
from holdfast.core.page.distill_options import DistillOptions
from holdfast.core.settings.job_settings import CheckSettings
from holdfast.core.settings.origins import header_fields, statuses
from holdfast.core.settings.patterns import LinearPattern, Remaps
from holdfast.core.settings.resolve import Origin, Settings
from holdfast.core.url.hosts import HostRules
from holdfast.core.web.pace import HostManner

if TYPE_CHECKING:
    from holdfast.adapters.ports import GivenDocument

_ADAPTING = HostManner()


@dataclass(frozen=True, slots=True)
class Pacing:
    """How many at a time over all, how each host is asked, and how those of which the user said so."""

    at_a_time: int = 10
    manner: HostManner = _ADAPTING
    by_host: Mapping[str, HostManner] = field(default_factory=dict)

    def manner_of(self, host: str) -> HostManner:
        """How a host is asked."""
        return self.by_host.get(host, self.manner)


_USUAL = Pacing()
_GLANCE = DistillOptions(glance=True, outline=True)


@dataclass(frozen=True, slots=True)
class TrackRequest:
    """What is wished of one run, and is not a setting."""

    force: bool = False
    eager: bool = False
    touched: TouchedLines | None = None
    force_exclude: bool = False
    told: tuple[ToldState, ...] = ()
    given: tuple[GivenDocument, ...] = ()
    pages: tuple[str, ...] = ()
    owed_to: tuple[str, ...] = ()
    rest: timedelta = timedelta()


@dataclass(frozen=True, slots=True)
class LookOptions:
    """How URLs are looked at: whatever is known, counting at once, twice in a run, states alone; which
    statuses are fine, what is asked in the place of what is cited, which header fields are sent, and how soon
    at the earliest a URL is asked again.
    """

    force: bool = False
    eager: bool = False
    confirm: bool = False
    light: bool = False
    accepted: frozenset[int] = frozenset()
    remaps: Remaps = field(default_factory=Remaps)
    headers: tuple[tuple[str, str], ...] = ()
    rest: timedelta = timedelta()


_USUAL_LOOK = LookOptions()


@dataclass(frozen=True, slots=True)
class PagesWish:
    """Pages and sitemaps to be read as documents, and how their hosts are asked: as a mirror asks them."""

    urls: tuple[str, ...]
    manner: HostManner
    obey_robots: bool = True


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """Which documents are read, and what of them.

    `touched` are the lines that are asked about; `local` says that local links are judged too, and how. Links
    that begin with `/` are URLs of the site `base_url`; all links of a page are URLs, seen from where it
    answered (`page_bases`). `passing` are documents of this run alone: what they cite is asked, that they
    cite it is not kept.
    """

    scope: tuple[str, ...] = ("",)
    touched: TouchedLines | None = None
    local: LocalOptions | None = None
    base_url: str | None = None
    page_bases: Mapping[str, str] = field(default_factory=dict)
    passing: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether the scope is everything under the root."""
        return "" in self.scope


@dataclass(frozen=True, slots=True)
class AskOptions:
    """Which URLs may be asked, how soon again, how fast, and whether robots.txt is obeyed."""

    ttl: timedelta = timedelta(hours=24)
    pacing: Pacing = _USUAL
    rules: HostRules = field(default_factory=HostRules)
    obey_robots: bool = False


_USUAL_READING = ReadingOptions()
_USUAL_ASKING = AskOptions()


@dataclass(frozen=True, slots=True)
class TrackOptions:
    """How a run goes about it. `owed_to` are the services that hear of what the run finds."""

    reading: ReadingOptions = _USUAL_READING
    asking: AskOptions = _USUAL_ASKING
    looks: LookOptions = _USUAL_LOOK
    distill: DistillOptions = _GLANCE
    label: str = ""
    manifests: bool = True
    manifest_format: DataFormat | None = None
    told: tuple[ToldState, ...] = ()
    pages: PagesWish | None = None
    owed_to: tuple[str, ...] = ()


def track_options(
    settings: Settings, request: TrackRequest, scope: tuple[str, ...], label: str
) -> TrackOptions:
    """The options of a run."""
    track = settings.check
    chosen = track.manifest_format
    return TrackOptions(
        reading=ReadingOptions(scope, request.touched, base_url=track.documents.base_url),
        asking=AskOptions(
            parse_duration(track.asking.max_age) or timedelta(),
            Pacing(track.asking.concurrency, manner_of(settings), _manners(settings)),
            rules_of(settings),
            track.asking.robots,
        ),
        looks=_looks(track, request),
        label=label,
        told=request.told,
        manifests=chosen != "none",
        manifest_format=DataFormat(chosen) if chosen not in (None, "none") else None,
        distill=DistillOptions(
            max_bytes=settings.distill.max_page_bytes, glance=True, outline=not track.judging.light
        ),
        pages=_pages(settings, request) if request.pages else None,
        owed_to=(*request.owed_to, *(target.name for target in settings.notify)),
    )


def _pages(settings: Settings, request: TrackRequest) -> PagesWish:
    fetch = settings.fetch
    pause = 1 / fetch.pace.content_rate_limit if fetch.pace.content_rate_limit else 0.0
    manner = HostManner(pause, fetch.pace.per_host, adapts=False, patience=fetch.pace.max_wait)
    return PagesWish(request.pages, manner, fetch.robots)


def _looks(track: CheckSettings, request: TrackRequest) -> LookOptions:
    return LookOptions(
        request.force,
        request.eager,
        track.judging.confirm,
        track.judging.light,
        statuses(track.judging.accept),
        Remaps(track.asking.remap),
        header_fields(track.asking.header),
        request.rest,
    )


def manner_of(settings: Settings) -> HostManner:
    """How hosts are asked: adaptively, unless a rate was named."""
    fetch, usual = settings.fetch, _ADAPTING
    named = {row.setting.name for row in settings.resolved if row.origin is not Origin.DEFAULT}
    pause, width = usual.pause, fetch.pace.per_host if "per_host" in named else usual.width
    if "content_rate_limit" in named:
        pause, width = (
            1 / fetch.pace.content_rate_limit if fetch.pace.content_rate_limit else 0.0,
            fetch.pace.per_host,
        )
    return HostManner(
        pause,
        width,
        adapts="content_rate_limit" not in named,
        patience=fetch.pace.max_wait,
        patience_sum=fetch.pace.max_wait_sum,
        tries=fetch.pace.max_slowdowns,
    )


def _manners(settings: Settings) -> dict[str, HostManner]:
    """How hosts are asked of which the settings file says so."""
    usual, told = manner_of(settings), {}
    for rule in settings.origins:
        if rule.content_rate_limit is None and rule.per_host is None:
            continue
        width = rule.per_host or usual.width
        rate = rule.content_rate_limit
        pause = usual.pause if rate is None else 1 / rate if rate else 0.0
        told[rule.host] = replace(usual, pause=pause, width=width, adapts=rate is None)
    return told


def rules_of(settings: Settings) -> HostRules:
    """Which URLs may be asked."""
    track = settings.check
    return HostRules(
        track.asking.ask_hosts,
        track.asking.skip_hosts,
        [LinearPattern(pattern, "skip_urls") for pattern in track.asking.skip_urls],
        ask_urls=[LinearPattern(pattern, "ask_urls") for pattern in track.asking.ask_urls],
        skip_reserved=not track.asking.include_reserved,
    )
