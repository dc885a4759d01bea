"""The ledger in memory: plain dictionaries and full scans, so that what it does can be read off.

The SQLite ledger is compared with this one step by step; where they differ, one of them is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

from holdfast.adapters.memory.archived import MemoryArchived
from holdfast.adapters.memory.citations import MemoryCitations
from holdfast.adapters.memory.forgetting import MemoryForgetting
from holdfast.adapters.memory.frontier import MemoryFrontier
from holdfast.adapters.memory.history import MemoryHistory
from holdfast.adapters.memory.joins import MemoryJoins
from holdfast.adapters.memory.outbox import MemoryOutbox
from holdfast.adapters.memory.pages import MemoryPages, check_out, name_aliases
from holdfast.adapters.memory.runs import MemoryRuns
from holdfast.adapters.memory.sections import MemorySections
from holdfast.adapters.memory.state import MemoryObservation, MemoryState, MirrorTables, SeenTables
from holdfast.core.batch import Batch, FirstQuestions, Judged, Known, Numbered, Numbers, SeenAgain, Shown
from holdfast.core.errors import LedgerError
from holdfast.core.judging import first_questions, judge, next_questions
from holdfast.core.ledger import Committed, Finding
from holdfast.core.lineage import CaptureRecord, Edge, EdgeKind, Item
from holdfast.core.rank import anchor_before, brought_rank
from holdfast.core.verdict import latest

__all__ = ["MemoryLedger"]


class MemoryLedger:
    """The `Ledger` port."""

    def __init__(self) -> None:
        self._state = state = MemoryState()
        self.runs = MemoryRuns(state)
        self.frontier = MemoryFrontier(state)
        self.pages = MemoryPages(state)
        self.history = MemoryHistory(state)
        self.sections = MemorySections(state)
        self.archived = MemoryArchived(state)
        self.citations = MemoryCitations()
        self.forgetting = MemoryForgetting(state)
        self.outbox = MemoryOutbox(state)
        self.joins = MemoryJoins(state, self.citations)

    def close(self) -> None:
        """There is nothing to close."""

    def commit(self, run_id: str, findings: Sequence[Finding], at: datetime) -> tuple[Committed, ...]:
        """Write a batch, whole or not at all."""
        state = self._state
        run = state.known_run(run_id).run
        before = {part.name: _copy(getattr(state, part.name)) for part in fields(state)}
        try:
            batch = Batch(run_id, run.recipe, findings, at)
            numbers = state.seen.numbers
            judged = judge(batch, _look_up(state, batch), Numbers(numbers, numbers, numbers))
            _write(state, run_id, judged)
            for change in judged.pages:
                check_out(state, run.label, change)
            for finding in findings:
                name_aliases(state, run.label, finding.aliases)
                self.frontier.add_entries(run_id, finding.discovered)
                self.frontier.close_entries(run_id, finding.closed)
        except LedgerError:
            for name, value in before.items():
                setattr(state, name, value)
            raise
        return tuple(judged.committed)


def _look_up(state: MemoryState, batch: Batch) -> Known:
    first = first_questions(batch.findings)
    captures = dict(state.seen.numbered)
    shown = {place.key: state.last_shown(batch.recipe, place.key) for place in first.shown}
    last = {key: known for key, known in shown.items() if known is not None}
    more = next_questions(batch.findings, captures, last)
    own = [item for item in state.seen.items.values() if item.recipe == batch.recipe]
    by_content = (latest(i for i in own if i.content_sha256 == content) for content in more.contents)
    by_url = (latest(i for i in own if i.place.key == key) for key in more.urls)
    newest = latest(state.seen.items.values())
    anchors = {capture.capture_id: _anchor(state, capture) for capture, _ in first.brought}
    return Known(
        captures,
        last,
        {item.content_sha256: item for item in by_content if item},
        {item.place.key: item for item in by_url if item},
        dict(_seen_again(state, batch, more.again)),
        newest.created_at if newest else None,
        anchors,
        dict(_shown_before(state, batch, first, anchors)),
    )


def _shown_before(
    state: MemoryState, batch: Batch, asked: FirstQuestions, anchors: Mapping[str, int]
) -> Iterator[tuple[str, Shown]]:
    """What URLs showed before the captures that are brought."""
    for capture, place in asked.brought:
        rank = brought_rank(anchors[capture.capture_id], capture.fetched_at)
        own = [
            s.row
            for s in state.in_order()
            if s.row.item.recipe == batch.recipe and place and s.row.place.key == place.key
        ]
        earlier = [row.shown for row in own if row.rank <= rank]
        if earlier:
            yield capture.capture_id, earlier[-1]


def _anchor(state: MemoryState, brought: CaptureRecord) -> int:
    """Behind which capture of its URL one stands that is brought."""
    own = (
        (state.seen.numbered[name].rank, capture.fetched_at)
        for name, capture in state.seen.captures.items()
        if capture.place.web_key == brought.place.web_key
    )
    anchors = sorted((rank.anchor, time) for rank, time in own if rank.is_own)
    return anchor_before(anchors, brought.fetched_at)


def _seen_again(state: MemoryState, batch: Batch, captures: Sequence[str]) -> Iterator[tuple[str, SeenAgain]]:
    for name in captures:
        seen = state.seen.observed.get((name, batch.recipe))
        if seen:
            row, shown = seen.row, seen.row.shown
            superseded = _superseded(state, row.item)
            yield name, SeenAgain(row.place, row.item_number, row.item, shown.links_of, superseded)


def _superseded(state: MemoryState, item: Item) -> tuple[Item, Edge] | None:
    for edge in state.seen.edges.values():
        if edge.source == item.item_id and edge.kind is EdgeKind.SUPERSEDES:
            return state.seen.items[edge.target], edge
    return None


def _write(state: MemoryState, run_id: str, judged: Judged) -> None:
    state.seen.captures.update({row.record.capture_id: row.record for row in judged.captures})
    state.seen.numbered.update({r.record.capture_id: Numbered(r.number, r.rank) for r in judged.captures})
    state.seen.items.update({row.item.item_id: row.item for row in judged.items})
    state.seen.sections.update({row.item.item_id: row.sections for row in judged.items})
    for edge in (row.edge for row in judged.edges):
        if edge.target not in state.seen.items:
            raise LedgerError(f"there is no item {edge.target} for a {edge.kind} edge to lead to")
        state.seen.edges[edge.edge_id] = edge
    for row in judged.observations:
        state.seen.observed[row.capture.capture_id, row.item.recipe] = MemoryObservation(run_id, row)
        if row.links_of is None:
            state.seen.links[row.number] = row.links


def _copy(value: Any) -> Any:
    """A copy of the containers; what is in them is frozen."""
    if isinstance(value, dict):
        return {key: _copy(inner) for key, inner in value.items()}
    if isinstance(value, SeenTables | MirrorTables):
        return type(value)(*(_copy(getattr(value, part.name)) for part in fields(value)))
    return type(value)(value) if isinstance(value, list | set) else value
