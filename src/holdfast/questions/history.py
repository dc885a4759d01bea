"""What a URL said: its captures, its items and what superseded what, the page as it was at a moment."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from holdfast.core.answers.history import ItemLineage, Lineage, PageAsOf, PageHistory
from holdfast.core.distill_options import DistillOptions
from holdfast.core.errors import FailedError, UsageError
from holdfast.core.lineage import CaptureRecord
from holdfast.core.policy import Policy
from holdfast.core.recipe import Recipe
from holdfast.ports import Archive, Ledger
from holdfast.questions.archived_pages import capture_of, page_from
from holdfast.questions.finding import find_place, find_url

__all__ = ["history", "lineage", "page_as_of"]

_ITEM: Final = re.compile(r"[0-9a-f]{4,64}\Z")
_NOT_MODIFIED: Final = 304
_AS_CITED: Final = Recipe.parse("http_snapshot_url_v1_text_v1")


def history(ledger: Ledger, url: str, policy: Policy, recipe: Recipe | None = None) -> PageHistory:
    """A URL's captures, the oldest first; with a recipe only what was made by it."""
    canonical, key = find_url(ledger, url, policy)
    found = tuple(ledger.history.of_url(key, recipe))
    forgotten = tuple(stone for stone in ledger.forgetting.tombstones() if stone.place.web_key == key)
    return PageHistory(canonical, key, found, forgotten)


def lineage(ledger: Ledger, name: str, policy: Policy) -> Lineage:
    """An item by its id or the beginning of it, or a URL's items, with their edges."""
    if not _ITEM.match(name):
        _, key = find_url(ledger, name, policy)
        seen = {o.item.item_id: o.item for o in ledger.history.of_url(key) if o.item}
        items = sorted(seen.values(), key=lambda item: item.created_at)
    else:
        items = list(ledger.history.items(name))
        if len(items) > 1:
            names = ", ".join(item.item_id[:12] for item in items)
            raise UsageError(f"several items begin with {name}: {names}", hint="give more digits")
    return Lineage(tuple(ItemLineage(item, ledger.history.relations(item.item_id)) for item in items))


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
    captures = (seen.capture for seen in ledger.history.of_url(place.web_key))
    kept = [c for c in captures if c.ref and c.status != _NOT_MODIFIED and c.capture_id not in lost]
    record = _current(kept, url, moment)
    capture = capture_of(archive, record)
    return PageAsOf(record, capture, page_from(capture, _AS_CITED, options or DistillOptions()))


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
