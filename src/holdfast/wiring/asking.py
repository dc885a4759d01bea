"""Wiring of tracking that asks: a fetcher, workers that read pages, a scribe that keeps what was found."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from holdfast.adapters.scribe import ThreadScribe
from holdfast.adapters.workers.distillery import Distillery
from holdfast.core.settings import Settings
from holdfast.jobs.fix import Fixer
from holdfast.jobs.track import Tracker, TrackResult
from holdfast.ports import Clock, Fetcher, Scribe
from holdfast.questions.track.options import manner_of, rules_of
from holdfast.wiring.fetching import make_fetcher
from holdfast.wiring.store import Store

__all__ = ["ask_for_fixes", "open_scribe", "track_fetcher", "track_once"]

_TELL_EVERY: Final = 5.0
"""Seconds between two accounts of what is left of a run."""


def open_scribe(store: Store, clock: Clock) -> Scribe:
    """The one owner of a store while questions are asked."""
    return ThreadScribe(store.ledger, store.archive, clock)


def track_fetcher(settings: Settings, environment: Mapping[str, str]) -> Fetcher:
    """The door for cited URLs, none of which the user named. The tracker paces hosts and waits for them."""
    manner, fetch = manner_of(settings), replace(settings.fetch, max_slowdowns=0)
    if manner.adapts:
        fetch = replace(fetch, content_rate_limit=0.0, per_host=manner.width)
    return make_fetcher(replace(settings, fetch=fetch), environment=environment)


async def track_once(tracker: Tracker, settings: Settings, environment: Mapping[str, str]) -> TrackResult:
    """One run of tracking that asks, with a door of its own."""

    async def keep_telling() -> None:
        while True:
            await asyncio.sleep(_TELL_EVERY)
            tracker.tell_outlook()

    fetcher = track_fetcher(settings, environment)
    spare = max((os.cpu_count() or 1) - 1, 1)  # this process asks and keeps, which takes a processor
    distiller = Distillery(tracker.recipe, tracker.distill_options, workers=min(spare, 4))
    telling = asyncio.create_task(keep_telling())
    try:
        return await tracker.run(fetcher, distiller)
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
