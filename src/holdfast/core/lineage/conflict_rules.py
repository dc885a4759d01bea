"""How an incoming item relates to the items that are there: the conflict rules as a table (LIN-2 … LIN-4).

An incoming item is looked up twice among the items of its own recipe, never of another (VER-4): by its
canonical URL and by its content hash. Of each kind the most recently created counts; on equal time the
larger `item_id`. Then the first row that fits decides:

    content equals the URL's current item                     → Unchanged
    by content   by URL    same item?                           selected           conflict_resolved
    none         none                                         → New
    none         B                                            → canonical_uri      no
    A            none                                         → content_sha256     no
    A            B         yes                                → content_sha256     no
    A            B         no                                 → content_sha256     yes

The current item of a URL comes from the URL's own captures (LIN-5), so it is handed in, not found here:
content wins, so the newest item in a chain may be another URL's.

Judging a batch of findings: what was looked up goes in, rows come out. Every ledger shares this law and
adds none of its own; what a row is in a database is the adapter's.

1. What a batch needs to know is asked in two steps: `first_questions`, and `next_questions` once those are
   answered. Nothing else has to be looked up.
2. Findings are judged in their order, each as if those before it were written already. So equal content
   that arrives in one batch forms a chain, not a fan.
3. A capture that was written before under the same recipe is not observed again: its verdict is the one it
   was given then (LIN-7).
4. A confirmation (a 304) shows what its URL showed last, links included; where nothing is known of the URL,
   it is refused.
5. A draft that says what its URL showed last is unchanged; any other makes an item, by the table.
6. Items are created in strict order: an item's time is the caller's, or one microsecond after the newest
   item's, whichever is later. So "the most recently created" is never a matter of chance.
7. What a URL showed last is what its last capture in order shows (LIN-5, LIN-10): the one judged last,
   unless it was brought from elsewhere, and stands before others (`core/web/rank`). What is brought is
   judged by what stands before it; where nothing does, by what its URL showed last.
8. Links that are those of the URL's last observation are not written again: the new observation names the
   one that holds them.
9. A file needs something observed; a confirmation without a file moves the times of the file that is there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import timedelta
from enum import StrEnum
from typing import Final, NamedTuple

from holdfast.core.base.errors import LedgerError
from holdfast.core.base.hashing import ContentHash, UrlKey, links_digest
from holdfast.core.base.values import dataclass
from holdfast.core.lineage.batch import (
    Batch,
    CaptureRow,
    EdgeRow,
    FirstQuestions,
    ItemRow,
    Judged,
    Known,
    NextQuestions,
    Numbered,
    Numbers,
    ObservationRow,
    PageRow,
    SeenAgain,
    Shown,
)
from holdfast.core.lineage.ledger_values import Confirmed, Draft, Finding
from holdfast.core.lineage.lineage import (
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
from holdfast.core.url.url import Place
from holdfast.core.web.rank import brought_rank, own_rank

EDGE_KEYS: Final = ("reason", "conflict_resolved", "canonical_uri_match", "content_sha256_match", "selected")
"""The metadata of a `supersedes` edge: these keys, in this order, and no others (LIN-4)."""


class Reason(StrEnum):
    """Why one item supersedes another."""

    CONTENT = "same_content_sha256"
    URL = "same_canonical_uri"


class Selected(StrEnum):
    """Which look-up found the item that is superseded."""

    CONTENT = "content_sha256"
    URL = "canonical_uri"


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table: what was found, and what follows. `selected` is None where nothing was."""

    by_content: bool
    by_url: bool
    same_item: bool
    selected: Selected | None
    conflict_resolved: bool = False


TABLE: Final = (
    Row(by_content=False, by_url=False, same_item=False, selected=None),
    Row(by_content=False, by_url=True, same_item=False, selected=Selected.URL),
    Row(by_content=True, by_url=False, same_item=False, selected=Selected.CONTENT),
    Row(by_content=True, by_url=True, same_item=True, selected=Selected.CONTENT),
    Row(by_content=True, by_url=True, same_item=False, selected=Selected.CONTENT, conflict_resolved=True),
)
_ROWS: Final = {(row.by_content, row.by_url, row.same_item): row for row in TABLE}
_REASONS: Final = {Selected.CONTENT: Reason.CONTENT, Selected.URL: Reason.URL}


class Matches(NamedTuple):
    """What the two look-ups found, and the URL's current item; all of the incoming item's recipe."""

    current: Item | None
    by_url: Item | None
    by_content: Item | None


def decide(item_id: str, content: ContentHash, found: Matches) -> Verdict:
    """The verdict on an incoming item."""
    if found.current is not None and found.current.content_sha256 == content:
        return Unchanged(found.current)
    row = _row(found)
    old = found.by_content if row.selected is Selected.CONTENT else found.by_url
    if row.selected is None or old is None:
        return New()
    metadata = (
        ("reason", str(_REASONS[row.selected])),
        ("conflict_resolved", row.conflict_resolved),
        ("canonical_uri_match", found.by_url.item_id if found.by_url else None),
        ("content_sha256_match", found.by_content.item_id if found.by_content else None),
        ("selected", str(row.selected)),
    )
    return Superseding(old, Edge(EdgeKind.SUPERSEDES, item_id, old.item_id, metadata))


def latest(items: Iterable[Item]) -> Item | None:
    """The most recently created; on equal time the one with the larger id (LIN-3)."""
    return max(items, key=lambda item: (item.created_at, item.item_id), default=None)


def _row(found: Matches) -> Row:
    a, b = found.by_content, found.by_url
    return _ROWS[a is not None, b is not None, a is not None and b is not None and a.item_id == b.item_id]


_INSTANT: Final = timedelta(microseconds=1)


def first_questions(findings: Sequence[Finding]) -> FirstQuestions:
    """What has to be known of every finding."""
    captured = [(f.capture, f.made) for f in findings if f.capture is not None]
    return FirstQuestions(
        tuple([capture.capture_id for capture, _ in captured]),
        tuple([_captured_place(capture) for capture, _ in captured]),
        tuple([_shown_place(capture, made) for capture, made in captured if made is not None]),
        tuple(
            [
                (f.capture, _shown_place(f.capture, f.made) if f.made is not None else None)
                for f in findings
                if f.is_brought and f.capture is not None
            ]
        ),
    )


def next_questions(
    findings: Sequence[Finding], captures: Collection[str], last: Mapping[UrlKey, Shown]
) -> NextQuestions:
    """What has to be known besides: the contents that may be new to their URL, and what goes with them."""
    drafts: dict[UrlKey, list[ContentHash]] = {}
    brought: set[UrlKey] = set()
    again = []
    for finding in findings:
        capture, made = finding.capture, finding.made
        if capture is None or made is None:
            continue
        if capture.capture_id in captures:
            again.append(capture.capture_id)
        if isinstance(made, Draft):
            key = _shown_place(capture, made).key
            drafts.setdefault(key, []).append(made.content_sha256)
            brought |= {key} if finding.is_brought else set()
    contents: dict[ContentHash, None] = {}
    urls = []
    for key, said in drafts.items():
        before = last.get(key)
        if before is None:
            contents |= dict.fromkeys(said)
        elif len(said) > 1 or said[0] != before.item.content_sha256 or key in brought:
            contents |= dict.fromkeys(said)
            urls.append(key)
    return NextQuestions(tuple(contents), tuple(urls), tuple(again))


def judge(batch: Batch, known: Known, numbers: Numbers) -> Judged:
    """All rows of a batch."""
    judging = _Judging(batch, known, numbers)
    for finding in batch.findings:
        judging.take(finding)
    return judging.judged


class _Incoming(NamedTuple):
    """A capture under judgement, and the place it speaks of."""

    known: Numbered
    capture: CaptureRecord
    place: Place


class _Judging:
    """What a batch knows and gathers: what earlier findings bring stands beside what was looked up."""

    def __init__(self, batch: Batch, known: Known, numbers: Numbers) -> None:
        self.judged = Judged()
        self._batch = batch
        self._recipe_text = str(batch.recipe)
        self._numbers = numbers
        self._captures = dict(known.captures)
        self._anchors, self._before = known.anchors, known.before
        self._brought: dict[UrlKey, list[Shown]] = {}
        self._last = dict(known.last)
        self._by_content = dict(known.by_content)
        self._by_url = dict(known.by_url)
        self._again = dict(known.again)
        self._newest = known.newest

    def take(self, finding: Finding) -> None:
        """Judge one finding."""
        capture, made = finding.capture, finding.made
        verdict: Verdict | None = None
        seen: SeenAgain | None = None
        if capture is not None:
            known, is_new = self._number_of(capture, is_brought=finding.is_brought)
            if made is not None:
                incoming = _Incoming(known, capture, _shown_place(capture, made))
                again = None if is_new else self._again.get(capture.capture_id)
                if again is not None:
                    verdict, seen = _verdict_then(again, capture), again
                else:
                    verdict, seen = self._observe(incoming, made)
        elif made is not None:
            raise LedgerError("a finding that made something has no capture")
        self.judged.verdicts.append(verdict)
        self._check_out(finding, seen)

    def _number_of(self, capture: CaptureRecord, *, is_brought: bool) -> tuple[Numbered, bool]:
        """The capture's number and rank, and whether it is new."""
        name = capture.capture_id
        known = self._captures.get(name)
        if known is not None:
            return known, False
        number = next(self._numbers.captures)
        rank = brought_rank(self._anchors[name], capture.fetched_at) if is_brought else own_rank(number)
        known = self._captures[name] = Numbered(number, rank)
        self.judged.captures.append(CaptureRow(number, rank, capture))
        return known, True

    def _observe(self, incoming: _Incoming, made: Draft | Confirmed) -> tuple[Verdict, SeenAgain]:
        """What a capture shows under the run's recipe."""
        last = self._last.get(incoming.place.key)
        before = last if incoming.known.rank.is_own else self._shown_before(incoming) or last
        if isinstance(made, Draft):
            verdict, item_number, item = self._item_of(incoming, made, (before, last))
            digest, links = made.links_digest or links_digest(made.links), made.links
            links_of = before.links_of if before is not None and before.links_digest == digest else None
        elif before is None:
            raise LedgerError(f"{incoming.place.url} was not modified, but nothing is known of it")
        else:
            verdict, item_number, item = Unchanged(before.item), before.item_number, before.item
            digest, links, links_of = before.links_digest, (), before.links_of
        row = ObservationRow(
            number=next(self._numbers.observations),
            capture_number=incoming.known.number,
            rank=incoming.known.rank,
            capture=incoming.capture,
            place=incoming.place,
            item_number=item_number,
            item=item,
            links_digest=digest,
            links_of=links_of,
            links=links if links_of is None else (),
        )
        self.judged.observations.append(row)
        shown = row.shown
        if not shown.rank.is_own:
            self._brought.setdefault(incoming.place.key, []).append(shown)
        if last is None or shown.rank >= last.rank:
            self._last[incoming.place.key] = shown
        return verdict, self._remember(incoming, shown, verdict)

    def _shown_before(self, incoming: _Incoming) -> Shown | None:
        """What a URL showed before a capture that is brought."""
        looked_up = self._before.get(incoming.capture.capture_id)
        known = [*([looked_up] if looked_up else []), *self._brought.get(incoming.place.key, ())]
        earlier = [shown for shown in known if shown.rank <= incoming.known.rank]
        return max(reversed(earlier), key=lambda shown: shown.rank, default=None)

    def _remember(self, incoming: _Incoming, shown: Shown, verdict: Verdict) -> SeenAgain:
        """The same capture may come again in the batch."""
        superseded = (verdict.old, verdict.edge) if isinstance(verdict, Superseding) else None
        seen = SeenAgain(incoming.place, shown.item_number, shown.item, shown.links_of, superseded)
        self._again[incoming.capture.capture_id] = seen
        return seen

    def _item_of(
        self, incoming: _Incoming, made: Draft, known: tuple[Shown | None, Shown | None]
    ) -> tuple[Verdict, int, Item]:
        """The verdict on a draft, and the item it stands for: the one that is there, or the one it makes.
        `known` is what its URL showed before it, and what it showed last.
        """
        content, key = made.content_sha256, incoming.place.key
        for shown in known:
            if shown is not None and shown.item.content_sha256 == content:
                return Unchanged(shown.item), shown.item_number, shown.item
        last, item = known[1], self._fresh(incoming, made)
        found = Matches(last.item if last else None, self._by_url.get(key), self._by_content.get(content))
        verdict = decide(item.item_id, content, found)
        number = next(self._numbers.items)
        self._newest = item.created_at
        self._by_url[key] = self._by_content[content] = item
        self.judged.items.append(ItemRow(number, item, incoming.known.number, made.sections))
        if isinstance(verdict, Superseding):
            self.judged.edges.append(EdgeRow(number, verdict.edge))
        if made.reprocessed_from:
            origin = Edge(EdgeKind.REPROCESSED_FROM, item.item_id, made.reprocessed_from)
            self.judged.edges.append(EdgeRow(number, origin))
        return verdict, number, item

    def _fresh(self, incoming: _Incoming, made: Draft) -> Item:
        """The item that a draft makes."""
        batch, place, capture = self._batch, incoming.place, incoming.capture
        at, newest = batch.at, self._newest
        return Item(
            item_id=item_id(self._recipe_text, place.url, made.content_sha256, capture.capture_id),
            run_id=batch.run_id,
            recipe=batch.recipe,
            place=place,
            content_sha256=made.content_sha256,
            capture_id=capture.capture_id,
            created_at=at if newest is None or at > newest else newest + _INSTANT,
            title=made.title,
        )

    def _check_out(self, finding: Finding, seen: SeenAgain | None) -> None:
        """What a finding does to the mirror's file."""
        facts, capture = finding.page, finding.capture
        if seen is None or capture is None:
            if facts is not None:
                raise LedgerError(f"the page {facts.path} comes with nothing observed")
            return
        confirmed = isinstance(finding.made, Confirmed)
        if facts is not None or confirmed:
            observed = (seen.item_number, seen.item, seen.links_of)
            self.judged.pages.append(PageRow(seen.place, facts, confirmed, *observed, capture))


def _verdict_then(again: SeenAgain, capture: CaptureRecord) -> Verdict:
    """The verdict that was given when this capture was first written."""
    if again.item.capture_id != capture.capture_id:
        return Unchanged(again.item)
    return New() if again.superseded is None else Superseding(*again.superseded)


def _captured_place(capture: CaptureRecord) -> Place:
    """The identity of a capture (ID-9)."""
    return capture.place


def _shown_place(capture: CaptureRecord, made: Draft | Confirmed) -> Place:
    """The place that a finding speaks of: a reprocessing run has a policy of its own (VER-5)."""
    own = made.place if isinstance(made, Draft) else None
    return own or _captured_place(capture)
