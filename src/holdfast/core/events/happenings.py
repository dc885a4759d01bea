"""An event: something that happened to a page of a mirror, to a cited URL, or to a run (TRK-10).

1. `Occurrence` is the one value that lists of changes, reports of tracking, feeds, notifications and web
   pages are made of. It is made of what the ledger knows, here and nowhere else.
2. `event_id` is a function of what happened, never of who asks: a revision that came, a moment at which
   something died or went. Who remembers the ids it has told tells nothing twice.
3. Of the runs of a mirror that fail one after the other the first one is an event.
4. In words an event is one line for a title, and one for what else is known. Feeds, notifications and lists
   say the same of the same event.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from holdfast.core.base.difference import Drift, Hunk, unified
from holdfast.core.base.hashing import id_of
from holdfast.core.base.values import dataclass
from holdfast.core.lineage.event_kind import EventKind, SectionVerdict
from holdfast.core.lineage.ledger_values import LeftPage
from holdfast.core.lineage.lineage import Item, RunRecord, failure_of
from holdfast.core.lineage.versions import PageVersion
from holdfast.core.links.citation import Backlink, LedgerEvent
from holdfast.core.page.section import SectionChange, SectionMove
from holdfast.core.url.redaction import shown


@dataclass(frozen=True, slots=True)
class ChangedSection:
    """A section that two versions do not share: its headings from the outermost in, and its lines.

    A section without headings is what stands before the first one.
    """

    headings: tuple[str, ...]
    change: SectionChange
    added: int
    removed: int
    anchor: str | None = None


@dataclass(frozen=True, slots=True)
class PageChange:
    """A version that a run brought (`new` or `changed`), the one before it, and the difference where it was
    asked for: lines, the sections they belong to, and how much of the text it is. `moved` are the sections
    that the ledger knows to differ; a page that is new lists none, for all of it is.
    """

    kind: EventKind
    now: PageVersion
    before: PageVersion | None
    hunks: tuple[Hunk, ...] = ()
    sections: tuple[ChangedSection, ...] = ()
    drift: Drift | None = None
    moved: tuple[SectionMove, ...] = ()

    @property
    def item(self) -> Item:
        """The new item."""
        return self.now.item

    @property
    def url(self) -> str:
        """The canonical URL."""
        return self.now.item.place.url

    @property
    def title(self) -> str:
        """The page's title now."""
        return self.now.item.title


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


_HEADS: Final = {EventKind.DIED: "Dead", EventKind.REVIVED: "Back"}
_TOLD: Final = (SectionVerdict.CHANGED, SectionVerdict.MISSING)


def headline(event: Occurrence) -> str:
    """What happened, and to what: `Changed: The handbook`."""
    return f"{_HEADS.get(event.kind, event.kind.capitalize())}: {subject_of_event(event)}"


def subject_of_event(event: Occurrence) -> str:
    """What it happened to, by its title where it has one; a run by the name of its mirror."""
    return event.title or (shown(event.url) if event.url else f"mirror {event.label}")


def facts_of(event: Occurrence) -> str:
    """What else is known, in a few words; an empty text where nothing is."""
    facts = [event.reason] if event.reason else []
    if event.drift is not None:
        facts.append(f"drift {event.drift.amount:g}{', new title' if event.drift.title_changed else ''}")
    facts += [
        f"the cited section #{name} {'is missing' if verdict is SectionVerdict.MISSING else 'changed'}"
        for name, verdict in event.sections.items()
        if verdict in _TOLD
    ]
    if event.kind is EventKind.MOVED and event.new:
        facts.append(f"to {shown(event.new)}")
    if event.kind is EventKind.DIED and event.new:
        facts.append(str(event.new).replace("_", " "))
    return ", ".join(facts)


def diff_lines(event: Occurrence) -> tuple[str, ...]:
    """The difference, line by line, where it was asked for."""
    return tuple(line for _, line in unified(event.page.hunks)) if event.page else ()
