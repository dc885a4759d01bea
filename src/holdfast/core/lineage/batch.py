"""A batch of findings on its way into a ledger: what is asked about it, what is known, the rows it becomes.

What follows from what is decided in `core/lineage/conflict_rules`. Rows name each other by number, and URLs
by their place.

`Response` is an answer on its way to the archive. `Effect` is all that follows from one result, as one
value: what the ledger is told, what the archive keeps, what the folder holds after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import NamedTuple

from holdfast.core.base.hashing import ContentHash, UrlKey
from holdfast.core.base.values import dataclass
from holdfast.core.lineage.ledger_values import Finding, PageFacts, PageLink
from holdfast.core.lineage.lineage import CaptureRecord, Edge, Item, RecordRef, Verdict
from holdfast.core.page.section import KeptSection
from holdfast.core.url.policy import Recipe
from holdfast.core.url.url import Place
from holdfast.core.web.capture import Capture
from holdfast.core.web.rank import Rank


class Batch(NamedTuple):
    """Findings of one run, to be written together."""

    run_id: str
    recipe: Recipe
    findings: Sequence[Finding]
    at: datetime


class FirstQuestions(NamedTuple):
    """Which captures are there already, and what did these places show last under the run's recipe?

    `captured` are the places of the captures themselves: rows will name them. Behind which capture of its URL
    does each stand that is `brought`, and what did the place that it speaks of, if any, show before it?
    """

    captures: tuple[str, ...]
    captured: tuple[Place, ...]
    shown: tuple[Place, ...]
    brought: tuple[tuple[CaptureRecord, Place | None], ...] = ()


class NextQuestions(NamedTuple):
    """Which is the newest item of each of these contents, and of each of these URLs? What did these captures,
    which are there already, show? All under the run's recipe.
    """

    contents: tuple[ContentHash, ...]
    urls: tuple[UrlKey, ...]
    again: tuple[str, ...]


class Shown(NamedTuple):
    """What a URL showed last, or before something: an item, and the number of the observation that holds its
    links.
    """

    item_number: int
    item: Item
    links_of: int
    links_digest: bytes
    rank: Rank


class Numbered(NamedTuple):
    """A capture that is there: its number, and its place among those of its URL."""

    number: int
    rank: Rank


class SeenAgain(NamedTuple):
    """What a capture that is there already showed; `superseded` is what its item superseded, and the edge."""

    place: Place
    item_number: int
    item: Item
    links_of: int
    superseded: tuple[Item, Edge] | None


@dataclass(frozen=True, slots=True)
class Known:
    """The answers: captures that are there, what URLs showed last, newest items, when the newest was created;
    `anchors` are the numbers of the captures behind which those stand that are brought, `before` is what
    their URLs showed before them.
    """

    captures: Mapping[str, Numbered]
    last: Mapping[UrlKey, Shown]
    by_content: Mapping[ContentHash, Item]
    by_url: Mapping[UrlKey, Item]
    again: Mapping[str, SeenAgain]
    newest: datetime | None
    anchors: Mapping[str, int] = field(default_factory=dict)
    before: Mapping[str, Shown] = field(default_factory=dict)


class Numbers(NamedTuple):
    """Where the numbers of new rows come from; nobody else may use those that are taken."""

    captures: Iterator[int]
    items: Iterator[int]
    observations: Iterator[int]


class CaptureRow(NamedTuple):
    """A capture that was not there."""

    number: int
    rank: Rank
    record: CaptureRecord


class ItemRow(NamedTuple):
    """A new item, the number of the capture that it was made of, and its sections."""

    number: int
    item: Item
    capture_number: int
    sections: tuple[KeptSection, ...] = ()


class EdgeRow(NamedTuple):
    """A new edge; `item_number` is that of its source."""

    item_number: int
    edge: Edge


class ObservationRow(NamedTuple):
    """What a capture showed; its links are those of `links_of`, or, where that is None, its own."""

    number: int
    capture_number: int
    rank: Rank
    capture: CaptureRecord
    place: Place
    item_number: int
    item: Item
    links_digest: bytes
    links_of: int | None
    links: tuple[PageLink, ...]

    @property
    def shown(self) -> Shown:
        """What its URL showed by it."""
        holder = self.number if self.links_of is None else self.links_of
        return Shown(self.item_number, self.item, holder, self.links_digest, self.rank)


class PageRow(NamedTuple):
    """What happens to the mirror's file of a URL; without facts only its times move.

    A confirmation has no type and may repeat no validators: what is known of the answer stays.
    """

    place: Place
    facts: PageFacts | None
    is_confirmed: bool
    item_number: int
    item: Item
    links_of: int
    capture: CaptureRecord


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of each finding, None where it made nothing; and the rows to write, each list in order."""

    verdicts: list[Verdict | None] = field(default_factory=list)
    captures: list[CaptureRow] = field(default_factory=list)
    items: list[ItemRow] = field(default_factory=list)
    edges: list[EdgeRow] = field(default_factory=list)
    observations: list[ObservationRow] = field(default_factory=list)
    pages: list[PageRow] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Response:
    """An answer, whose it is, and where the archive has it, if it has. `confirms` is the hash of the body
    that a 304 confirms, where that is not simply the last one of the place; `told`: its addresses are for
    others to read (SEC-3).
    """

    capture: Capture
    place: Place
    ref: RecordRef | None = None
    confirms: str | None = None
    told: bool = False


_NOTHING = Finding()


@dataclass(frozen=True, slots=True)
class Effect:
    """`finding.capture` is made of `response` by whoever archives it. `beside` is another answer that it
    rests on: archived, no more. `processed` are lines of `_processed.txt`, `log` is one of `_failed.log`.
    """

    finding: Finding = _NOTHING
    response: Response | None = None
    beside: Response | None = None
    files: tuple[tuple[str, bytes], ...] = ()
    obsolete: tuple[str, ...] = ()
    processed: tuple[str, ...] = ()
    log: str = ""

    @property
    def weight(self) -> int:
        """How many bytes of answers it holds."""
        response, beside = self.response, self.beside
        weight = len(response.capture.body) if response is not None else 0
        return weight if beside is None else weight + len(beside.capture.body)
