r"""Runs, captures, items and the edges between them; what a run has come to, and whether it failed.

1. A run's identity, a capture, an item, an edge are written once and never updated (LIN-1).
2. Ids are functions of their inputs, so a retried write finds itself (LIN-7).
3. Times are aware and in UTC.
4. A run's seal is SHA-256 over one line `<url_key> <content_sha256>\n` for each URL it observed, in the
   order of url keys; where a run observed a URL twice, the last observation counts (LIN-8).

How an incoming item relates to those that are there is decided in `core/lineage/conflict_rules`.

5. A run's tally is what its row tells: how many of what, and how far a crawl has got.

Whether a run of a mirror failed is said by what the ledger has of it: events and exit statuses say the
same.

6. A run failed that ended at an error, at the first failure it was told to end at, or on a full disk.
7. A run that went to its end failed where pages failed and nothing else came of it: no page is new, none
   was there already. That some pages failed is a finding, not a failure.
8. A run that somebody interrupted did not fail.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple

from holdfast.core.base.hashing import ContentHash, SettingsDigest, UrlKey, id_of
from holdfast.core.base.values import dataclass
from holdfast.core.url.policy import Recipe
from holdfast.core.url.url import Place


class Job(StrEnum):
    """What a run does."""

    MIRROR = "mirror"
    TRACK = "track"
    REPROCESS = "reprocess"


@dataclass(frozen=True, slots=True)
class Run:
    """One execution of a job, its resumes included. `label` names the mirror or the checked folder."""

    run_id: str
    job: Job
    recipe: Recipe
    identity_digest: SettingsDigest
    started_at: datetime
    label: str
    reprocessing_of: str | None = None


@dataclass(frozen=True, slots=True)
class RecordRef:
    """Where the archive keeps a capture: file, offset of its first gzip member, length of all its members."""

    file: str
    offset: int
    length: int


class CaptureRecord(NamedTuple):
    """That something was observed, as a row of the ledger. `ref` is None where nothing was kept.

    `url` was asked for and `final_url` answered; `place` is the identity of the two (ID-9).
    """

    capture_id: str
    run_id: str
    url: str
    place: Place
    final_url: str
    status: int
    fetched_at: datetime
    content_type: str
    etag: str | None
    last_modified: str | None
    payload_sha256: str | None
    ref: RecordRef | None

    def kept_at(self, ref: RecordRef | None) -> CaptureRecord:
        """The same capture, kept there. Called for every page: `replace` would take three times as long."""
        return CaptureRecord(
            self.capture_id,
            self.run_id,
            self.url,
            self.place,
            self.final_url,
            self.status,
            self.fetched_at,
            self.content_type,
            self.etag,
            self.last_modified,
            self.payload_sha256,
            ref,
        )


@dataclass(frozen=True, slots=True)
class Item:
    """What one recipe made of a capture."""

    item_id: str
    run_id: str
    recipe: Recipe
    place: Place
    content_sha256: ContentHash
    capture_id: str
    created_at: datetime
    title: str


class EdgeKind(StrEnum):
    """How one item relates to another."""

    SUPERSEDES = "supersedes"
    REPROCESSED_FROM = "reprocessed_from"


@dataclass(frozen=True, slots=True)
class Edge:
    """From the new item to the old one. The metadata keys of `supersedes` are those of LIN-4."""

    kind: EdgeKind
    source: str
    target: str
    metadata: tuple[tuple[str, str | bool | None], ...] = ()

    @property
    def edge_id(self) -> str:
        """A function of kind and ends."""
        return id_of("edge", self.kind, self.source, self.target)


@dataclass(frozen=True, slots=True)
class New:
    """Nothing of this recipe is like it, by URL or by content."""


@dataclass(frozen=True, slots=True)
class Unchanged:
    """Equal to the URL's current item: no new item, the capture is the observation (LIN-2)."""

    current: Item


@dataclass(frozen=True, slots=True)
class Superseding:
    """A new item that supersedes `old`; `edge` says why, and what else matched."""

    old: Item
    edge: Edge

    @property
    def is_change(self) -> bool:
        """Whether the URL itself said something else before; if not, equal text of another URL came first,
        and the page is new.
        """
        return dict(self.edge.metadata).get("canonical_uri_match") is not None


Verdict = New | Unchanged | Superseding


def capture_id(run_id: str, url: str, fetched_at: datetime, status: int, payload_sha256: str | None) -> str:
    """The id of one observation: the same response of the same run, written again, is the same capture."""
    return id_of("capture", run_id, url, fetched_at.isoformat(), str(status), payload_sha256 or "")


def item_id(recipe: Recipe | str, canonical_url: str, content: ContentHash, capture_id: str) -> str:
    """The id of the item that a recipe makes of a capture; who has many writes the recipe once."""
    return id_of("item", str(recipe), canonical_url, content, capture_id)


def seal(observed: Iterable[tuple[UrlKey, ContentHash]]) -> str:
    """The digest of what a run saw; pairs come one per URL, in the order of url keys."""
    digest = hashlib.sha256()
    last = ""
    for key, content in observed:
        if key <= last:
            raise ValueError("a seal needs one pair per URL, in the order of url keys")
        last = key
        digest.update(f"{key} {content}\n".encode())
    return digest.hexdigest()


_MARKS: Final = {
    "discovered": "is_discovered",
    "follow": "follows",
    "update": "is_update",
    "quiet": "is_quiet",
}
"""The names of the marks among the counts, where ledgers keep them."""


@dataclass(frozen=True, slots=True)
class CrawlMarks:
    """How far a crawl has got; None is what it has not said: whether its lists were read, whether it follows
    links, whether it updates a mirror, and whether nothing was new.
    """

    is_discovered: bool | None = None
    follows: bool | None = None
    is_update: bool | None = None
    is_quiet: bool | None = None


@dataclass(frozen=True, slots=True)
class RunTally:
    """Counts by their words, and the marks of a crawl."""

    counts: Mapping[str, int] = field(default_factory=dict)
    marks: CrawlMarks = CrawlMarks()

    def flat(self) -> dict[str, int]:
        """Both in one table of numbers, as ledgers keep it and `holdfast log --runs --json` shows it."""
        said = {word: getattr(self.marks, name) for word, name in _MARKS.items()}
        marks = {word: int(mark) for word, mark in said.items() if mark is not None}
        return dict(sorted({**self.counts, **marks}.items()))

    @classmethod
    def of(cls, flat: Mapping[str, int]) -> RunTally:
        """Read what `flat` made."""
        marks = {name: flat[word] == 1 for word, name in _MARKS.items() if word in flat}
        return cls({word: count for word, count in flat.items() if word not in _MARKS}, CrawlMarks(**marks))


NO_TALLY: Final = RunTally()


class RunStatus(StrEnum):
    """Where a run stands. A run that says `running` while nobody holds the lock was interrupted."""

    RUNNING = "running"
    FINISHED = "finished"
    STOPPED = "stopped"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run and what may change about it: the seal once it has ended, `trouble` where an error ended it."""

    run: Run
    status: RunStatus
    updated_at: datetime
    ended_at: datetime | None = None
    seal: str | None = None
    tally: RunTally = NO_TALLY
    trouble: str = ""


NOT_ASKED: Final = "not asked"
"""The outcome of what a budget left for a later run."""
_DONE: Final = ("already done", "skipped", "too large", "unchanged", NOT_ASKED)
_FAILED: Final = ("failed", "not written")


def failed_pages(outcomes: Mapping[str, int]) -> int:
    """How many pages failed or could not be written."""
    return sum(outcomes.get(word, 0) for word in _FAILED)


def is_empty_handed(pages: int, outcomes: Mapping[str, int]) -> bool:
    """Whether nothing came of a run, and nothing was there already."""
    return not pages and not any(outcomes.get(word) for word in _DONE)


def failure_of(record: RunRecord) -> str | None:
    """Why a run of a mirror failed; None where it did not."""
    if record.run.job is not Job.MIRROR:
        return None
    counts = record.tally.counts
    failed = failed_pages(counts)
    if record.status is RunStatus.FAILED:
        return record.trouble or "it ended early"
    if record.status is RunStatus.FINISHED and failed and is_empty_handed(counts.get("pages", 0), counts):
        return f"everything failed: {failed} {'page' if failed == 1 else 'pages'}"
    return None
