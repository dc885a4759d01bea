"""What was observed, in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime

from holdfast.adapters.memory.state import MemoryState
from holdfast.core.hashing import UrlKey
from holdfast.core.ledger import Brought, Observation, PageLink, Relations
from holdfast.core.lineage import CaptureRecord, Item
from holdfast.core.page import LinkKind
from holdfast.core.place import Place
from holdfast.core.recipe import Recipe

__all__ = ["MemoryHistory"]


class MemoryHistory:
    """The `HistoryLedger` port."""

    def __init__(self, state: MemoryState) -> None:
        self._state = state

    def current_item(self, recipe: Recipe, key: UrlKey) -> Item | None:
        """The item that the URL's last capture showed."""
        last = self._state.last_shown(recipe, key)
        return last.item if last else None

    def items(self, item_id: str) -> tuple[Item, ...]:
        """Items whose id begins so."""
        found = sorted(name for name in self._state.seen.items if name.startswith(item_id))
        return tuple(self._state.seen.items[name] for name in found[:10])

    def of_url(self, web_key: UrlKey, recipe: Recipe | None = None) -> Iterator[Observation]:
        """A URL's captures in order."""
        seen = self._state.seen.observed.items()
        shown = {name for (name, _), each in seen if each.row.place.web_key == web_key}
        captures = [
            capture
            for name, capture in self._state.seen.captures.items()
            if capture.place.web_key == web_key or name in shown
        ]
        for capture in sorted(captures, key=self._state.place_of):
            rows = [s.row for (name, _), s in self._state.seen.observed.items() if name == capture.capture_id]
            items: list[Item | None] = [row.item for row in rows if recipe in (None, row.item.recipe)]
            for item in items or [None]:
                yield Observation(capture, item)

    def of_run(self, run_id: str) -> Iterator[Observation]:
        """What a run observed, in the order it was written."""
        recipe = self._state.known_run(run_id).run.recipe
        for capture in self._state.seen.captures.values():
            seen = self._state.seen.observed.get((capture.capture_id, recipe))
            if seen and seen.run_id == run_id:
                yield Observation(capture, seen.row.item)
            elif capture.run_id == run_id:
                yield Observation(capture, None)

    def brought_by(self, run_id: str, after: str = "", *, backward: bool = False) -> Iterator[Observation]:
        """What a run brought, in the order it was written, or backward."""
        names = list(self._state.seen.captures)
        later = set(names[names.index(after) + 1 :] if after in names else names)
        own = (seen for seen in self.of_run(run_id) if seen.item is not None and seen.item.run_id == run_id)
        found = [seen for seen in own if seen.is_new and seen.capture.capture_id in later]
        yield from reversed(found) if backward else found

    def count_brought(self, run_id: str) -> Brought:
        """How many URLs are new, and how many changed."""
        found = [seen for seen in self.brought_by(run_id) if seen.item is not None]
        changed = sum(self._was_seen_before(seen) for seen in found)
        return Brought(len(found) - changed, changed)

    def _was_seen_before(self, seen: Observation) -> bool:
        return any(
            other.row.item.recipe == seen.item.recipe
            and other.row.item.place.key == seen.item.place.key
            and other.row.rank < self._state.seen.numbered[seen.capture.capture_id].rank
            for other in self._state.seen.observed.values()
            if seen.item is not None
        )

    def relations(self, item_id: str) -> Relations:
        """An item's edges."""
        edges = sorted(
            self._state.seen.edges.values(), key=lambda edge: (edge.kind, edge.source, edge.target)
        )
        return Relations(
            outgoing=tuple(edge for edge in edges if edge.source == item_id),
            incoming=tuple(edge for edge in edges if edge.target == item_id),
        )

    def links_of(self, recipe: Recipe, key: UrlKey, until: datetime | None = None) -> tuple[PageLink, ...]:
        """The links of a URL's last observation, or of the last one up to a moment."""
        last = self._state.last_shown(recipe, key, until)
        return self._state.seen.links[last.links_of] if last else ()

    def images_of(self, key: UrlKey) -> tuple[Place, ...]:
        """The images that a URL has shown."""
        kept = self._state.seen
        rows = (seen.row for seen in kept.observed.values() if seen.row.place.key == key)
        links = (link for row in rows for link in kept.links[row.shown.links_of])
        return tuple(sorted({link.target for link in links if link.kind is LinkKind.IMAGE}))

    def last_capture(self, label: str, key: UrlKey) -> CaptureRecord | None:
        """The last answer with a body, in a mirror's runs."""
        own = [
            c
            for c in self._state.seen.captures.values()
            if c.place.key == key and 200 <= c.status < 300 and self._state.runs[c.run_id].run.label == label
        ]
        return max(own, key=self._state.place_of, default=None)

    def last_shown(self, label: str, items: Collection[str]) -> dict[str, CaptureRecord]:
        """The last answers with a body, in a mirror's runs, that showed these items."""
        found: dict[str, CaptureRecord] = {}
        for (name, _), seen in self._state.seen.observed.items():
            capture, item = self._state.seen.captures[name], seen.row.item.item_id
            if item not in items or not 200 <= capture.status < 300:
                continue
            known = found.get(item)
            if self._state.runs[capture.run_id].run.label == label and (
                known is None or self._state.place_of(known) <= self._state.place_of(capture)
            ):
                found[item] = capture
        return found
