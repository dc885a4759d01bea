"""What the commands do, as functions: the library reads neither the home folder nor the environment."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.core.capture import Outcome
from holdfast.core.errors import UsageError
from holdfast.core.nearest import nearest
from holdfast.core.refusal import Refused
from holdfast.core.settings import all_settings, resolve
from holdfast.core.url import parse_url
from holdfast.ports import Event, FetchRequest, Observer
from holdfast.wiring import MirrorRequest, fetch_once, make_mirror, run
from holdfast.wiring.tracking import open_tracker, track_once, track_request

if TYPE_CHECKING:
    from holdfast.jobs.mirror.closing import Summary
    from holdfast.jobs.track import TrackResult

__all__ = ["fetch", "mirror", "track"]


def fetch(
    url: str,
    *,
    etag: str | None = None,
    last_modified: str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Outcome | Refused:
    """Ask for one URL, politely and safely, and say how it ended; `settings` by their names.

    Must not be called from a running event loop.
    """
    parsed = parse_url(url)
    if isinstance(parsed, Refused):
        return parsed
    request = FetchRequest(parsed, etag=etag, last_modified=last_modified, named_by_user=True)
    return run(fetch_once(resolve(flags=settings), request, environment={}, named=[url]))


def mirror(
    *sources: str, output: str | Path = "output", observer: Observer | None = None, **settings: Any
) -> Summary:
    """Mirror sites, sitemaps or files of URLs to a folder of Markdown, or go on with such a mirror.

    Settings have the names they have in `holdfast.toml`: `holdfast.mirror("https://example.com/docs/",
    output="docs", max_pages=100, content_rate_limit=2)`. What goes wrong with single pages is in the
    summary; what goes wrong as a whole is raised as a `HoldfastError`.
    """
    from holdfast.jobs.stop import Stop  # noqa: PLC0415 # lazy: with the job

    if not sources:
        raise UsageError("a mirror needs at least one source")
    for name in settings:
        if name not in all_settings():
            guess = nearest(name, all_settings())
            raise UsageError(
                f"there is no setting {name!r}", hint=f"did you mean {guess}?" if guess else None
            )
    request = MirrorRequest(sources, Path(output), resolve(flags=settings), {})
    return run(make_mirror(request, observer or _Silent(), Stop()))


class _Silent:
    """Nobody is told."""

    def notice(self, event: Event) -> None:
        """Hear it, and say nothing."""


def track(
    *paths: str | Path,
    fetch_urls: bool = False,
    force_refetch: bool = False,
    eager: bool = False,
    settings: Mapping[str, Any] | None = None,
    observer: Observer | None = None,
) -> TrackResult:
    """Find what documents cite and tell what changed or died; `settings` by their names.

    Without `fetch_urls` no socket is opened. Must not be called from a running event loop with it.
    """
    given = [Path(path) for path in paths or (".",)]
    settled = resolve(flags={**(settings or {}), "fetch_external_urls": fetch_urls})
    request = track_request(force=force_refetch, eager=eager)
    with open_tracker(given, settled, request, observer or _Silent()) as tracker:
        return run(track_once(tracker, settled, {})) if fetch_urls else tracker.report()
