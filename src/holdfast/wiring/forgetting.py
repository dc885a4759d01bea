"""Wiring of what takes something out: forgetting, garbage, orphans, what an archive lost."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.adapters.clock import SystemClock
from holdfast.core.canonical_fast import canonical_text
from holdfast.core.hashing import UrlKey, url_key
from holdfast.core.place import Place
from holdfast.core.policy import Policy
from holdfast.core.settings import Settings
from holdfast.wiring import Store, join_policy, open_store, orphans_of, state_of, survey_archive
from holdfast.wiring.searching import index_to_forget
from holdfast.wiring.upkeep import MirrorPlace, as_made, converters

if TYPE_CHECKING:
    from holdfast.jobs.forgetting import Collected, Forgotten, Repaired

__all__ = ["collect_garbage", "forget_places", "orphan_files", "remove_orphans", "repair_archive"]


async def forget_places(settings: Settings, *, url: str | None = None, host: str | None = None) -> Forgotten:
    """Forget a URL, or everything on a host: ledger, archive, and the mirrors' files."""
    from holdfast.jobs.forgetting import forget  # noqa: PLC0415 # lazy: with the parsers, 300 ms
    from holdfast.questions.finding import find_url  # noqa: PLC0415 # lazy: as above

    state = state_of(settings)
    with open_store(state, "forget", settings) as store:
        ledger, policy = store.ledger, join_policy(settings, store.ledger)
        web_key = find_url(ledger, url, policy, merged=False)[1] if url else None
        places = ledger.forgetting.places_at(web_key) if web_key else ledger.forgetting.places_on(host or "")
        with index_to_forget(state) as index:
            forgotten = forget(ledger, store.archive, SystemClock(), places, index)
        is_meant = _meant(policy, web_key, host, [place.url for place in forgotten.places])
        forgotten = replace(forgotten, orphans=orphans_of(state).forget(is_meant))
        left = [row for row in ledger.forgetting.removals() if row.path]
        for label in sorted({row.label for row in ledger.forgetting.removals()}):
            await _take_away(MirrorPlace(state.resolve().parent / label, state, label), store, settings)
    return replace(forgotten, files=tuple((row.label, row.path) for row in left))


def _meant(
    policy: Policy, web_key: UrlKey | None, host: str | None, urls: Collection[str]
) -> Callable[[str], bool]:
    """Whether an address in the archive is one that shall be forgotten."""
    canonical = canonical_text(policy)
    keys = {web_key, *(url_key(form) for url in urls if isinstance(form := canonical(url), str))}

    def is_meant(text: str) -> bool:
        form = canonical(text)
        if not isinstance(form, str):
            return False
        key = url_key(form)
        return key in keys or (host is not None and Place(form, key, key).host == host)

    return is_meant


class _NoWatcher:
    """An observer that tells nobody."""

    def notice(self, event: object) -> None:
        """Nothing."""


async def _take_away(place: MirrorPlace, store: Store, settings: Settings) -> None:
    """Remove the files of what was forgotten, describe the mirror without them, and write pages anew that
    linked to them.
    """
    from holdfast.adapters.folder import Folder  # noqa: PLC0415 # lazy: with the parsers, 300 ms
    from holdfast.jobs.rebuild import RebuildOrder, rebuild  # noqa: PLC0415 # lazy: the parsers
    from holdfast.jobs.removal import take_away  # noqa: PLC0415 # lazy: the parsers
    from holdfast.jobs.workshop import Workshop  # noqa: PLC0415 # lazy: as above

    if not place.folder.is_dir():
        return
    order, names = as_made(place, store, settings, {})
    rows = [row for row in store.ledger.forgetting.removals() if row.label == place.label]
    folder = Folder(place.folder)
    try:
        gone = ([row.path for row in rows if row.path], {row.url for row in rows if row.url})
        take_away(folder, store.ledger, order, names, gone)
        if order.settings.links == "local":
            with converters(settings) as refine:
                workshop = Workshop(store.ledger, store.archive, refine, SystemClock(), _NoWatcher())
                await rebuild(workshop, folder, RebuildOrder(order, names))
    finally:
        folder.close()
    store.ledger.forgetting.removed(place.label)


def orphan_files(settings: Settings) -> tuple[tuple[str, int], ...]:
    """Files of records that no ledger knows: names and sizes."""
    return orphans_of(state_of(settings)).files()


def remove_orphans(settings: Settings) -> int:
    """Delete what no ledger knows; how many bytes that was."""
    state = state_of(settings)
    with open_store(state, "gc", settings):
        return orphans_of(state).remove()


def repair_archive(settings: Settings) -> Repaired:
    """Note what the archive cannot give back as lost, and write the rest anew."""
    from holdfast.jobs.forgetting import Repaired, repair  # noqa: PLC0415 # lazy: the parsers

    with open_store(state_of(settings), "archive repair", settings) as store:
        before = store.ledger.archived.lost()
        survey = survey_archive(store)
        if not list(survey.problems()) and not before:
            return Repaired(survey.captures, 0, ())
        return repair(store.ledger, store.archive, SystemClock(), survey.damaged)


def collect_garbage(settings: Settings) -> Collected:
    """Drop what no item needs."""
    from holdfast.jobs.forgetting import collect  # noqa: PLC0415 # lazy: the parsers

    with open_store(state_of(settings), "gc", settings) as store:
        return collect(store.ledger, store.archive, SystemClock())
