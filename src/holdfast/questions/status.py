"""What a store holds, now or on a day, and what is new since one.

1. Lists that grow are values of a part: each says where the next part begins (`next`, None at the end).
2. Counts of a day in the past are those of the last run up to it: what a run was done with is in its row.
3. A mirror is told with its last run, and what that brought.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from holdfast.core.base.figures import EVER
from holdfast.core.base.hashing import UrlKey
from holdfast.core.base.values import dataclass
from holdfast.core.lineage.event_kind import EventKind
from holdfast.core.lineage.ledger_values import (
    NOTHING_BROUGHT,
    Brought,
    PageLink,
    StoredPage,
)
from holdfast.core.lineage.lineage import Job, RunRecord
from holdfast.core.lineage.versions import of_page, was_there
from holdfast.core.links.citation import CitedOrder
from holdfast.core.links.link_state import LinkState, Standing
from holdfast.questions.links import CitationCounts, CitedUrl
from holdfast.questions.log.runs import MirrorPage, as_interrupted, mirror_page, require_mirror
from holdfast.questions.log.timeline import gone_in

if TYPE_CHECKING:
    from holdfast.storage.ledger.ledger import Ledger


class CitedFilter(NamedTuple):
    """Which cited URLs: of these states, with this standing, on this host, cited by this document, failing
    for so many days at least; and in which order.
    """

    states: tuple[LinkState, ...] = ()
    standing: Standing | None = None
    host: str | None = None
    document: str | None = None
    days: int | None = None
    order: CitedOrder = CitedOrder.URL


class RunsWanted(NamedTuple):
    """Which runs: of a mirror or root, of a job, begun up to a moment; all, where nothing is said."""

    label: str | None = None
    job: Job | None = None
    until: datetime | None = None


class News(NamedTuple):
    """What came since a moment: pages that changed, came and went, cited URLs that died; `first_run` is the
    first one that found something changed.
    """

    since: datetime
    changed: int = 0
    new: int = 0
    gone: int = 0
    died: int = 0
    first_run: str | None = None


@dataclass(frozen=True, slots=True)
class Overview:
    """What a store holds, at a glance; `name` is what it is called where several are served, `news`
    what came since yesterday. `by_day` has for each mirror how many pages came or changed on each of the last
    days, the latest at the end.
    """

    name: str
    mirrors: tuple[MirrorOverview, ...]
    citations: CitationCounts
    runs: tuple[RunRecord, ...]
    news: News | None = None
    by_day: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PagesPart:
    """Some pages of a mirror, by path."""

    label: str
    pages: tuple[MirrorPage, ...]
    next: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentsPart:
    """Some documents that were checked, by path."""

    documents: tuple[str, ...]
    next: str | None = None


@dataclass(frozen=True, slots=True)
class CitedPart:
    """Some cited URLs, in the order that was asked for; and how many there are in each state in all, where
    that was counted.
    """

    urls: tuple[CitedUrl, ...]
    next: str | None = None
    states: Mapping[LinkState, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PageLinkOut:
    """A link of a page, and whether its target is in a mirror here."""

    link: PageLink
    is_mirrored: bool


@dataclass(frozen=True, slots=True)
class PageLinksOut:
    """Where a page points to, as it was last seen."""

    url: str
    links: tuple[PageLinkOut, ...]


@dataclass(frozen=True, slots=True)
class MirrorOverview:
    """A mirror: its name in the ledger, how many pages it has, how many of them are gone, its last run and
    what that brought, how many bytes its pages are.
    """

    label: str
    pages: int
    gone: int
    last_run: RunRecord
    size: int = 0
    brought: Brought = NOTHING_BROUGHT


CountBrought = Callable[[RunRecord], Brought]
DAYS: Final = 30
"""Days that the changes of a mirror are counted for."""
_LOOKED_AT: Final = 400
"""Pages of a mirror that are looked at for one part of its list: few of them may have been there then."""


def news_since(ledger: Ledger, since: datetime) -> News:
    """What the runs since a moment brought, and which links died."""
    changed = new = gone = 0
    first: str | None = None
    for each in ledger.runs.latest_first(job=Job.MIRROR):
        if each.updated_at < since:
            continue
        brought = ledger.history.count_brought(each.run.run_id)
        changed, new = changed + brought.changed, new + brought.new
        gone += sum(1 for page in gone_in(ledger, each) if page.left_at > since)
        first = each.run.run_id if brought.changed else first
    died = {event.place.web_key for event in ledger.citations.events(since, [EventKind.DIED])}
    return News(since, changed, new, gone, len(died), first)


def changes_by_day(ledger: Ledger, now: datetime) -> dict[str, tuple[int, ...]]:
    """How many pages of each mirror came or changed on each of the last days, the day of `now` at the end."""
    found: dict[str, list[int]] = {}
    for each in ledger.runs.latest_first(job=Job.MIRROR):
        ago = (now.date() - each.run.started_at.date()).days
        if 0 <= ago < DAYS:
            days = found.setdefault(each.run.label, [0] * DAYS)
            brought = ledger.history.count_brought(each.run.run_id)
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
    for each in ledger.runs.latest_first(job=Job.TRACK):
        if each.run.started_at <= moment:
            last.setdefault(each.run.label, each)
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


def mirrors(ledger: Ledger, *, is_idle: bool) -> tuple[MirrorOverview, ...]:
    """The mirrors that a ledger knows, by their labels."""
    last: dict[str, RunRecord] = {}
    for each in ledger.runs.latest_first(job=Job.MIRROR):
        last.setdefault(each.run.label, each)
    return tuple(
        _overview(ledger, label, as_interrupted(each, is_idle=is_idle))
        for label, each in sorted(last.items())
    )


def _overview(ledger: Ledger, label: str, record: RunRecord) -> MirrorOverview:
    counts = ledger.pages.count(label)
    brought = ledger.history.count_brought(record.run.run_id)
    return MirrorOverview(label, counts.pages, counts.gone, record, counts.size, brought)
