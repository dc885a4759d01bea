"""What changed: between two versions of a page, and in a run."""

from __future__ import annotations

from datetime import datetime

from holdfast.core.drift import Drift
from holdfast.core.event_kind import EventKind
from holdfast.core.ledger import LeftPage, RunRecord
from holdfast.core.lineage import CaptureRecord, Item
from holdfast.core.section_moves import SectionChange, SectionMove
from holdfast.core.text_diff import Hunk, added_and_removed
from holdfast.core.values import dataclass
from holdfast.core.versions import PageVersion

__all__ = [
    "ChangedSection",
    "PageChange",
    "PageDiff",
    "RunChanges",
    "SectionChanges",
]


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
class PageDiff:
    """What changed between two versions of a URL: lines in hunks, and the sections they belong to."""

    url: str
    old: PageVersion
    new: PageVersion
    hunks: tuple[Hunk, ...]
    sections: tuple[ChangedSection, ...] = ()

    @property
    def added(self) -> int:
        """How many lines came."""
        return added_and_removed(self.hunks)[0]

    @property
    def removed(self) -> int:
        """How many lines went."""
        return added_and_removed(self.hunks)[1]


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
class RunChanges:
    """What a run found, for a person to read in the morning."""

    run: RunRecord
    changes: tuple[PageChange, ...]
    gone: tuple[LeftPage, ...]
    failed: tuple[CaptureRecord, ...]
    unchanged: int

    def of(self, kind: EventKind) -> tuple[PageChange, ...]:
        """The changes of one kind."""
        return tuple(change for change in self.changes if change.kind is kind)


@dataclass(frozen=True, slots=True)
class SectionChanges:
    """Which sections of a mirror differ between two moments, by URL and place on the page."""

    label: str
    since: datetime
    until: datetime | None
    sections: tuple[SectionMove, ...]
