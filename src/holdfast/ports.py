"""What the jobs need of the outside world, as protocols. Adapters implement them; jobs know nothing else.

    Fetcher    a URL and its conditions in, an Outcome out
    Archive    what was seen: captures kept whole, read back at their reference
    Ledger     what is known: runs, frontier, captures, items, edges, links, the checkout's pages
    CitationLedger   documents, what they cite, and what became of it
    Mirror     the folder of Markdown: a checkout that can be rebuilt
    Clock      the time, and sleep
    Observer   who is told what happens

Each has an in-memory implementation in `adapters/memory`, which ships with the package.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from holdfast.core.capture import Capture, Outcome
from holdfast.core.citation import Backlink, Citation, CitedPlace, Document, LedgerEvent
from holdfast.core.hashing import UrlKey
from holdfast.core.ledger import (
    Alias,
    Closed,
    Committed,
    EntryState,
    Finding,
    FrontierEntry,
    Observation,
    Original,
    PageBacklink,
    PageLink,
    Relations,
    RunRecord,
    RunStatus,
    StoredPage,
)
from holdfast.core.lineage import CaptureRecord, Item, Job, RecordRef, Run
from holdfast.core.recipe import Recipe
from holdfast.core.robots import RobotsReport
from holdfast.core.url import Url

__all__ = [
    "Admit",
    "Archive",
    "CitationLedger",
    "Clock",
    "Event",
    "FetchRequest",
    "Fetcher",
    "FrontierLedger",
    "Ledger",
    "Mirror",
    "Observer",
    "PageLedger",
    "RunLedger",
]

Admit = Callable[[Url], str | None]
"""Scope as the fetcher asks it of each hop: None admits, a text refuses and says why."""


@dataclass(frozen=True, slots=True)
class FetchRequest:
    """One question: a URL, what is known of it, and which hops may be followed.

    `named_by_user` lets this URL's own origin be private; other origins that a redirect leads to are
    held to the address guard. `max_bytes` replaces the ceilings of the settings, for sitemaps.
    """

    url: Url
    etag: str | None = None
    last_modified: str | None = None
    admit: Admit | None = None
    accept: str | None = None
    named_by_user: bool = False
    obey_robots: bool = True
    max_bytes: int | None = None


class Fetcher(Protocol):
    """The one door to the web."""

    async def fetch(self, request: FetchRequest) -> Outcome:
        """Ask once, politely and safely. Never raises for anything the web does."""
        ...

    async def robots(self, url: Url, *, named_by_user: bool = False) -> RobotsReport:
        """The robots.txt of a URL's origin: its state, its delay, its sitemaps. Asked once a run."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


class Archive(Protocol):
    """Captures, kept whole. One writer; readers come and go."""

    def append(self, capture: Capture, original: Original | None = None) -> RecordRef:
        """Write a capture, as a revisit where `original` holds its body; durable only after `sync`.

        A failed write or sync ends the writer: what was committed is safe, the rest is cut at the next open.
        """
        ...

    def sync(self) -> None:
        """Make everything appended durable."""
        ...

    def read(self, ref: RecordRef) -> Capture:
        """The capture at a reference, its length and digests checked; a revisit brings its body along."""
        ...


class RunLedger(Protocol):
    """Runs. A run's identity is written once; where it stands is not."""

    def begin_run(self, run: Run) -> None:
        """Write a run. The same version string with other identity settings: VersionError (VER-2)."""
        ...

    def update_run(
        self, run_id: str, status: RunStatus, at: datetime, summary: Mapping[str, int] | None = None
    ) -> None:
        """Write where a run stands; a run that was stopped and runs again is still the same run."""
        ...

    def end_run(self, run_id: str, at: datetime, summary: Mapping[str, int]) -> str:
        """Write the end of a run, and its seal (LIN-8), which is returned."""
        ...

    def run(self, run_id: str) -> RunRecord | None:
        """Read a run by its id, or by the beginning of it where only one run begins so."""
        ...

    def runs(self, *, label: str | None = None, job: Job | None = None) -> Iterator[RunRecord]:
        """Read runs, the latest first."""
        ...


class FrontierLedger(Protocol):
    """The URLs of a run, in the order of depth, source, position. It lives on disk, however long it is."""

    def add_entries(self, run_id: str, entries: Iterable[FrontierEntry]) -> int:
        """Write entries; a key that is there keeps its place, another address for it becomes an alternate.

        How many were new.
        """
        ...

    def take_entries(
        self, run_id: str, limit: int, state: EntryState = EntryState.READY
    ) -> tuple[FrontierEntry, ...]:
        """Write: hand out the next entries in order and mark them taken."""
        ...

    def close_entries(self, run_id: str, closed: Iterable[Closed]) -> None:
        """Write what became of entries for which there is nothing else to commit."""
        ...

    def reopen_entries(
        self, run_id: str, states: Collection[EntryState] = (), keys: Collection[UrlKey] = ()
    ) -> int:
        """Write: make entries ready again, by state or by key (a resume, a lost checkpoint line).

        How many were not ready before.
        """
        ...

    def entries(self, run_id: str, states: Collection[EntryState] = ()) -> Iterator[FrontierEntry]:
        """Read entries in order; all of them where no state is named."""
        ...

    def entry(self, run_id: str, key: UrlKey) -> FrontierEntry | None:
        """Read one entry."""
        ...

    def count_entries(self, run_id: str) -> dict[EntryState, int]:
        """Read how many entries are in each state."""
        ...

    def alternates(self, run_id: str, key: UrlKey) -> tuple[str, ...]:
        """Read the other addresses of an entry, in the order they were found (MIR-8)."""
        ...


class PageLedger(Protocol):
    """Captures, items, edges and links, and the mirror's pages. URLs are asked for by their `web` key."""

    def commit(self, run_id: str, findings: Sequence[Finding], at: datetime) -> tuple[Committed, ...]:
        """Write a batch, whole or not at all; the verdicts are decided inside (LIN-6). Durable on return."""
        ...

    def original_of(self, payload_sha256: str) -> Original | None:
        """Read which archived capture holds a body."""
        ...

    def last_archived(self, key: UrlKey) -> Original | None:
        """Read which archived capture last had a body for a URL; what a 304 confirms."""
        ...

    def last_capture(self, label: str, key: UrlKey) -> CaptureRecord | None:
        """Read the last capture that a mirror's run took of a page: what its file is made of."""
        ...

    def archived(self) -> Iterator[CaptureRecord]:
        """Read every capture that the archive holds, by file and offset."""
        ...

    def archive_ends(self) -> dict[str, int]:
        """Read how far each archive file is committed; what is beyond was never acknowledged."""
        ...

    def current_item(self, recipe: Recipe, key: UrlKey) -> Item | None:
        """Read a URL's current item, from its own captures in order (LIN-5)."""
        ...

    def items(self, item_id: str) -> tuple[Item, ...]:
        """Read the items whose id begins so; at most ten."""
        ...

    def history(self, web_key: UrlKey, recipe: Recipe | None = None) -> Iterator[Observation]:
        """Read a URL's captures in order; with no recipe named, each under every recipe that saw it."""
        ...

    def observations(self, run_id: str) -> Iterator[Observation]:
        """Read a run's captures in the order they were written."""
        ...

    def relations(self, item_id: str) -> Relations:
        """Read an item's edges."""
        ...

    def links_of(self, recipe: Recipe, key: UrlKey) -> tuple[PageLink, ...]:
        """Read the links of a URL's current item, as its last observation had them."""
        ...

    def page(self, label: str, key: UrlKey) -> StoredPage | None:
        """Read a mirror's page by its url key."""
        ...

    def page_at(self, label: str, path: str) -> StoredPage | None:
        """Read which page has a path (PATH-6)."""
        ...

    def pages(self, label: str) -> Iterator[StoredPage]:
        """Read a mirror's pages, in the order of their paths' UTF-8 bytes."""
        ...

    def mark_gone(self, label: str, keys: Collection[UrlKey], at: datetime | None) -> None:
        """Write that pages are gone from the site since `at`, or, with None, that they are back."""
        ...

    def drop_pages(self, label: str, keys: Collection[UrlKey]) -> None:
        """Write that a mirror has these files no more; captures and items stay."""
        ...

    def aliases(self, label: str) -> Iterator[Alias]:
        """Read a mirror's aliases, in the order of their URLs."""
        ...

    def pages_linking_to(self, web_key: UrlKey) -> Iterator[PageBacklink]:
        """Read the current pages that point to a URL."""
        ...


class Ledger(RunLedger, FrontierLedger, PageLedger, Protocol):
    """What is known. Not for two threads at once; `close` lets go of the file."""

    def close(self) -> None:
        """Let go."""
        ...


class CitationLedger(Protocol):
    """Documents, the URLs they cite, and what became of those (TRK-8)."""

    def put_documents(self, documents: Iterable[tuple[Document, Sequence[Citation]]]) -> None:
        """Write documents, each whole: what it cited before is replaced."""
        ...

    def drop_documents(self, paths: Collection[str]) -> None:
        """Write that documents are no more; the places they cited stay known."""
        ...

    def documents(self) -> Iterator[Document]:
        """Read all documents, by path."""
        ...

    def citations(self, path: str) -> tuple[Citation, ...]:
        """Read what a document cites, in the order it stands there."""
        ...

    def put_places(self, places: Iterable[CitedPlace], events: Iterable[LedgerEvent] = ()) -> None:
        """Write what is known of cited URLs, and what happened, in one transaction."""
        ...

    def place(self, web_key: UrlKey) -> CitedPlace | None:
        """Read what is known of a URL."""
        ...

    def places(self, states: Collection[str] = (), *, cited: bool = True) -> Iterator[CitedPlace]:
        """Read places by URL, of these states where some are named; only those still cited unless told."""
        ...

    def uncharted(self) -> Iterator[Citation]:
        """Read one citation of each cited URL of which nothing is known yet, by URL."""
        ...

    def backlinks(self, web_key: UrlKey) -> tuple[Backlink, ...]:
        """Read which documents cite a URL, and where."""
        ...

    def backlinks_of_host(self, host: str) -> Iterator[Backlink]:
        """Read which documents cite anything on a host."""
        ...

    def backlinks_like(self, pattern: str) -> Iterator[Backlink]:
        """Read which documents cite a URL that matches a glob (`*`, `?`, `[…]`)."""
        ...

    def events(self, since: datetime, kinds: Collection[str] = ()) -> Iterator[LedgerEvent]:
        """Read what happened at a time or later, in order."""
        ...


class Mirror(Protocol):
    """The folder of Markdown. Paths are relative, in POSIX form, and come from the mirror plan alone."""

    def write(self, path: str, content: bytes | Iterable[bytes]) -> None:
        """Replace a file atomically; its parents are made and resolved (PATH-7)."""
        ...

    def write_all(
        self, files: Mapping[str, bytes | Iterable[bytes]], times: Mapping[str, float] | None = None
    ) -> dict[str, str]:
        """Replace files, durable together, with these modification times; refusals by path."""
        ...

    def append(self, path: str, data: bytes) -> None:
        """Add to the end of a file that only grows."""
        ...

    def cut(self, path: str, size: int) -> None:
        """Drop what stands after `size` bytes of a file."""
        ...

    def move(self, path: str, new: str) -> None:
        """Give a file another name in its folder."""
        ...

    def read(self, path: str) -> bytes | None:
        """A file's bytes, or None where there is none."""
        ...

    def has(self, path: str) -> bool:
        """Whether there is a file or a folder of that name."""
        ...

    def remove(self, path: str) -> None:
        """Remove a file and the folders it leaves empty."""
        ...

    def walk(self) -> Iterator[str]:
        """Every file's path, sorted."""
        ...

    def free_bytes(self) -> int:
        """How much room is left."""
        ...

    def folds_names(self) -> bool:
        """Whether names that differ only in case or Unicode form are one (PATH-6)."""
        ...


class Clock(Protocol):
    """Time, injected."""

    def now(self) -> datetime:
        """The time of day, aware, in UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds that only grow, for measuring waits."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


@dataclass(frozen=True, slots=True)
class Event:
    """Something worth telling: a name from a closed list of the job's own, and its facts."""

    name: str
    facts: tuple[tuple[str, object], ...] = ()


class Observer(Protocol):
    """Whoever shows progress or keeps a log."""

    def notice(self, event: Event) -> None:
        """Be told of an event. Must not fail."""
        ...
