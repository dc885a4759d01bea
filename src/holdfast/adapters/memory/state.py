"""All that a ledger in memory knows: plain dictionaries, which its parts share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from datetime import datetime
from itertools import count
from typing import NamedTuple

from holdfast.core.batch import Numbered, ObservationRow, Shown
from holdfast.core.errors import LedgerError
from holdfast.core.hashing import UrlKey
from holdfast.core.ledger import Alias, FrontierEntry, PageLink, Removal, RunRecord, StoredPage, Tombstone
from holdfast.core.lineage import CaptureRecord, Edge, Item, seal
from holdfast.core.place import Place
from holdfast.core.rank import Rank
from holdfast.core.recipe import Recipe
from holdfast.core.section import KeptSection
from holdfast.core.values import dataclass

__all__ = ["MemoryObservation", "MemoryState", "MirrorTables", "SeenTables"]


class MemoryObservation(NamedTuple):
    """What a capture showed in a run."""

    run_id: str
    row: ObservationRow


@dataclass(slots=True)
class SeenTables:
    """What was observed: captures, their numbers and places, the items and edges of the lineage, links and
    sections; and the numbers that are given to observations.
    """

    captures: dict[str, CaptureRecord] = field(default_factory=dict)
    numbered: dict[str, Numbered] = field(default_factory=dict)
    items: dict[str, Item] = field(default_factory=dict)
    edges: dict[str, Edge] = field(default_factory=dict)
    observed: dict[tuple[str, Recipe], MemoryObservation] = field(default_factory=dict)
    links: dict[int, tuple[PageLink, ...]] = field(default_factory=dict)
    sections: dict[str, tuple[KeptSection, ...]] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=lambda: count(1))


@dataclass(slots=True)
class MirrorTables:
    """What is checked out in folders, by their label, and what was before."""

    pages: dict[str, dict[UrlKey, tuple[StoredPage, tuple[PageLink, ...]]]] = field(default_factory=dict)
    aliases: dict[str, dict[UrlKey, Alias]] = field(default_factory=dict)
    absences: dict[str, set[tuple[datetime, Place]]] = field(default_factory=dict)
    lost: set[str] = field(default_factory=set)
    removals: set[Removal] = field(default_factory=set)


@dataclass(slots=True)
class MemoryState:
    """What was written, by what it is asked for."""

    runs: dict[str, RunRecord] = field(default_factory=dict)
    run_ranks: dict[str, tuple[Rank, int]] = field(default_factory=dict)
    frontiers: dict[str, dict[UrlKey, FrontierEntry]] = field(default_factory=dict)
    alternates: dict[tuple[str, UrlKey], list[str]] = field(default_factory=dict)
    seen: SeenTables = field(default_factory=SeenTables)
    mirrors: MirrorTables = field(default_factory=MirrorTables)
    purges: int = 0
    tombstones: dict[UrlKey, Tombstone] = field(default_factory=dict)
    owed: set[tuple[str, str]] = field(default_factory=set)

    def known_run(self, run_id: str) -> RunRecord:
        """A run that was begun."""
        if run_id not in self.runs:
            raise LedgerError(f"there is no run {run_id}")
        return self.runs[run_id]

    def in_order(self) -> list[MemoryObservation]:
        """All that was observed, by its place among what was seen of a URL."""
        return sorted(self.seen.observed.values(), key=lambda seen: (seen.row.rank, seen.row.number))

    def place_of(self, capture: CaptureRecord) -> tuple[Rank, int]:
        """The place of a capture among those of its URL."""
        known = self.seen.numbered[capture.capture_id]
        return known.rank, known.number

    def last_shown(self, recipe: Recipe, key: UrlKey, until: datetime | None = None) -> Shown | None:
        """What a URL showed last under a recipe, or last up to a moment."""
        seen = (s.row for s in self.in_order() if until is None or s.row.capture.fetched_at <= until)
        own = [row for row in seen if row.item.recipe == recipe and row.place.key == key]
        return own[-1].shown if own else None

    def seal(self, run_id: str) -> str:
        """The seal of a run over what it observed."""
        own = [s.row for s in self.in_order() if s.run_id == run_id]
        last = {row.place.key: row.item.content_sha256 for row in own}
        return seal((key, last[key]) for key in sorted(last))
