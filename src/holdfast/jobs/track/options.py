"""From settings and the wishes of one call to the options of a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

from holdfast.core.distill_options import DistillOptions
from holdfast.core.hosts import HostRules
from holdfast.core.local_links import LocalOptions
from holdfast.core.settings import Settings
from holdfast.core.touched import TouchedLines
from holdfast.formats.belief_node import DataFormat

__all__ = ["Pacing", "TrackOptions", "TrackRequest", "track_options"]


@dataclass(frozen=True, slots=True)
class Pacing:
    """How many at a time over all and per host, and how long between two of a host."""

    at_a_time: int = 10
    per_host: int = 8
    pause: float = 1.0


_NO_LIMIT = Pacing()
_GLANCE = DistillOptions(glance=True)


@dataclass(frozen=True, slots=True)
class TrackRequest:
    """What is wished of one run, and is no setting."""

    force: bool = False
    eager: bool = False
    touched: TouchedLines | None = None
    force_exclude: bool = False


@dataclass(frozen=True, slots=True)
class TrackOptions:
    """How a run goes about it."""

    scope: tuple[str, ...] = ("",)
    label: str = ""
    ttl: timedelta = timedelta(hours=24)
    pacing: Pacing = _NO_LIMIT
    rules: HostRules = field(default_factory=HostRules)
    obey_robots: bool = False
    force: bool = False
    eager: bool = False
    manifests: bool = True
    manifest_format: DataFormat | None = None
    content: str = "text"
    distill: DistillOptions = _GLANCE
    touched: TouchedLines | None = None
    local: LocalOptions | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the scope is everything under the root."""
        return "" in self.scope


def track_options(
    settings: Settings, request: TrackRequest, scope: tuple[str, ...], label: str
) -> TrackOptions:
    """The options of a run."""
    track, fetch = settings.track, settings.fetch
    pause = 1 / fetch.content_rate_limit if fetch.content_rate_limit else 0.0
    chosen = track.manifest_format
    return TrackOptions(
        scope=scope,
        label=label,
        ttl=timedelta(hours=track.link_ttl),
        pacing=Pacing(track.link_concurrency, fetch.per_host, pause),
        rules=HostRules(
            track.ask_hosts, track.skip_hosts, track.skip_urls, skip_reserved=not track.ask_reserved
        ),
        obey_robots=track.link_robots,
        force=request.force,
        eager=request.eager,
        touched=request.touched,
        manifests=chosen != "none",
        manifest_format=DataFormat(chosen) if chosen not in (None, "none") else None,
        content=track.tracked_content,
        distill=DistillOptions(max_bytes=settings.distill.max_page_bytes, glance=True),
    )
