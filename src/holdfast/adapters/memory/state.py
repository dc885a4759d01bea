"""All that a ledger in memory knows: plain dictionaries, which its parts share."""

from __future__ import annotations

from dataclasses import dataclass, field

from holdfast.core.errors import LedgerError
from holdfast.core.hashing import UrlKey
from holdfast.core.ledger import Alias, FrontierEntry, PageLink, Place, RunRecord, StoredPage, Tombstone
from holdfast.core.lineage import CaptureRecord, Edge, Item
from holdfast.core.recipe import Recipe

__all__ = ["MemoryState", "Seen"]


@dataclass(frozen=True, slots=True)
class Seen:
    """A capture observed under one recipe: the item, and the links as they were."""

    run_id: str
    place: Place
    capture: CaptureRecord
    order: int
    item: Item
    links: tuple[PageLink, ...]


@dataclass(slots=True)
class MemoryState:
    """What was written, by what it is asked for."""

    runs: dict[str, RunRecord] = field(default_factory=dict)
    frontiers: dict[str, dict[UrlKey, FrontierEntry]] = field(default_factory=dict)
    alternates: dict[tuple[str, UrlKey], list[str]] = field(default_factory=dict)
    captures: dict[str, CaptureRecord] = field(default_factory=dict)
    items: dict[str, Item] = field(default_factory=dict)
    edges: dict[str, Edge] = field(default_factory=dict)
    seen: dict[tuple[str, Recipe], Seen] = field(default_factory=dict)
    pages: dict[str, dict[UrlKey, tuple[StoredPage, tuple[PageLink, ...]]]] = field(default_factory=dict)
    aliases: dict[str, dict[UrlKey, Alias]] = field(default_factory=dict)
    tombstones: dict[UrlKey, Tombstone] = field(default_factory=dict)

    def known_run(self, run_id: str) -> RunRecord:
        """A run that was begun."""
        if run_id not in self.runs:
            raise LedgerError(f"there is no run {run_id}")
        return self.runs[run_id]

    def in_order(self) -> list[Seen]:
        """All that was seen, in the order of time."""
        return sorted(self.seen.values(), key=lambda seen: (seen.capture.fetched_at, seen.order))

    def last_seen(self, recipe: Recipe, key: UrlKey) -> Seen | None:
        """What a URL showed last under a recipe."""
        own = [s for s in self.in_order() if s.item.recipe == recipe and s.place.key == key]
        return own[-1] if own else None
