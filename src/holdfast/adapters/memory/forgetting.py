"""Forgetting in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from holdfast.adapters.memory.pages import leave
from holdfast.adapters.memory.state import MemoryState
from holdfast.core.hashing import UrlKey
from holdfast.core.ledger import Original, Place, Purged, Removal, Tombstone
from holdfast.core.lineage import CaptureRecord, RecordRef
from holdfast.core.page import LinkKind
from holdfast.core.repeated_bodies import RepeatedBodies
from holdfast.ports.forgetting import Rewrite

__all__ = ["MemoryForgetting"]


class _Moves:
    """The `MovedCaptures` port."""

    def __init__(self, captures: list[CaptureRecord]) -> None:
        self._captures = captures
        self._bodies = RepeatedBodies()
        self.moved: dict[str, RecordRef | None] = {}

    def staying(self) -> Iterator[CaptureRecord]:
        placed = [(c.ref.file, c.ref.offset, c) for c in self._captures if c.ref]
        yield from (capture for _, _, capture in sorted(placed, key=lambda row: row[:2]))

    def original(self, record: CaptureRecord) -> Original | None:
        return self._bodies.original(record)

    def note(self, record: CaptureRecord, ref: RecordRef | None) -> None:
        self.moved[record.capture_id] = ref
        if ref is not None:
            self.leave(record, ref)

    def leave(self, record: CaptureRecord, ref: RecordRef) -> None:
        self._bodies.note(record, ref)


class MemoryForgetting:
    """The `ForgettingLedger` port."""

    def __init__(self, state: MemoryState) -> None:
        self._state = state

    def places_at(self, web_key: UrlKey) -> tuple[Place, ...]:
        """Every policy's URL for a place."""
        return tuple(place for place in self._seen_places() if place.web_key == web_key)

    def places_on(self, host: str) -> Iterator[Place]:
        """Every URL on a host that anything was seen of."""
        return (place for place in self._seen_places() if place.host == host)

    def unneeded_captures(self) -> Iterator[str]:
        """Captures that show no item, no image of a current page, and no answer of the page itself."""
        shown = {name for name, _ in self._state.seen.observed}
        images = {
            link.target.key
            for pages in self._state.mirrors.pages.values()
            for _, links in pages.values()
            for link in links
            if link.kind is LinkKind.IMAGE
        }
        current = {key for pages in self._state.mirrors.pages.values() for key in pages}
        yield from (
            name
            for name, c in list(self._state.seen.captures.items())
            if c.ref and name not in shown and c.place.key not in images
            if not (200 <= c.status < 300 and c.place.key in current)
        )

    def tombstones(self) -> Iterator[Tombstone]:
        """What was forgotten."""
        yield from sorted(self._state.tombstones.values(), key=lambda tombstone: tombstone.place.url)

    def purge(
        self,
        keys: Collection[UrlKey],
        captures: Iterable[str],
        rewrite: Rewrite,
        at: datetime,
        files: Sequence[tuple[str, str]] = (),
    ) -> Purged:
        """Forget URLs, drop captures, and learn where the archive has the others now."""
        keys, captures = frozenset(keys), frozenset(captures)
        places = {place.key: place for place in self._seen_places()}
        gone = {n for n, c in self._state.seen.captures.items() if c.place.key in keys or n in captures}
        items = {n for n, i in self._state.seen.items.items() if i.place.key in keys or i.capture_id in gone}
        moves = _Moves([c for n, c in self._state.seen.captures.items() if n not in gone])
        rewrite(moves)
        before = len(self._state.seen.observed)
        self._state.seen.observed = {
            pair: seen
            for pair, seen in self._state.seen.observed.items()
            if pair[0] not in gone and seen.row.item.item_id not in items and seen.row.place.key not in keys
        }
        self._state.purges += len(self._state.seen.observed) < before
        self._state.seen.sections = {n: own for n, own in self._state.seen.sections.items() if n not in items}
        self._state.seen.captures = {
            name: capture.kept_at(moves.moved.get(name, capture.ref))
            for name, capture in self._state.seen.captures.items()
            if name not in gone
        }
        self._state.seen.numbered = {n: own for n, own in self._state.seen.numbered.items() if n not in gone}
        self._state.seen.items = {
            name: item for name, item in self._state.seen.items.items() if name not in items
        }
        self._state.seen.edges = {
            name: edge
            for name, edge in self._state.seen.edges.items()
            if not {edge.source, edge.target} & items
        }
        self._state.mirrors.removals |= {Removal(label, path, "") for label, path in files}
        for label, pages in self._state.mirrors.pages.items():
            for key in [key for key, (page, _) in pages.items() if key in keys or page.item_id in items]:
                page, _ = pages.pop(key)
                if page.gone_at is None:
                    leave(self._state, label, page.place, at)
                self._state.mirrors.removals.add(Removal(label, page.facts.path, page.place.url))
        self._drop_entries(keys)
        for key in keys:
            if key in places:
                self._state.tombstones.setdefault(key, Tombstone(places[key], at))
        self._seal_anew()
        return Purged(len(gone), len(items))

    def removals(self) -> tuple[Removal, ...]:
        """What is still to be taken out of mirrors' folders."""
        return tuple(sorted(self._state.mirrors.removals, key=lambda row: (row.label, row.path, row.url)))

    def removed(self, label: str) -> None:
        """Nothing of it is in a mirror's folder any longer."""
        self._state.mirrors.removals = {row for row in self._state.mirrors.removals if row.label != label}

    def _drop_entries(self, keys: frozenset[UrlKey]) -> None:
        """Take entries, other addresses and other names of URLs out."""
        state = self._state
        for run_id, entries in state.frontiers.items():
            for key in keys & entries.keys():
                label = state.runs[run_id].run.label
                state.mirrors.removals.add(Removal(label, "", entries.pop(key).place.url))
                state.alternates.pop((run_id, key), None)
        for label, aliases in state.mirrors.aliases.items():
            state.mirrors.aliases[label] = {
                key: alias
                for key, alias in aliases.items()
                if key not in keys and alias.target.key not in keys
            }

    def _seal_anew(self) -> None:
        for run_id, record in self._state.runs.items():
            if record.seal is not None:
                self._state.runs[run_id] = replace(record, seal=self._state.seal(run_id))

    def _seen_places(self) -> list[Place]:
        captures = (c.place for c in self._state.seen.captures.values())
        items = (i.place for i in self._state.seen.items.values())
        return list(dict.fromkeys((*captures, *items)))
