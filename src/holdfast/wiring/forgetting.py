"""Wiring of forgetting: what is taken out of ledger, archive and mirrors, and what no ledger knows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.adapters.clock import SystemClock
from holdfast.core.canonical_fast import canonical_text
from holdfast.core.hashing import UrlKey, url_key
from holdfast.core.ledger import Place
from holdfast.core.settings import Settings
from holdfast.wiring import Store, join_identity, open_store, orphans_of, state_of, survey_archive
from holdfast.wiring.upkeep import MirrorPlace, as_made

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from holdfast.adapters.folder import Folder
    from holdfast.jobs.forgetting import Collected, Forgotten, Repaired

__all__ = ["collect_garbage", "forget_places", "orphan_files", "remove_orphans", "repair_archive"]


def forget_places(settings: Settings, *, web_key: UrlKey | None = None, host: str | None = None) -> Forgotten:
    """Forget a URL, by its `web` key, or everything on a host: ledger, archive, and the mirrors' files."""
    from holdfast.adapters.folder import Folder  # noqa: PLC0415 # lazy: with the parsers, 300 ms
    from holdfast.jobs.forgetting import forget  # noqa: PLC0415 # lazy: as above

    state = state_of(settings)
    with open_store(state, "forget", settings) as store:
        ledger = store.ledger
        places = ledger.forgetting.places_at(web_key) if web_key else ledger.forgetting.places_on(host or "")
        forgotten = forget(ledger, store.archive, SystemClock(), places)
        is_meant = _meant(settings, web_key, host, [place.url for place in forgotten.places])
        forgotten = replace(forgotten, orphans=orphans_of(state).forget(is_meant))
        for label in sorted({label for label, _ in forgotten.files}):
            place = MirrorPlace(state.resolve().parent / label, state, label)
            if not place.folder.is_dir():
                continue
            folder = Folder(place.folder)
            try:
                _take_away(folder, place, store, settings, forgotten)
            finally:
                folder.close()
    return forgotten


def _meant(
    settings: Settings, web_key: UrlKey | None, host: str | None, urls: Collection[str]
) -> Callable[[str], bool]:
    """Whether an address in the archive is one that shall be forgotten."""
    canonical = canonical_text(join_identity(settings).policy)
    keys = {web_key, *(url_key(form) for url in urls if isinstance(form := canonical(url), str))}

    def is_meant(text: str) -> bool:
        form = canonical(text)
        if not isinstance(form, str):
            return False
        key = url_key(form)
        return key in keys or (host is not None and Place(form, key, key).host == host)

    return is_meant


def _take_away(
    folder: Folder, place: MirrorPlace, store: Store, settings: Settings, forgotten: Forgotten
) -> None:
    """Remove the files of what was forgotten, and describe the mirror without them."""
    from holdfast.jobs.removal import take_away  # noqa: PLC0415 # lazy: the parsers

    order, names = as_made(place, store, settings, {})
    paths = [path for label, path in forgotten.files if label == place.label]
    take_away(folder, store.ledger, order, names, (paths, {gone.url for gone in forgotten.places}))


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
