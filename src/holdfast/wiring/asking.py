"""Wiring of tracking that asks: a fetcher, workers that read pages, a scribe that keeps what was found."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from holdfast.adapters.scribe import ThreadScribe
from holdfast.adapters.workers.distillery import Distillery
from holdfast.core.citation import Citation, CitedPlace
from holdfast.core.settings import Settings
from holdfast.jobs.fix import Fixer
from holdfast.jobs.track import Tracker, TrackResult
from holdfast.jobs.track.run import TrackRun
from holdfast.ports import Fetcher, Scribe
from holdfast.questions.track.options import manner_of, rules_of
from holdfast.wiring.fetching import make_fetcher

__all__ = ["ask_for_fixes", "ask_one", "scribe_for", "track_fetcher", "track_once"]

_TELL_EVERY: Final = 5.0
"""Seconds between two accounts of what is left of a run."""


def scribe_for(tracker: Tracker) -> Scribe:
    """Who owns ledger and archive while answers come in: the keeper hands them over."""
    return tracker.keeper.now(lambda ledger, archive: ThreadScribe(ledger, archive, tracker.clock))


async def ask_one(
    tracker: Tracker, citation: Citation, settings: Settings, environment: Mapping[str, str]
) -> CitedPlace | None:
    """Ask one URL now; None where a rule keeps it from being asked."""
    fetcher = track_fetcher(settings, environment)
    try:
        return await TrackRun(tracker, partial(scribe_for, tracker), fetcher).ask(citation)
    finally:
        await fetcher.close()


def track_fetcher(settings: Settings, environment: Mapping[str, str], named: Sequence[str] = ()) -> Fetcher:
    """The door for cited URLs, none of which the user named, and for pages that were (`named`). The tracker
    paces hosts and waits for them.
    """
    manner, pace = manner_of(settings), replace(settings.fetch.pace, max_slowdowns=0)
    if manner.adapts:
        pace = replace(pace, content_rate_limit=0.0, per_host=manner.width)
    fetch = replace(settings.fetch, pace=pace)
    return make_fetcher(replace(settings, fetch=fetch), environment=environment, named=named)


async def track_once(
    tracker: Tracker, settings: Settings, environment: Mapping[str, str], named: Sequence[str] = ()
) -> TrackResult:
    """One run of tracking that asks, with a door of its own."""

    async def keep_telling() -> None:
        while True:
            await asyncio.sleep(_TELL_EVERY)
            run.tell_outlook()

    fetcher = track_fetcher(settings, environment, named)
    spare = max((os.cpu_count() or 1) - 1, 1)  # this process asks and keeps, which takes a processor
    distiller = Distillery(tracker.recipe, tracker.distill_options, workers=min(spare, 4))
    run = TrackRun(tracker, partial(scribe_for, tracker), fetcher, distiller)
    telling = asyncio.create_task(keep_telling())
    try:
        return await run.run()
    finally:
        telling.cancel()
        await fetcher.close()
        distiller.close()


async def ask_for_fixes(
    fixer: Fixer, documents: Sequence[str], settings: Settings, environment: Mapping[str, str]
) -> int:
    """Ask what a repair needs to know; how many URLs that were."""
    fetcher = make_fetcher(settings, environment=environment)
    try:
        return await fixer.ask(documents, fetcher, rules_of(settings))
    finally:
        await fetcher.close()
