"""Wiring of `mirror`: what is asked for, and the workers, which start before anything else is imported."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast import wiring
from holdfast.core.settings import Settings
from holdfast.core.values import dataclass
from holdfast.wiring.states import mirror_state_of
from holdfast.wiring.workers import start_workers

if TYPE_CHECKING:
    from holdfast.core.answers.mirroring import Summary
    from holdfast.jobs.stop import Stop
    from holdfast.ports import Observer

__all__ = ["MirrorRequest", "make_mirror"]


@dataclass(frozen=True, slots=True)
class MirrorRequest:
    """A mirror that somebody asked for: sources as they were given, where it shall lie, and to whom, beside
    the targets of the settings, what happens is owed.
    """

    sources: tuple[str, ...]
    output: Path
    settings: Settings
    environment: Mapping[str, str]
    label: str | None = None
    owed_to: tuple[str, ...] = ()


async def make_mirror(request: MirrorRequest, observer: Observer, stop: Stop) -> Summary:
    """Make a mirror, or go on with one. Of a new one every page has to be read; where requests are held to a
    rate, one worker is done with a page before the next one comes.
    """
    settings = request.settings
    state, is_limited = mirror_state_of(request.output, settings), settings.fetch.pace.content_rate_limit > 0
    first = 0 if state.exists() else 1 if is_limited else None
    with start_workers(settings, first=first) as workers:
        return await wiring.crawling.mirror_with(workers, request, state, observer, stop)
