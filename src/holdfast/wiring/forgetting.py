"""Wiring of what takes something out: forgetting, garbage, orphans, what an archive lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from holdfast.adapters.clock import SystemClock
from holdfast.core.answers.forgetting import Collected, Forgotten, Packed, Repaired
from holdfast.core.errors import UsageError
from holdfast.core.forgetting import addresses_meant
from holdfast.core.packing import FULL_OBJECT
from holdfast.core.settings import Settings
from holdfast.core.shown_text import is_utf8, printable
from holdfast.jobs.forgetting import collect, forget, pack, repair
from holdfast.questions.history import find_url
from holdfast.wiring.checks import orphans_of, survey_archive
from holdfast.wiring.searching import index_to_forget
from holdfast.wiring.settings import join_policy
from holdfast.wiring.states import ARCHIVE, ORPHANS, MirrorPlace, state_of
from holdfast.wiring.store import Store, open_store, read_store
from holdfast.wiring.upkeep import take_away_with

__all__ = [
    "collect_garbage",
    "forget_places",
    "orphan_files",
    "orphans_place",
    "pack_archive",
    "remove_orphans",
    "repair_archive",
]


async def forget_places(settings: Settings, *, url: str | None = None, host: str | None = None) -> Forgotten:
    """Forget a URL, or everything on a host: ledger, archive, and the mirrors' files."""
    state = state_of(settings)
    if host is not None and not is_utf8(host):
        raise UsageError(f"{printable(host)} is not UTF-8")
    with open_store(state, "forget", settings) as store:
        ledger, policy = store.ledger, join_policy(settings, store.ledger.joins.version())
        web_key = find_url(ledger, url, policy, merged=False)[1] if url else None
        known = ledger.forgetting
        places = known.places_at(web_key) if web_key else tuple(known.places_on(host or ""))
        with index_to_forget(state) as index:
            forgotten = forget(ledger, store.archive, SystemClock(), places, index)
        urls = [place.url for place in forgotten.places]
        is_meant = addresses_meant(policy, urls, web_key, host)
        forgotten = replace(
            forgotten, orphans=orphans_of(settings, state, ledger.archived.ends).forget(is_meant)
        )
        left = [row for row in ledger.forgetting.removals() if row.path]
        for label in sorted({row.label for row in ledger.forgetting.removals()}):
            await _take_away(MirrorPlace(state.resolve().parent / label, state, label), store, settings)
    return replace(forgotten, files=tuple((row.label, row.path) for row in left))


async def _take_away(place: MirrorPlace, store: Store, settings: Settings) -> None:
    """Remove the files of what was forgotten, and every trace of it in the mirror."""
    if place.folder.is_dir():
        await take_away_with(place, store, settings)
        store.ledger.forgetting.removed(place.label)


def orphan_files(settings: Settings, state: Path | None = None) -> tuple[tuple[str, int], ...]:
    """Files of records that no ledger knows: names and sizes."""

    def known() -> Mapping[str, int]:
        with read_store(settings, state) as store:
            return store.ledger.archived.ends()

    return orphans_of(settings, state or state_of(settings), known).files()


def orphans_place(settings: Settings, state: Path) -> str:
    """Where they are, as people call it."""
    return settings.store.archive or str(state / ARCHIVE / ORPHANS)


def remove_orphans(settings: Settings) -> int:
    """Delete what no ledger knows; how many bytes that was."""
    state = state_of(settings)
    with open_store(state, "gc", settings) as store:
        return orphans_of(settings, state, store.ledger.archived.ends).remove()


def repair_archive(settings: Settings) -> Repaired:
    """Note what the archive cannot give back as lost, and write the rest anew."""
    with open_store(state_of(settings), "archive repair", settings) as store:
        before = store.ledger.archived.lost()
        survey = survey_archive(store)
        if not list(survey.problems()) and not before:
            return Repaired(survey.captures, 0, ())
        return repair(store.ledger, store.archive, SystemClock(), survey.damaged)


def pack_archive(settings: Settings) -> Packed:
    """Write the small files of the archive anew as large ones."""
    full = settings.store.archive_file_mb * 1_000_000
    if settings.store.archive is not None:
        full = min(full, FULL_OBJECT)
    with open_store(state_of(settings), "archive pack", settings) as store:
        return pack(store.ledger, store.archive, SystemClock(), full)


def collect_garbage(settings: Settings) -> Collected:
    """Drop what no item needs."""
    with open_store(state_of(settings), "gc", settings) as store:
        return collect(store.ledger, store.archive, SystemClock())
