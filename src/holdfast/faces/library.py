"""The library's side of the commands: the same jobs, with settings as keyword arguments.

A library reads neither the environment nor a settings file: everything it goes by is in the call.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.core.errors import UsageError
from holdfast.core.settings import all_settings, nearest, resolve
from holdfast.wiring import MirrorRequest, make_mirror, run

if TYPE_CHECKING:
    from holdfast.jobs.mirror.closing import Summary
    from holdfast.ports import Event, Observer

__all__ = ["mirror"]


def mirror(
    *sources: str, output: str | Path = "output", observer: Observer | None = None, **settings: Any
) -> Summary:
    """Mirror sites, sitemaps or files of URLs to a folder of Markdown, or go on with such a mirror.

    Settings have the names they have in `holdfast.toml`: `holdfast.mirror("https://example.com/docs/",
    output="docs", max_pages=100, content_rate_limit=2)`. What goes wrong with single pages is in the
    summary; what goes wrong as a whole is raised as a `HoldfastError`.
    """
    from holdfast.jobs.mirror.tools import Stop  # noqa: PLC0415 # lazy: the parsers

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
    """Nobody watches."""

    def notice(self, event: Event) -> None:
        """Say nothing."""
