"""The ledger in memory: plain dictionaries and full scans, so that what it does can be read off.

The SQLite ledger is compared with this one step by step; where they differ, one of them is wrong.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from holdfast.adapters.memory.checkout import MemoryCheckout, Seen
from holdfast.adapters.memory.frontier import MemoryFrontier, MemoryRuns
from holdfast.core.errors import LedgerError
from holdfast.core.hashing import UrlKey
from holdfast.core.ledger import (
    Committed,
    Confirmed,
    Draft,
    EntryState,
    Finding,
    Observation,
    Original,
    PageLink,
    Place,
    Relations,
    RunStatus,
    StoredPage,
    Tombstone,
)
from holdfast.core.lineage import (
    CaptureRecord,
    Edge,
    EdgeKind,
    Item,
    New,
    Superseding,
    Unchanged,
    Verdict,
    item_id,
    seal,
)
from holdfast.core.recipe import Recipe
from holdfast.core.verdict import Matches, decide, latest

__all__ = ["MemoryLedger"]

_OK = 200
_INSTANT = timedelta(microseconds=1)


class MemoryLedger(MemoryRuns, MemoryFrontier, MemoryCheckout):
    """The `Ledger` port."""

    def __init__(self) -> None:
        MemoryRuns.__init__(self)
        MemoryFrontier.__init__(self)
        MemoryCheckout.__init__(self)
        self._captures: dict[str, CaptureRecord] = {}
        self._items: dict[str, Item] = {}
        self._edges: dict[str, Edge] = {}
        self._seen: dict[tuple[str, Recipe], Seen] = {}
        self._tombstones: dict[UrlKey, Tombstone] = {}

    def close(self) -> None:
        """Nothing to let go."""

    def end_run(self, run_id: str, at: datetime, summary: Mapping[str, int]) -> str:
        """Write the end of a run, and its seal."""
        last: dict[UrlKey, Seen] = {}
        for seen in self._in_order():
            if seen.run_id == run_id:
                last[seen.place.key] = seen
        digest = seal((key, last[key].item.content_sha256) for key in sorted(last))
        record = self._known_run(run_id)
        counts = tuple(sorted(summary.items()))
        self._runs[run_id] = replace(
            record, status=RunStatus.FINISHED, updated_at=at, ended_at=at, seal=digest, summary=counts
        )
        return digest

    def commit(self, run_id: str, findings: Sequence[Finding], at: datetime) -> tuple[Committed, ...]:
        """Write a batch, whole or not at all."""
        self._known_run(run_id)
        before = {name: _copy(value) for name, value in vars(self).items()}
        try:
            return tuple(self._commit_one(run_id, finding, at) for finding in findings)
        except LedgerError:
            vars(self).update(before)
            raise

    def _commit_one(self, run_id: str, finding: Finding, at: datetime) -> Committed:
        committed, seen = Committed(), None
        if finding.capture:
            self._captures.setdefault(finding.capture.capture_id, finding.capture)
        if finding.made:
            if finding.capture is None:
                raise LedgerError("a finding that made something has no capture")
            committed, seen = self._observe(run_id, finding.capture, finding.made, at)
        label = self._runs[run_id].run.label
        self._check_out(label, finding, seen)
        self._name_aliases(label, finding.aliases)
        self.add_entries(run_id, finding.discovered)
        self.close_entries(run_id, finding.closed)
        return committed

    def _observe(
        self, run_id: str, capture: CaptureRecord, made: Draft | Confirmed, at: datetime
    ) -> tuple[Committed, Seen]:
        recipe = self._runs[run_id].run.recipe
        again = self._seen.get((capture.capture_id, recipe))
        if again:
            return Committed(self._verdict_on(again), again.item), again
        place = _place_of(capture, made)
        last = self._last_seen(recipe, place.key)
        match made:
            case Confirmed():
                if last is None:
                    raise LedgerError(f"{place.url} was not modified, but nothing is known of it")
                verdict: Verdict = Unchanged(last.item)
                item, links = last.item, last.links
            case Draft():
                verdict, item = self._judge(run_id, capture, made, at)
                links = made.links
        seen = Seen(run_id, place, capture, len(self._seen), item, links)
        self._seen[capture.capture_id, recipe] = seen
        return Committed(verdict, item), seen

    def _judge(self, run_id: str, capture: CaptureRecord, made: Draft, at: datetime) -> tuple[Verdict, Item]:
        recipe, place = self._runs[run_id].run.recipe, _place_of(capture, made)
        name = item_id(recipe, place.url, made.content_sha256, capture.capture_id)
        same = [item for item in self._items.values() if item.recipe == recipe]
        last = self._last_seen(recipe, place.key)
        found = Matches(
            current=last.item if last else None,
            by_url=latest(item for item in same if item.url_key == place.key),
            by_content=latest(item for item in same if item.content_sha256 == made.content_sha256),
        )
        verdict = decide(name, made.content_sha256, found)
        if isinstance(verdict, Unchanged):
            return verdict, verdict.current
        newest = max((item.created_at + _INSTANT for item in self._items.values()), default=at)
        item = Item(
            item_id=name,
            run_id=run_id,
            recipe=recipe,
            canonical_url=place.url,
            url_key=place.key,
            web_key=place.web_key,
            content_sha256=made.content_sha256,
            capture_id=capture.capture_id,
            created_at=max(at, newest),
            title=made.title,
        )
        self._items[name] = item
        if isinstance(verdict, Superseding):
            self._edges[verdict.edge.edge_id] = verdict.edge
        if made.reprocessed_from:
            origin = Edge(EdgeKind.REPROCESSED_FROM, name, made.reprocessed_from)
            self._edges[origin.edge_id] = origin
        return verdict, item

    def _verdict_on(self, seen: Seen) -> Verdict:
        if seen.item.capture_id != seen.capture.capture_id:
            return Unchanged(seen.item)
        for edge in self.relations(seen.item.item_id).outgoing:
            if edge.kind is EdgeKind.SUPERSEDES:
                return Superseding(self._items[edge.target], edge)
        return New()

    def originals_of(self, payloads: Collection[str]) -> dict[str, Original]:
        """The first capture that holds each body."""
        found: dict[str, Original] = {}
        for capture in self._captures.values():
            payload = capture.payload_sha256
            if payload and payload in payloads and payload not in found and capture.ref:
                found[payload] = Original(capture.ref, capture.final_url, capture.fetched_at)
        return found

    def last_archived(self, asked: Mapping[UrlKey, str | None]) -> dict[UrlKey, Original]:
        """The last capture of each URL with a body: from the address asked, and one that was read, if any."""
        whole = [c for c in self._captures.values() if c.status == _OK and c.ref and c.payload_sha256]
        read = {name for name, _ in self._seen}
        payloads = {}
        for key, address in asked.items():
            own = [capture for capture in whole if capture.url_key == key]
            if own:
                last = max(own, key=lambda c: (c.final_url == address, c.capture_id in read, c.fetched_at))
                payloads[key] = last.payload_sha256 or ""
        originals = self.originals_of(set(payloads.values()))
        return {key: originals[payload] for key, payload in payloads.items()}

    def last_capture(self, label: str, key: UrlKey) -> CaptureRecord | None:
        """The last answer with a body, in a mirror's runs."""
        own = [
            c
            for c in self._captures.values()
            if c.url_key == key and 200 <= c.status < 300 and self._runs[c.run_id].run.label == label
        ]
        return max(own, key=lambda capture: capture.fetched_at, default=None)

    def archived(self) -> Iterator[CaptureRecord]:
        """Every capture that the archive holds, by file and offset."""
        placed = [(c.ref.file, c.ref.offset, c) for c in self._captures.values() if c.ref]
        yield from (capture for _, _, capture in sorted(placed, key=lambda row: row[:2]))

    def archive_ends(self) -> dict[str, int]:
        """How far each archive file is committed."""
        ends: dict[str, int] = {}
        for ref in (capture.ref for capture in self._captures.values()):
            if ref:
                ends[ref.file] = max(ends.get(ref.file, 0), ref.offset + ref.length)
        return ends

    def current_item(self, recipe: Recipe, key: UrlKey) -> Item | None:
        """The item that the URL's last capture showed."""
        last = self._last_seen(recipe, key)
        return last.item if last else None

    def items(self, item_id: str) -> tuple[Item, ...]:
        """Items whose id begins so."""
        found = sorted(name for name in self._items if name.startswith(item_id))
        return tuple(self._items[name] for name in found[:10])

    def history(self, web_key: UrlKey, recipe: Recipe | None = None) -> Iterator[Observation]:
        """A URL's captures in order."""
        captures = [capture for capture in self._captures.values() if capture.web_key == web_key]
        for capture in sorted(captures, key=lambda capture: capture.fetched_at):
            seen = [s for (name, _), s in self._seen.items() if name == capture.capture_id]
            items: list[Item | None] = [s.item for s in seen if recipe in (None, s.item.recipe)]
            for item in items or [None]:
                yield Observation(capture, item)

    def observations(self, run_id: str) -> Iterator[Observation]:
        """What a run observed, in the order it was written."""
        recipe = self._known_run(run_id).run.recipe
        for capture in self._captures.values():
            seen = self._seen.get((capture.capture_id, recipe))
            if seen and seen.run_id == run_id:
                yield Observation(capture, seen.item)
            elif capture.run_id == run_id:
                yield Observation(capture, None)

    def relations(self, item_id: str) -> Relations:
        """An item's edges."""
        edges = sorted(self._edges.values(), key=lambda edge: (edge.kind, edge.source, edge.target))
        return Relations(
            outgoing=tuple(edge for edge in edges if edge.source == item_id),
            incoming=tuple(edge for edge in edges if edge.target == item_id),
        )

    def links_of(self, recipe: Recipe, key: UrlKey) -> tuple[PageLink, ...]:
        """The links of a URL's last observation."""
        last = self._last_seen(recipe, key)
        return last.links if last else ()

    def pages_without(self, label: str, run_id: str, states: Collection[EntryState]) -> Iterator[StoredPage]:
        """A mirror's pages that a run did not bring to such an end."""
        done = {entry.place.key for entry in self.entries(run_id, states)}
        yield from (page for page in self.pages(label) if page.place.key not in done)

    def tombstones(self) -> Iterator[Tombstone]:
        """What was forgotten."""
        yield from sorted(self._tombstones.values(), key=lambda tombstone: tombstone.place.url)

    def _in_order(self) -> list[Seen]:
        return sorted(self._seen.values(), key=lambda seen: (seen.capture.fetched_at, seen.order))

    def _last_seen(self, recipe: Recipe, key: UrlKey) -> Seen | None:
        own = [s for s in self._in_order() if s.item.recipe == recipe and s.place.key == key]
        return own[-1] if own else None


def _place_of(capture: CaptureRecord, made: Draft | Confirmed) -> Place:
    if isinstance(made, Draft) and made.place:
        return made.place
    return Place(capture.canonical_url, capture.url_key, capture.web_key)


def _copy(value: object) -> object:
    """A copy of the containers; what is in them is frozen."""
    if isinstance(value, dict):
        return {key: _copy(inner) for key, inner in value.items()}
    return list(value) if isinstance(value, list) else value
