"""What a URL said: its captures, its items and what superseded what, the page as it was at a moment.

A URL is found whatever version keyed it (ID-13). Where nothing has the key that the ledger's `web` policy
gives it, its form is looked up as the runs of the ledger wrote it: a page is found by its own address, and by
every address that its policy merged into it.

A mirror may keep pages apart that have one key: `?a=1&b=2` and `?b=2&a=1` under `site`. Their captures are
all told; versions, and the page as it was, are those of the page that was asked for by its own address, else
of the one that was seen last.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Final

from holdfast.core.answers.history import ItemLineage, Lineage, PageAsOf, PageHistory
from holdfast.core.canonical_fast import canonical_text
from holdfast.core.citing import place_of_text, web_key_of
from holdfast.core.distill_options import DistillOptions
from holdfast.core.errors import FailedError, UsageError
from holdfast.core.hashing import UrlKey, url_key
from holdfast.core.ledger import NamedAlias, Observation
from holdfast.core.lineage import CaptureRecord, Item, Job
from holdfast.core.place import Place
from holdfast.core.policy import Policy, policy_of
from holdfast.core.recipe import Recipe
from holdfast.core.section import KeptSection
from holdfast.core.section_moves import SectionMove, moves_between
from holdfast.core.versions import page_key
from holdfast.ports import Archive, Ledger
from holdfast.questions.archived_pages import capture_of, page_from

__all__ = ["find_place", "find_url", "history", "lineage", "page_as_of", "section_moves"]

_ITEM: Final = re.compile(r"[0-9a-f]{4,64}\Z")
_NOT_MODIFIED: Final = 304
_AS_CITED: Final = Recipe.parse("http_snapshot_url_v1_text_v1")


def history(ledger: Ledger, url: str, policy: Policy, recipe: Recipe | None = None) -> PageHistory:
    """A URL's captures, the oldest first; with a recipe only what was made by it. Of another name of a page,
    those of the page.
    """
    canonical, key = find_url(ledger, url, policy)
    names = ledger.pages.names_of(key)
    own_key = _page_key(ledger, key, names)
    found = tuple(ledger.history.of_url(own_key, recipe))
    forgotten = tuple(stone for stone in ledger.forgetting.tombstones() if stone.place.web_key == key)
    return PageHistory(
        canonical,
        key,
        found,
        forgotten,
        names,
        sections=_moved(ledger, found),
        meant=_meant(found, url),
        mirrors=_mirror_recipes(ledger, own_key),
    )


def _mirror_recipes(ledger: Ledger, key: UrlKey) -> tuple[Recipe, ...]:
    """The recipes of the mirrors that have a page."""
    labels = dict.fromkeys(file.label for file in ledger.pages.mirrored(key))
    runs = (next(ledger.runs.latest_first(label=label, job=Job.MIRROR), None) for label in labels)
    return tuple(run.run.recipe for run in runs if run is not None)


def _page_key(ledger: Ledger, key: UrlKey, names: tuple[NamedAlias, ...]) -> UrlKey:
    """Where the captures are: at the URL itself, if it ever showed a page, else at the page that it names."""
    met = {key}
    while all(observation.item is None for observation in ledger.history.of_url(key)):
        targets = [n.alias.target.web_key for n in names if n.alias.place.web_key == key]
        if not targets or targets[0] in met:
            break
        key = targets[0]
        met.add(key)
        names = ledger.pages.names_of(key)
    return key


def _meant(observations: Iterable[Observation], text: str) -> dict[Recipe, UrlKey]:
    """Which page is meant where several of one recipe have the key."""
    pages: dict[Recipe, list[UrlKey]] = {}
    for item in (observation.item for observation in observations):
        if item is not None:
            pages.setdefault(item.recipe, []).append(page_key(item))
    found: dict[Recipe, UrlKey] = {}
    for recipe, keys in pages.items():
        if len(set(keys)) > 1:
            asked = _form(text, recipe)
            found[recipe] = asked if asked in keys else keys[-1]
    return found


def _form(text: str, recipe: Recipe) -> UrlKey | None:
    """The key of a text by the policy of a recipe."""
    policy = policy_of(recipe.url) if recipe.url else None
    form = canonical_text(policy)(text) if policy else None
    return url_key(form) if isinstance(form, str) else None


def _others(seen: Iterable[Observation], text: str) -> set[str]:
    """The captures that show other pages of a mirror than the one that was asked for."""
    meant = _meant(seen, text)
    shown = [(o.capture.capture_id, o.item) for o in seen if o.item is not None and o.item.recipe in meant]
    own = {name for name, item in shown if item.place.key == meant[item.recipe]}
    return {name for name, _ in shown} - own


def _moved(ledger: Ledger, found: Iterable[Observation]) -> dict[str, tuple[SectionMove, ...]]:
    """Which sections of its page each capture moved that showed something else than the one before, under one
    recipe.
    """
    last: dict[tuple[Recipe, UrlKey], Item] = {}
    pairs: dict[str, tuple[Item, Item]] = {}
    for observation in found:
        item = observation.item
        if item is None:
            continue
        before = last.get((item.recipe, page_key(item)))
        last[item.recipe, page_key(item)] = item
        if before is not None and before.item_id != item.item_id:
            pairs[observation.capture.capture_id] = (before, item)
    sections = ledger.sections.of_items({item.item_id for pair in pairs.values() for item in pair})
    return {name: _section_moves(sections, *pair) for name, pair in pairs.items()}


def section_moves(ledger: Ledger, before: Item, now: Item) -> tuple[SectionMove, ...]:
    """Which sections differ between two items of a page; none where the ledger has those of one alone."""
    return _section_moves(ledger.sections.of_items((before.item_id, now.item_id)), before, now)


def _section_moves(
    sections: Mapping[str, tuple[KeptSection, ...]], before: Item, now: Item
) -> tuple[SectionMove, ...]:
    old, new = (sections.get(item.item_id, ()) for item in (before, now))
    if not old or not new:
        return ()
    return moves_between(now.place, old, new)


def lineage(ledger: Ledger, name: str, policy: Policy) -> Lineage:
    """An item by its id or the beginning of it, or a URL's items, with their edges."""
    merged: tuple[NamedAlias, ...] = ()
    if not _ITEM.match(name):
        known = history(ledger, name, policy)
        merged = known.names
        seen = {o.item.item_id: o.item for o in known.observations if o.item}
        items = sorted(seen.values(), key=lambda item: item.created_at)
    else:
        items = list(ledger.history.items(name))
        if len(items) > 1:
            names = ", ".join(item.item_id[:12] for item in items)
            raise UsageError(f"several items begin with {name}: {names}", hint="give more digits")
    told = tuple(ItemLineage(item, ledger.history.relations(item.item_id)) for item in items)
    return Lineage(told, merged)


def page_as_of(
    ledger: Ledger,
    archive: Archive,
    url: str,
    policy: Policy,
    moment: datetime | None = None,
    options: DistillOptions | None = None,
) -> PageAsOf:
    """The last copy of a URL that was kept, or the last one up to a moment, from the archive.

    An answer goes before an error page: what a citation meant is what the page said while it was there.
    """
    place = find_place(ledger, url, policy)
    if place is None:
        raise UsageError(f"{url!r} is not a URL", hint="write it whole: https://example.com/")
    lost = ledger.archived.lost()
    key = _page_key(ledger, place.web_key, ledger.pages.names_of(place.web_key))
    seen = tuple(ledger.history.of_url(key))
    others = _others(seen, url)
    captures = (each.capture for each in seen if each.capture.capture_id not in others)
    kept = [c for c in captures if c.ref and c.status != _NOT_MODIFIED and c.capture_id not in lost]
    record = _current(kept, url, moment)
    capture = capture_of(archive, record)
    outlined = replace(options or DistillOptions(), outline=True)
    return PageAsOf(record, capture, page_from(capture, _AS_CITED, outlined))


def _current(kept: list[CaptureRecord], url: str, moment: datetime | None) -> CaptureRecord:
    if not kept:
        raise FailedError(
            f"no copy of {url} was kept",
            hint="a copy is kept of every page that `holdfast track --fetch-urls` or a mirror sees alive",
        )
    in_time = [record for record in kept if moment is None or record.fetched_at <= moment]
    if not in_time:
        first = min(record.fetched_at for record in kept)
        raise FailedError(
            f"no copy of {url} is as old as {moment:%Y-%m-%d %H:%M}",
            hint=f"the first one is of {first.date().isoformat()}",
        )
    answers = [record for record in in_time if record.status < 400]
    return (answers or in_time)[-1]


def find_url(ledger: Ledger, text: str, policy: Policy, *, merged: bool = True) -> tuple[str, UrlKey]:
    """The form by the ledger's `web` policy of the URL that a text names, and the key that finds it; without
    `merged`, no page that only stands for it.
    """
    url, key = web_key_of(text, policy)
    return url, _known(ledger, text if merged else url, key, merged=merged)


def find_place(ledger: Ledger, text: str, policy: Policy) -> Place | None:
    """The place that a text names, with the key that finds it; None where it names none."""
    place = place_of_text(text, policy)
    return place._replace(web_key=_known(ledger, text, place.web_key)) if place else None


def _known(ledger: Ledger, text: str, key: UrlKey, *, merged: bool = True) -> UrlKey:
    if ledger.joins.has_key(key):
        return key
    recipes = {record.run.recipe.url for record in ledger.runs.latest_first()}
    policies = (policy_of(component) for component in sorted(filter(None, recipes), key=str))
    for policy in filter(None, policies):
        form = canonical_text(policy)(text)
        if isinstance(form, str) and (merged or form == text):
            found = ledger.joins.key_of(url_key(form))
            if found is not None:
                return found
    return key
