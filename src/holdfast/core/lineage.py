"""Runs, captures, items and the edges between them.

1. Nothing here is ever updated: a run's identity, a capture, an item, an edge are written once (LIN-1).
2. Ids are functions of their inputs, so a retried write finds itself (LIN-7).
3. Times are aware and in UTC.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from holdfast.core.hashing import ContentHash, SettingsDigest, UrlKey, id_of
from holdfast.core.recipe import Recipe

__all__ = [
    "CaptureRecord",
    "Edge",
    "EdgeKind",
    "Item",
    "Job",
    "New",
    "RecordRef",
    "Run",
    "Superseding",
    "Unchanged",
    "Verdict",
    "item_id",
]


class Job(StrEnum):
    """What a run does."""

    MIRROR = "mirror"
    TRACK = "track"
    REPROCESS = "reprocess"


@dataclass(frozen=True, slots=True)
class Run:
    """One execution of a job, its resumes included."""

    run_id: str
    job: Job
    recipe: Recipe
    identity_digest: SettingsDigest
    started_at: datetime
    label: str
    reprocessing_of: str | None = None


@dataclass(frozen=True, slots=True)
class RecordRef:
    """Where the archive keeps a record: file, offset of its gzip member, length of that member."""

    file: str
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class CaptureRecord:
    """That something was observed, as a row of the ledger. `ref` is None where no body was kept."""

    capture_id: str
    run_id: str
    url: str
    url_key: UrlKey
    web_key: UrlKey
    final_url: str
    status: int
    fetched_at: datetime
    content_type: str
    etag: str | None
    last_modified: str | None
    payload_sha256: str | None
    ref: RecordRef | None


@dataclass(frozen=True, slots=True)
class Item:
    """What one recipe made of a capture."""

    item_id: str
    run_id: str
    recipe: Recipe
    canonical_url: str
    url_key: UrlKey
    web_key: UrlKey
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


Verdict = New | Unchanged | Superseding


def item_id(recipe: Recipe, canonical_url: str, content: ContentHash, capture_id: str) -> str:
    """The id of the item that a recipe makes of a capture."""
    return id_of("item", str(recipe), canonical_url, content, capture_id)
