"""What is known: the ledger as the jobs see it. Each verb says whether it reads or writes.

1. A ledger has nine parts, each a port of its own. What needs one part asks for that part.
2. URLs are asked for by their url key, or by their `web` key where every policy's form of them counts.
3. What one finished URL leaves behind goes to several parts at once: `Ledger.commit` writes it, whole or not
   at all. Everything else is written by the part that reads it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from holdfast.core.hashing import UrlKey
from holdfast.core.ledger import (
    Brought,
    Closed,
    Committed,
    EntryState,
    Finding,
    FrontierEntry,
    Observation,
    Original,
    PageLink,
    Relations,
    RunRecord,
    RunStatus,
)
from holdfast.core.lineage import CaptureRecord, Item, Job, RecordRef, Run
from holdfast.core.place import Place
from holdfast.core.recipe import Recipe
from holdfast.core.run_tally import RunTally
from holdfast.ports.citation_ledger import CitationLedger
from holdfast.ports.forgetting import ForgettingLedger
from holdfast.ports.join_ledger import JoinLedger
from holdfast.ports.outbox import OutboxLedger
from holdfast.ports.page_ledger import PageLedger
from holdfast.ports.sections import SectionLedger

__all__ = [
    "ArchiveLedger",
    "CitationLedger",
    "ForgettingLedger",
    "FrontierLedger",
    "HistoryLedger",
    "JoinLedger",
    "Ledger",
    "OutboxLedger",
    "PageLedger",
    "RunLedger",
    "SectionLedger",
]


class RunLedger(Protocol):
    """Runs. A run's identity is written once; where it stands is not."""

    def begin_run(self, run: Run, owed_to: Collection[str] = (), *, is_brought: bool = False) -> None:
        """Write a run, and, in the same transaction, to which targets its events are owed (TRK-10); of a run
        that is there, the latter alone. The same version string with other identity settings: VersionError
        (VER-2). One that `is_brought` from elsewhere is placed among the others by its beginning (LIN-10).
        """
        ...

    def update_run(
        self,
        run_id: str,
        status: RunStatus,
        at: datetime,
        tally: RunTally | None = None,
        trouble: str = "",
    ) -> None:
        """Write where a run stands, and what ended it early; a run that was stopped and runs again is still
        the same run.
        """
        ...

    def end_run(self, run_id: str, at: datetime, tally: RunTally) -> str:
        """Write the end of a run, and its seal (LIN-8), which is returned."""
        ...

    def seal_of(self, run_id: str) -> str:
        """Read the seal over what a run saw, made anew (LIN-8)."""
        ...

    def run(self, run_id: str) -> RunRecord | None:
        """Read a run by its id, or by the beginning of it where only one run begins so."""
        ...

    def latest_first(self, *, label: str | None = None, job: Job | None = None) -> Iterator[RunRecord]:
        """Read runs, the one that was begun last first (LIN-10)."""
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

    def count_asked(self, run_id: str) -> int:
        """Read how many entries were asked for in a run, whatever came of it."""
        ...

    def choose_entries(self, run_id: str, limit: int) -> int:
        """Write: make those of the waiting entries ready that were looked at longest ago: no run of the
        mirror asked for them, else the run that did so last is the first of these, in the order in which the
        ledger began them. Of one run's, the first in the order of entries. How many.
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


class HistoryLedger(Protocol):
    """What was observed: captures, the items they showed, edges, links. `Ledger.commit` alone writes it."""

    def current_item(self, recipe: Recipe, key: UrlKey) -> Item | None:
        """Read a URL's current item, from its own captures in order (LIN-5)."""
        ...

    def items(self, item_id: str) -> tuple[Item, ...]:
        """Read the items whose id begins so; at most ten."""
        ...

    def of_url(self, web_key: UrlKey, recipe: Recipe | None = None) -> Iterator[Observation]:
        """Read a URL's captures in order, those too that only under some recipe showed an item of it; with no
        recipe named, each under every recipe that saw it.
        """
        ...

    def of_run(self, run_id: str) -> Iterator[Observation]:
        """Read a run's captures in the order they were written."""
        ...

    def brought_by(self, run_id: str, after: str = "", *, backward: bool = False) -> Iterator[Observation]:
        """Read the captures by which a run brought something new, in the order they were written, from the
        first one after a capture's id; or backward, from the last one on.
        """
        ...

    def count_brought(self, run_id: str) -> Brought:
        """Read how many URLs a run saw for the first time, and how many it found changed."""
        ...

    def relations(self, item_id: str) -> Relations:
        """Read an item's edges."""
        ...

    def links_of(self, recipe: Recipe, key: UrlKey, until: datetime | None = None) -> tuple[PageLink, ...]:
        """Read the links of a URL's current item, as its last observation had them, or the last one up to a
        moment.
        """
        ...

    def images_of(self, key: UrlKey) -> tuple[Place, ...]:
        """Read which images a URL has shown, in whatever version and under whatever recipe, by URL."""
        ...

    def last_capture(self, label: str, key: UrlKey) -> CaptureRecord | None:
        """Read the last capture that a mirror's run took of a page."""
        ...

    def last_shown(self, label: str, items: Collection[str]) -> dict[str, CaptureRecord]:
        """Read, for each of these items, the last answer with a body in a mirror's runs that showed it: what
        the files of its pages are made of.
        """
        ...


class ArchiveLedger(Protocol):
    """What the ledger knows of the archive: which capture is where."""

    def captures(self) -> Iterator[CaptureRecord]:
        """Read every capture that the archive holds, by file and offset."""
        ...

    def ends(self) -> dict[str, int]:
        """Read how far each archive file is committed; what is beyond was never acknowledged."""
        ...

    def originals_of(self, payloads: Collection[str]) -> dict[str, Original]:
        """Read which archived capture holds each of these bodies; one that none holds is left out."""
        ...

    def last_of(self, asked: Mapping[UrlKey, str | None]) -> dict[UrlKey, Original]:
        """Read which archived capture last had a body for each of these URLs: what a 304 confirms. One that
        came from the address beside the key goes before those from other addresses of the same URL; among
        those, one that shows an item goes before one that nothing was made of.
        """
        ...

    def lost(self) -> frozenset[str]:
        """Read which captures the archive cannot give back; that they are lost has been noted."""
        ...

    def lose(self, refs: Collection[RecordRef], at: datetime) -> int:
        """Write that the archive cannot give records back, nor those whose body they alone held. Their pages
        are asked for whole the next time. How many captures were not noted before.
        """
        ...

    def store_id(self) -> str:
        """Read what the files of this ledger's own archive name as the store they are a part of."""
        ...

    def expect_spare(self, names: Collection[str]) -> None:
        """Write that files are about to be written, which are needed only if a later transaction says so."""
        ...

    def spare_files(self) -> tuple[str, ...]:
        """Read which archive files hold nothing that is needed: any more, or as yet."""
        ...

    def spare_files_are_gone(self) -> None:
        """Write that they have been deleted."""
        ...


class Ledger(Protocol):
    """What is known, by its parts. Not for two threads at once; `close` ends its use."""

    @property
    def runs(self) -> RunLedger:
        """Runs, and where they stand."""
        ...

    @property
    def frontier(self) -> FrontierLedger:
        """The URLs of each run."""
        ...

    @property
    def pages(self) -> PageLedger:
        """The files of each mirror."""
        ...

    @property
    def history(self) -> HistoryLedger:
        """What was observed."""
        ...

    @property
    def sections(self) -> SectionLedger:
        """What the pages are made of."""
        ...

    @property
    def archived(self) -> ArchiveLedger:
        """Where the archive has it."""
        ...

    @property
    def citations(self) -> CitationLedger:
        """Documents and what they cite."""
        ...

    @property
    def forgetting(self) -> ForgettingLedger:
        """The way to take things out."""
        ...

    @property
    def outbox(self) -> OutboxLedger:
        """What is owed to whom."""
        ...

    @property
    def joins(self) -> JoinLedger:
        """What it is all joined by."""
        ...

    def commit(self, run_id: str, findings: Sequence[Finding], at: datetime) -> tuple[Committed, ...]:
        """Write a batch, whole or not at all; the verdicts are decided inside (LIN-6). Durable on return."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...
