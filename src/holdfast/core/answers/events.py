"""An event: something that happened to a page of a mirror, to a cited URL, or to a run (TRK-10).

1. `Occurrence` is the one value that lists of changes, reports of tracking, feeds, notifications and web
   pages are made of. It is made of what the ledger knows, here and nowhere else.
2. `event_id` is a function of what happened, never of who asks: a revision that came, a moment at which
   something died or went. Who remembers the ids it has told tells nothing twice.
3. Of the runs of a mirror that fail one after the other the first one is an event.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from holdfast.core.answers.changes import PageChange
from holdfast.core.answers.history import PageHistory
from holdfast.core.change_detail import SectionVerdict
from holdfast.core.citation import Backlink, LedgerEvent
from holdfast.core.drift import Drift
from holdfast.core.event_kind import EventKind
from holdfast.core.hashing import id_of
from holdfast.core.ledger import LeftPage, RunRecord
from holdfast.core.run_failure import failure_of
from holdfast.core.values import dataclass

__all__ = [
    "MirrorChanges",
    "Occurrence",
    "cited_event",
    "gone_event",
    "page_event",
    "run_event",
    "version_events",
]


@dataclass(frozen=True, slots=True)
class Occurrence:
    """What happened, to which URL, when, and which run saw it.

    `mark` tells it from others of its kind and URL. `page` is there where a mirrored page came or changed,
    `cited` where it happened to a cited URL, which `citations` name; `reason` where there is more to say.
    An event of a run as a whole has no URL.
    """

    kind: EventKind
    at: datetime
    url: str
    mark: str
    title: str = ""
    run_id: str = ""
    label: str = ""
    page: PageChange | None = None
    cited: LedgerEvent | None = None
    citations: tuple[Backlink, ...] = ()
    reason: str = ""

    @property
    def event_id(self) -> str:
        """What the event is called, wherever it is told."""
        label = "" if self.cited else self.label  # who mirrors what: a place that is cited is one place
        return id_of("event", self.kind, label, self.url, self.mark)

    @property
    def drift(self) -> Drift | None:
        """How much of the page is different; None where nobody measured it."""
        measured = self.cited.detail.drift if self.cited else None
        return measured or (self.page.drift if self.page else None)

    @property
    def sections(self) -> Mapping[str, SectionVerdict]:
        """What a change means for the sections that are cited, by fragment."""
        return self.cited.detail.sections if self.cited else {}

    @property
    def version(self) -> int | None:
        """Which version of a mirrored page it brought."""
        return self.page.now.number if self.page else None

    @property
    def old(self) -> str | None:
        """What a cited URL was: its revision, state, or address."""
        return self.cited.old if self.cited else None

    @property
    def new(self) -> str | None:
        """What a cited URL is now."""
        return self.cited.new if self.cited else None


@dataclass(frozen=True, slots=True)
class MirrorChanges:
    """What came, changed and went in a mirror, and which of its runs failed, the latest first; of a part
    also where the next begins.
    """

    label: str
    changes: tuple[Occurrence, ...]
    next: str | None = None


def page_event(change: PageChange, label: str) -> Occurrence:
    """A page of a mirror came, or changed."""
    item = change.item
    return Occurrence(
        change.kind,
        change.now.first_seen,
        change.url,
        item.item_id,
        change.title,
        item.run_id,
        label,
        page=change,
    )


def version_events(known: PageHistory) -> tuple[Occurrence, ...]:
    """What happened to one page: its versions, the latest first."""
    before = (None, *known.versions)
    found = [
        PageChange(EventKind.CHANGED if old else EventKind.NEW, version, old)
        for version, old in zip(known.versions, before, strict=False)
    ]
    return tuple(page_event(change, "") for change in reversed(found))


def gone_event(page: LeftPage, run: RunRecord) -> Occurrence:
    """A page of a mirror went."""
    mark = page.left_at.isoformat()
    return Occurrence(
        EventKind.GONE, page.left_at, page.place.url, mark, page.title, run.run.run_id, run.run.label
    )


def cited_event(event: LedgerEvent, citations: tuple[Backlink, ...], run_id: str = "") -> Occurrence:
    """Something happened to a cited URL."""
    mark = f"{event.new or ''} {event.at.isoformat()}"
    url = event.place.url
    return Occurrence(event.kind, event.at, url, mark, run_id=run_id, cited=event, citations=citations)


def run_event(run: RunRecord, before: RunRecord | None) -> Occurrence | None:
    """A run of a mirror failed, and the one before it did not; None where it is not so."""
    reason = failure_of(run)
    if reason is None or (before is not None and failure_of(before) is not None):
        return None
    at, run_id = run.ended_at or run.updated_at, run.run.run_id
    return Occurrence(EventKind.FAILED, at, "", run_id, run_id=run_id, label=run.run.label, reason=reason)
