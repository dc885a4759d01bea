"""What goes into the ledger and what comes out of it, as values.

A `Finding` is all that one finished URL leaves behind; a batch of them is one transaction. What the
ledger makes of each is a `Verdict`. Nothing here knows a database.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from holdfast.core.base.hashing import ContentHash, UrlKey, content_hash
from holdfast.core.base.values import by_fields, dataclass
from holdfast.core.lineage.frontier_note import NO_NOTE, EntryNote
from holdfast.core.lineage.lineage import CaptureRecord, Edge, Item, Job, RecordRef, capture_id
from holdfast.core.page.page import LinkKind
from holdfast.core.page.section import KeptSection
from holdfast.core.url.redaction import redacted
from holdfast.core.url.url import Place
from holdfast.core.web.capture import Capture
from holdfast.core.web.rank import Rank


def capture_record(
    run_id: str, capture: Capture, place: Place, ref: RecordRef | None = None, *, told: bool = False
) -> CaptureRecord:
    """The row of a capture; `place` is its identity (ID-9), `ref` where the archive holds it, if it does.
    `told`: its addresses will be told to others, so secrets in them are hidden (SEC-3).
    """
    payload = content_hash(capture.body) if capture.body else None
    url = redacted(capture.requested) if told else str(capture.requested)
    etag, last_modified = capture.validators
    kind = capture.content_type
    return CaptureRecord(
        capture_id=capture_id(run_id, url, capture.fetched_at, capture.status, payload),
        run_id=run_id,
        url=url,
        place=place,
        final_url=redacted(capture.final) if told else capture.final.href,
        status=capture.status,
        fetched_at=capture.fetched_at,
        content_type=kind if kind.isascii() else kind.encode("utf-8", "replace").decode(),
        etag=etag,
        last_modified=last_modified,
        payload_sha256=payload,
        ref=ref,
    )


class EntryState(StrEnum):
    """Where a frontier entry stands. `UNASKED` waits for its turn, in a later run if not in this one;
    those after it are how an entry ends.
    """

    READY = "ready"
    TAKEN = "taken"
    DEFERRED = "deferred"
    UNASKED = "unasked"
    PAGE = "page"
    UNCHANGED = "unchanged"
    DUPLICATE = "duplicate"
    ALIAS = "alias"
    SKIPPED = "skipped"
    FAILED = "failed"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class FrontierEntry:
    """A URL to do. Handed out in the order of depth, source, position; one entry per url key and run."""

    place: Place
    fetch_url: str
    depth: int
    source: int
    position: int
    listed: bool = False
    lastmod: datetime | None = None
    parent: UrlKey | None = None
    state: EntryState = EntryState.READY
    note: EntryNote = NO_NOTE
    attempts: int = 0


@dataclass(frozen=True, slots=True)
class Closed:
    """What became of a frontier entry; `attempts` are added to those it had."""

    key: UrlKey
    state: EntryState
    note: EntryNote = NO_NOTE
    attempts: int = 0


class AliasReason(StrEnum):
    """Why one URL stands for another."""

    REDIRECT = "redirect"
    CANONICAL_LINK = "canonical_link"
    REFRESH = "refresh"
    SAME_CONTENT = "same_content"
    MOVED = "moved"


@dataclass(frozen=True, slots=True)
class Alias:
    """`place` is another name of `target`; where both are the same, it stops being another name."""

    place: Place
    target: Place
    reason: AliasReason
    detail: str = ""


class NamedAlias(NamedTuple):
    """An alias, and the mirror that knows it."""

    label: str
    alias: Alias


class PageLink(NamedTuple):
    """Where a page points to: the place, the address as it would be fetched, fragment included; `nofollow` is
    the wish of the link or of its whole page.
    """

    target: Place
    href: str
    text: str
    kind: LinkKind
    nofollow: bool = False


@dataclass(frozen=True, slots=True)
class Draft:
    """What a recipe made of a capture, before the ledger has decided what it is (LIN-2).

    `place` is the item's own where it is not the capture's: a reprocessing run has another policy (VER-5).
    `links_digest` is that of the links, where it is known (`core.base.hashing`).
    """

    content_sha256: ContentHash
    title: str
    links: tuple[PageLink, ...] = ()
    reprocessed_from: str | None = None
    place: Place | None = None
    sections: tuple[KeptSection, ...] = ()
    links_digest: bytes | None = None


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A 304: the capture observes the URL's current item, whose links stay."""


@by_fields
@dataclass(frozen=True, slots=True)
class PageFacts:
    """A file of the mirror, as it is after this commit. Times and item come from the capture beside it."""

    path: str
    title: str
    file_sha256: str
    size: int
    depth: int
    markdown_version: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """All that one finished URL leaves behind; what is absent is not written.

    `capture` is filled in by whoever appends it to the archive. `page` needs one with a draft or a
    confirmation; a confirmation without it only moves the stored page's times. A finding that is committed
    twice is written once. `is_brought`: another store took the capture (`core.web.rank`).
    """

    capture: CaptureRecord | None = None
    made: Draft | Confirmed | None = None
    page: PageFacts | None = None
    aliases: tuple[Alias, ...] = ()
    closed: tuple[Closed, ...] = ()
    discovered: tuple[FrontierEntry, ...] = ()
    is_brought: bool = False

    def with_capture(self, capture: CaptureRecord) -> Finding:
        """The same, of that capture."""
        ends = self.closed, self.discovered, self.is_brought
        return Finding(capture, self.made, self.page, self.aliases, *ends)

    def with_ends(
        self, page: PageFacts | None, closed: tuple[Closed, ...], found: tuple[FrontierEntry, ...]
    ) -> Finding:
        """The same with the facts of its page's file, with these ends, and with what was found besides."""
        if page is None and closed is self.closed and not found:
            return self
        ends = closed, self.discovered + found, self.is_brought
        return Finding(self.capture, self.made, page, self.aliases, *ends)


@by_fields
@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page of a mirror as the ledger knows it; `gone_at` is set while the site no longer lists it.

    `title` is the page's own; the whole, with the site's, is among the facts of its file.
    """

    place: Place
    facts: PageFacts
    item_id: str
    content_sha256: ContentHash
    fetch_url: str
    status: int
    fetched_at: datetime
    content_type: str
    etag: str | None
    last_modified: str | None
    gone_at: datetime | None = None
    title: str = ""


class LeftPage(NamedTuple):
    """A page that was there and is not, since when, and its title where that is still known."""

    place: Place
    left_at: datetime
    title: str = ""


class Brought(NamedTuple):
    """How many URLs a run saw for the first time, and how many it found changed."""

    new: int = 0
    changed: int = 0


NOTHING_BROUGHT = Brought()


class PageCounts(NamedTuple):
    """How many pages a mirror has, how many are gone from the site, how many bytes their files are."""

    pages: int = 0
    gone: int = 0
    size: int = 0


@dataclass(frozen=True, slots=True)
class MirroredAs:
    """A file of a mirror that stands for a place (ID-12)."""

    label: str
    path: str


@dataclass(frozen=True, slots=True)
class Observation:
    """One line of a URL's history: a capture, and the item it showed under one recipe, if any."""

    capture: CaptureRecord
    item: Item | None

    @property
    def is_new(self) -> bool:
        """Whether this capture brought the item, rather than seeing it again."""
        return self.item is not None and self.item.capture_id == self.capture.capture_id


class SeenPage(NamedTuple):
    """An observation by its number: which page was seen when, the capture that it showed, and its rank."""

    number: int
    place: Place
    seen_at: datetime
    title: str
    job: Job
    capture: CaptureRecord
    rank: Rank


@dataclass(frozen=True, slots=True)
class Relations:
    """The edges that leave an item and those that reach it."""

    outgoing: tuple[Edge, ...]
    incoming: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class PageBacklink:
    """A page that points to the place asked for."""

    page: Place
    link: PageLink


@dataclass(frozen=True, slots=True)
class Tombstone:
    """A place that was forgotten at somebody's wish (STA-4)."""

    place: Place
    forgotten_at: datetime


class Rekeyed(NamedTuple):
    """How many URLs have another key now, and how many cited places were joined with another."""

    moved: int
    merged: int


@dataclass(frozen=True, slots=True)
class Removal:
    """What is to be taken out of a mirror's folder: a file; without a path, every trace of a URL."""

    label: str
    path: str
    url: str


@dataclass(frozen=True, slots=True)
class Purged:
    """How much was taken out of a ledger."""

    captures: int
    items: int


@dataclass(frozen=True, slots=True)
class Original:
    """The capture that already holds a body; a repeat is archived as a revisit of it."""

    ref: RecordRef
    url: str
    fetched_at: datetime
