"""The ledger in memory: plain dictionaries and full scans, so that what it does can be read off.

The SQLite ledger is compared with this one step by step; where they differ, one of them is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime, timedelta

from holdfast.adapters.memory.archived import MemoryArchived
from holdfast.adapters.memory.citations import MemoryCitations
from holdfast.adapters.memory.forgetting import MemoryForgetting
from holdfast.adapters.memory.frontier import MemoryFrontier
from holdfast.adapters.memory.history import MemoryHistory
from holdfast.adapters.memory.pages import MemoryPages, check_out, name_aliases
from holdfast.adapters.memory.runs import MemoryRuns
from holdfast.adapters.memory.state import MemoryState, Seen
from holdfast.core.errors import LedgerError
from holdfast.core.ledger import Committed, Confirmed, Draft, Finding, Place
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
)
from holdfast.core.verdict import Matches, decide, latest

__all__ = ["MemoryLedger"]

_INSTANT = timedelta(microseconds=1)


class MemoryLedger:
    """The `Ledger` port."""

    def __init__(self) -> None:
        self._state = state = MemoryState()
        self.runs = MemoryRuns(state)
        self.frontier = MemoryFrontier(state)
        self.pages = MemoryPages(state)
        self.history = MemoryHistory(state)
        self.archived = MemoryArchived(state)
        self.citations = MemoryCitations()
        self.forgetting = MemoryForgetting(state)

    def close(self) -> None:
        """Nothing to let go."""

    def commit(self, run_id: str, findings: Sequence[Finding], at: datetime) -> tuple[Committed, ...]:
        """Write a batch, whole or not at all."""
        state = self._state
        label = state.known_run(run_id).run.label
        before = {part.name: _copy(getattr(state, part.name)) for part in fields(state)}
        try:
            judged = [self._take_in(run_id, finding, at) for finding in findings]
            for finding, (_, seen) in zip(findings, judged, strict=True):
                check_out(state, label, finding, seen)
                name_aliases(state, label, finding.aliases)
                self.frontier.add_entries(run_id, finding.discovered)
                self.frontier.close_entries(run_id, finding.closed)
            return tuple(committed for committed, _ in judged)
        except LedgerError:
            for name, value in before.items():
                setattr(state, name, value)
            raise

    def _take_in(self, run_id: str, finding: Finding, at: datetime) -> tuple[Committed, Seen | None]:
        """The capture of a finding, and what it shows."""
        if finding.capture:
            self._state.captures.setdefault(finding.capture.capture_id, finding.capture)
        if not finding.made:
            return Committed(), None
        if finding.capture is None:
            raise LedgerError("a finding that made something has no capture")
        return self._observe(run_id, finding.capture, finding.made, at)

    def _observe(
        self, run_id: str, capture: CaptureRecord, made: Draft | Confirmed, at: datetime
    ) -> tuple[Committed, Seen]:
        recipe = self._state.runs[run_id].run.recipe
        again = self._state.seen.get((capture.capture_id, recipe))
        if again:
            return Committed(self._verdict_on(again), again.item), again
        place = _place_of(capture, made)
        last = self._state.last_seen(recipe, place.key)
        match made:
            case Confirmed():
                if last is None:
                    raise LedgerError(f"{place.url} was not modified, but nothing is known of it")
                verdict: Verdict = Unchanged(last.item)
                item, links = last.item, last.links
            case Draft():
                verdict, item = self._judge(run_id, capture, made, at)
                links = made.links
        seen = Seen(run_id, place, capture, len(self._state.seen), item, links)
        self._state.seen[capture.capture_id, recipe] = seen
        return Committed(verdict, item), seen

    def _judge(self, run_id: str, capture: CaptureRecord, made: Draft, at: datetime) -> tuple[Verdict, Item]:
        recipe, place = self._state.runs[run_id].run.recipe, _place_of(capture, made)
        name = item_id(recipe, place.url, made.content_sha256, capture.capture_id)
        same = [item for item in self._state.items.values() if item.recipe == recipe]
        last = self._state.last_seen(recipe, place.key)
        found = Matches(
            current=last.item if last else None,
            by_url=latest(item for item in same if item.url_key == place.key),
            by_content=latest(item for item in same if item.content_sha256 == made.content_sha256),
        )
        verdict = decide(name, made.content_sha256, found)
        if isinstance(verdict, Unchanged):
            return verdict, verdict.current
        newest = max((item.created_at + _INSTANT for item in self._state.items.values()), default=at)
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
        self._state.items[name] = item
        if isinstance(verdict, Superseding):
            self._state.edges[verdict.edge.edge_id] = verdict.edge
        if made.reprocessed_from:
            origin = Edge(EdgeKind.REPROCESSED_FROM, name, made.reprocessed_from)
            self._state.edges[origin.edge_id] = origin
        return verdict, item

    def _verdict_on(self, seen: Seen) -> Verdict:
        if seen.item.capture_id != seen.capture.capture_id:
            return Unchanged(seen.item)
        for edge in self.history.relations(seen.item.item_id).outgoing:
            if edge.kind is EdgeKind.SUPERSEDES:
                return Superseding(self._state.items[edge.target], edge)
        return New()


def _place_of(capture: CaptureRecord, made: Draft | Confirmed) -> Place:
    if isinstance(made, Draft) and made.place:
        return made.place
    return Place(capture.canonical_url, capture.url_key, capture.web_key)


def _copy(value: object) -> object:
    """A copy of the containers; what is in them is frozen."""
    if isinstance(value, dict):
        return {key: _copy(inner) for key, inner in value.items()}
    return list(value) if isinstance(value, list) else value
