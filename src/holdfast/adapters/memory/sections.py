"""The sections of items, in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from holdfast.adapters.memory.state import MemoryObservation, MemoryState
from holdfast.core.ledger import SectionMove, SeenPage
from holdfast.core.lineage import Item
from holdfast.core.place import Place
from holdfast.core.recipe import Recipe
from holdfast.core.search import IndexMark
from holdfast.core.section import KeptSection

__all__ = ["MemorySections"]


class MemorySections:
    """The `SectionLedger` port."""

    def __init__(self, state: MemoryState) -> None:
        self._state = state

    def of_item(self, item_id: str) -> tuple[KeptSection, ...]:
        """An item's sections."""
        return self._state.sections.get(item_id, ())

    def between(
        self, label: str, recipe: Recipe, old: datetime, new: datetime | None = None
    ) -> Iterator[SectionMove]:
        """Which sections differ between two moments."""
        seen = [s for s in self._state.in_order() if s.row.item.recipe == recipe]
        until = [s for s in seen if new is None or s.row.capture.fetched_at <= new]
        moved = {
            s.row.place: None
            for s in until
            if s.row.capture.fetched_at > old and self._state.runs[s.run_id].run.label == label
        }
        for place in sorted(moved, key=lambda place: place.url):
            own = [s for s in until if s.row.place.key == place.key]
            before = self._shown([s for s in own if s.row.capture.fetched_at <= old])
            yield from _moves(place, before, self._shown(own))

    def _shown(self, seen: list[MemoryObservation]) -> tuple[KeptSection, ...]:
        return self.of_item(seen[-1].row.item.item_id) if seen else ()

    def unread(self, run_id: str) -> tuple[Item, ...]:
        """Items of a run that have no sections yet."""
        own = (item for item in self._state.items.values() if item.run_id == run_id)
        return tuple(item for item in own if not self.of_item(item.item_id))

    def fill(self, sections: Mapping[str, tuple[KeptSection, ...]]) -> int:
        """Write the sections of items that have none."""
        fresh = {
            name: own
            for name, own in sections.items()
            if name in self._state.items and not self.of_item(name)
        }
        self._state.sections.update(fresh)
        return len(fresh)

    def mark(self) -> IndexMark:
        """Up to where this ledger is written."""
        numbers = [seen.row.number for seen in self._state.observed.values()]
        times = [record.updated_at for record in self._state.runs.values()]
        return IndexMark("", self._state.purges, max(numbers, default=0), max(times, default=None))

    def seen_after(self, number: int, last: int) -> Iterator[SeenPage]:
        """What was observed after an observation."""
        for seen in sorted(self._state.observed.values(), key=lambda seen: seen.row.number):
            row = seen.row
            if number < row.number <= last:
                job = self._state.runs[seen.run_id].run.job
                capture = self._state.captures[row.item.capture_id]
                yield SeenPage(row.number, row.place, row.capture.fetched_at, row.item.title, job, capture)


def _moves(
    place: Place, before: tuple[KeptSection, ...], after: tuple[KeptSection, ...]
) -> list[SectionMove]:
    """In the order of their places on the page; what went stands before what came to the same place."""
    old = {section.anchor: section for section in before}
    new = {section.anchor for section in after}
    moves = [
        (order, section.anchor, SectionMove(place, old.get(section.anchor), section))
        for order, section in enumerate(after)
        if section.anchor not in old or old[section.anchor].content != section.content
    ]
    moves += [
        (order, "", SectionMove(place, section, None))
        for order, section in enumerate(before)
        if section.anchor not in new
    ]
    return [move for _, _, move in sorted(moves, key=lambda entry: entry[:2])]
