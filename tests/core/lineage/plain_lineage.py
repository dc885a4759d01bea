"""The lineage law once more, as plainly as it can be said: one finding after another, by looking at all that
came before. `core.lineage.conflict_rules` is compared with it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from holdfast.core.lineage.conflict_rules import Matches, decide, latest
from holdfast.core.lineage.ledger_values import Confirmed, Draft, Finding, PageLink
from holdfast.core.lineage.lineage import (
    CaptureRecord,
    Edge,
    EdgeKind,
    Item,
    New,
    Run,
    Superseding,
    Unchanged,
    Verdict,
    item_id,
)
from holdfast.core.url.url import Place


@dataclass(frozen=True)
class PlainObservation:
    run: Run
    place: Place
    capture: CaptureRecord
    verdict: Verdict
    item: Item
    links: tuple[PageLink, ...]


@dataclass
class PlainLineage:
    """All items, edges and observations so far, in the order they came."""

    items: list[Item] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    seen: list[PlainObservation] = field(default_factory=list)
    captures: list[str] = field(default_factory=list)
    """Their ids, in the order they came: that is the order of a URL's captures, whatever their stamps say."""

    def take(self, run: Run, finding: Finding, at: datetime) -> Verdict | None:
        capture, made = finding.capture, finding.made
        if capture is not None:
            self.captures += [capture.capture_id] if capture.capture_id not in self.captures else []
        if capture is None or made is None:
            return None
        for known in self.seen:
            if known.capture.capture_id == capture.capture_id and known.run.recipe == run.recipe:
                return known.verdict
        place = capture.place
        if isinstance(made, Draft) and made.place:
            place = made.place
        last = self.last(run, place)
        if isinstance(made, Confirmed):
            if last is None:
                raise LookupError("a confirmation of nothing")
            verdict, item, links = Unchanged(last.item), last.item, last.links
        else:
            verdict, item = self._judge(run, capture, place, made, at)
            links = made.links
        self.seen.append(PlainObservation(run, place, capture, verdict, item, links))
        return verdict

    def last(self, run: Run, place: Place) -> PlainObservation | None:
        own = [s for s in self.seen if s.run.recipe == run.recipe and s.place.key == place.key]
        return max(own, key=lambda s: self.captures.index(s.capture.capture_id), default=None)

    def _judge(
        self, run: Run, capture: CaptureRecord, place: Place, made: Draft, at: datetime
    ) -> tuple[Verdict, Item]:
        last = self.last(run, place)
        same = [item for item in self.items if item.recipe == run.recipe]
        found = Matches(
            current=last.item if last else None,
            by_url=latest(item for item in same if item.place.key == place.key),
            by_content=latest(item for item in same if item.content_sha256 == made.content_sha256),
        )
        name = item_id(run.recipe, place.url, made.content_sha256, capture.capture_id)
        verdict = decide(name, made.content_sha256, found)
        if isinstance(verdict, Unchanged):
            return verdict, verdict.current
        soonest = max((item.created_at + timedelta(microseconds=1) for item in self.items), default=at)
        item = Item(
            item_id=name,
            run_id=run.run_id,
            recipe=run.recipe,
            place=place,
            content_sha256=made.content_sha256,
            capture_id=capture.capture_id,
            created_at=max(at, soonest),
            title=made.title,
        )
        self.items.append(item)
        assert isinstance(verdict, (New, Superseding))
        self.edges += [verdict.edge] if isinstance(verdict, Superseding) else []
        if made.reprocessed_from:
            self.edges.append(Edge(EdgeKind.REPROCESSED_FROM, name, made.reprocessed_from))
        return verdict, item
