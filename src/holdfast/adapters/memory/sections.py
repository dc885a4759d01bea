"""The sections of items, in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime

from holdfast.adapters.memory.state import MemoryObservation, MemoryState
from holdfast.core.ledger import SeenPage
from holdfast.core.lineage import Item
from holdfast.core.recipe import Recipe
from holdfast.core.search import IndexMark
from holdfast.core.section import KeptSection
from holdfast.core.section_moves import SectionMove, moves_between

__all__ = ["MemorySections"]


class MemorySections:
    """The `SectionLedger` port."""

    def __init__(self, state: MemoryState) -> None:
        self._state = state

    def of_item(self, item_id: str) -> tuple[KeptSection, ...]:
        """An item's sections."""
        return self._state.seen.sections.get(item_id, ())

    def of_items(self, items: Collection[str]) -> dict[str, tuple[KeptSection, ...]]:
        """The sections of many items."""
        return {item: own for item in items if (own := self.of_item(item))}

    def between(
        self, label: str, recipe: Recipe, old: datetime, new: datetime | None = None
    ) -> Iterator[SectionMove]:
        """Which sections differ between two moments."""
        seen = [s for s in self._state.in_order() if s.row.item.recipe == recipe]
        until = [s for s in seen if new is None or s.row.capture.fetched_at <= new]
        left = self._state.mirrors.absences.get(label, set())
        moved = {
            s.row.place: None
            for s in until
            if s.row.capture.fetched_at > old and self._state.runs[s.run_id].run.label == label
        } | {place: None for at, place in left if at > old and (new is None or at <= new)}
        for place in sorted(moved, key=lambda place: place.url):
            own = [s for s in until if s.row.place.key == place.key]
            absences = [at for at, other in left if other.key == place.key]
            then, now = self._at(own, absences, old), self._at(own, absences, new)
            known, _ = self._state.mirrors.pages.get(label, {}).get(place.key, (None, ()))
            if new is None and known is not None:  # its own row says whether it is there now
                now = self._at(own, [], None) if known.gone_at is None else ()
            yield from moves_between(place, then, now)

    def _at(
        self, seen: list[MemoryObservation], absences: list[datetime], moment: datetime | None
    ) -> tuple[KeptSection, ...]:
        """The sections of a page as it was at a moment; none where it was not there."""
        left = max((at for at in absences if moment is None or at <= moment), default=None)
        shown = [
            s.row.item
            for s in seen
            if (moment is None or s.row.capture.fetched_at <= moment)
            and (left is None or s.row.capture.fetched_at > left)
        ]
        return self.of_item(shown[-1].item_id) if shown else ()

    def unread(self, run_id: str) -> tuple[Item, ...]:
        """Items of a run that have no sections yet."""
        own = (item for item in self._state.seen.items.values() if item.run_id == run_id)
        return tuple(item for item in own if not self.of_item(item.item_id))

    def fill(self, sections: Mapping[str, tuple[KeptSection, ...]]) -> int:
        """Write the sections of items that have none."""
        fresh = {
            name: own
            for name, own in sections.items()
            if name in self._state.seen.items and not self.of_item(name)
        }
        self._state.seen.sections.update(fresh)
        return len(fresh)

    def mark(self) -> IndexMark:
        """Up to where this ledger is written."""
        numbers = [seen.row.number for seen in self._state.seen.observed.values()]
        times = [record.updated_at for record in self._state.runs.values()]
        return IndexMark("", self._state.purges, max(numbers, default=0), max(times, default=None))

    def seen_after(self, number: int, last: int) -> Iterator[SeenPage]:
        """What was observed after an observation."""
        for seen in sorted(self._state.seen.observed.values(), key=lambda seen: seen.row.number):
            row = seen.row
            if number < row.number <= last:
                job = self._state.runs[seen.run_id].run.job
                capture = self._state.seen.captures[row.item.capture_id]
                seen_at, title = row.capture.fetched_at, row.item.title
                yield SeenPage(row.number, row.place, seen_at, title, job, capture, row.rank)
