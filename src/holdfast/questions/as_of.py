"""What a state folder held on a day, and what is new since one.

Counts of a day in the past are those of the last run up to it: what a run was done with is in its row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Final

from holdfast.core.answers.browsing import News, Overview, PagesPart
from holdfast.core.answers.citations import EVER, CitationCounts
from holdfast.core.answers.mirrors import MirrorOverview, MirrorPage
from holdfast.core.event_kind import EventKind
from holdfast.core.hashing import UrlKey
from holdfast.core.ledger import Brought, RunRecord, StoredPage
from holdfast.core.lineage import Job
from holdfast.core.link_state import LinkState, Standing
from holdfast.core.versions import of_page, was_there
from holdfast.ports import Ledger
from holdfast.questions.changes import gone_in
from holdfast.questions.mirrors import mirror_page, require_mirror

__all__ = ["CountBrought", "changes_by_day", "citations_at", "news_since", "overview_at", "pages_at"]

CountBrought = Callable[[RunRecord], Brought]
DAYS: Final = 30
"""Days that the changes of a mirror are counted for."""
_LOOKED_AT: Final = 400
"""Pages of a mirror that are looked at for one part of its list: few of them may have been there then."""


def news_since(ledger: Ledger, since: datetime) -> News:
    """What the runs since a moment brought, and which links died."""
    changed = new = gone = 0
    first: str | None = None
    for record in ledger.runs.latest_first(job=Job.MIRROR):
        if record.updated_at < since:
            continue
        brought = ledger.history.count_brought(record.run.run_id)
        changed, new = changed + brought.changed, new + brought.new
        gone += sum(1 for page in gone_in(ledger, record) if page.left_at > since)
        first = record.run.run_id if brought.changed else first
    died = {event.place.web_key for event in ledger.citations.events(since, [EventKind.DIED])}
    return News(since, changed, new, gone, len(died), first)


def changes_by_day(ledger: Ledger, now: datetime) -> dict[str, tuple[int, ...]]:
    """How many pages of each mirror came or changed on each of the last days, the day of `now` at the end."""
    found: dict[str, list[int]] = {}
    for record in ledger.runs.latest_first(job=Job.MIRROR):
        ago = (now.date() - record.run.started_at.date()).days
        if 0 <= ago < DAYS:
            days = found.setdefault(record.run.label, [0] * DAYS)
            brought = ledger.history.count_brought(record.run.run_id)
            days[DAYS - 1 - ago] += brought.new + brought.changed
    return {label: tuple(days) for label, days in found.items()}


def overview_at(ledger: Ledger, name: str, moment: datetime, runs: int, count: CountBrought) -> Overview:
    """Mirrors and citations as the last runs up to a moment left them; `count` says what a run brought."""
    records = [record for record in ledger.runs.latest_first() if record.run.started_at <= moment]
    last = {record.run.label: record for record in reversed(records) if record.run.job is Job.MIRROR}
    mirrors = [_mirror_at(ledger, run, count(run)) for _, run in sorted(last.items())]
    by_day = changes_by_day(ledger, moment)
    return Overview(name, tuple(mirrors), citations_at(ledger, moment), tuple(records[:runs]), by_day=by_day)


def _mirror_at(ledger: Ledger, run: RunRecord, brought: Brought) -> MirrorOverview:
    counts = run.tally.counts
    pages = counts.get("page", 0) + counts.get("unchanged", 0)
    return MirrorOverview(run.run.label, pages, len(gone_in(ledger, run)), run, brought=brought)


def citations_at(ledger: Ledger, moment: datetime) -> CitationCounts:
    """How many cited URLs were in which state, as the last tracks up to a moment counted them."""
    last: dict[str, RunRecord] = {}
    for record in ledger.runs.latest_first(job=Job.TRACK):
        if record.run.started_at <= moment:
            last.setdefault(record.run.label, record)
    states: Counter[LinkState] = Counter()
    for run in last.values():
        states.update({state: run.tally.counts.get(state, 0) for state in LinkState})
    standings: Counter[Standing] = Counter()
    for state, number in states.items():
        standings[state.standing] += number
    dead = min(_dead_at(ledger, moment), standings[Standing.SUSPECT])
    standings.update({Standing.SUSPECT: -dead, Standing.DEAD: dead})
    return CitationCounts(0, {each: standings[each] for each in Standing}, +states)


def _dead_at(ledger: Ledger, moment: datetime) -> int:
    """How many links were confirmed as dead up to a moment, and had not come back."""
    last: dict[UrlKey, EventKind] = {}
    for event in ledger.citations.events(EVER, [EventKind.DIED, EventKind.REVIVED]):
        if event.at <= moment:
            last[event.place.web_key] = event.kind
    return sum(1 for kind in last.values() if kind is EventKind.DIED)


def pages_at(ledger: Ledger, label: str, moment: datetime, after: str, limit: int) -> PagesPart:
    """Some pages that a mirror had at a moment, as they were then. A part may have fewer than were asked for,
    where most of the mirror's pages came later.
    """
    require_mirror(ledger, label)
    found: list[MirrorPage] = []
    last, looked_at = None, 0
    for stored in islice(ledger.pages.by_path(label, after), _LOOKED_AT):
        last, looked_at = stored.facts.path, looked_at + 1
        page = _page_at(ledger, label, stored, moment)
        found += [page] if page else []
        if len(found) == limit:
            break
    is_over = len(found) < limit and looked_at < _LOOKED_AT
    return PagesPart(label, tuple(found), None if is_over else last)


def _page_at(ledger: Ledger, label: str, stored: StoredPage, moment: datetime) -> MirrorPage | None:
    """A page as it was; None where it was not there."""
    shown = of_page(ledger.history.of_url(stored.place.web_key), stored.place)
    own_recipes = {each.item.recipe for each in shown if each.item and each.item.item_id == stored.item_id}
    seen = [each for each in shown if each.item and each.item.recipe in own_recipes] or shown
    absences = ledger.pages.absences(label, stored.place.key)
    if not was_there((each.capture.fetched_at for each in seen), absences, moment):
        return None
    *_, then = (each for each in seen if each.capture.fetched_at <= moment)
    item, own = then.item, mirror_page(label, stored)
    if item is None or item.item_id == own.item_id:
        return replace(own, fetched_at=then.capture.fetched_at, gone_at=None)
    return replace(
        own, title=item.title, fetched_at=then.capture.fetched_at, gone_at=None, size=0, warnings=(),
        content_sha256=item.content_sha256, item_id=item.item_id,
    )  # fmt: skip
