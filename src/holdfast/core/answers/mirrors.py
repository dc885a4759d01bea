"""What a state folder holds: runs, mirrors, and the pages of a mirror."""

from __future__ import annotations

from datetime import datetime

from holdfast.core.hashing import ContentHash
from holdfast.core.ledger import NOTHING_BROUGHT, Brought, RunRecord
from holdfast.core.values import dataclass

__all__ = ["MirrorOverview", "MirrorPage", "RunList"]


@dataclass(frozen=True, slots=True)
class RunList:
    """Runs, the latest first; one that nobody goes on with says `interrupted`. Of a part also after which run
    the next begins.
    """

    runs: tuple[RunRecord, ...]
    next: str | None = None


@dataclass(frozen=True, slots=True)
class MirrorOverview:
    """A mirror: its name in the ledger, how many pages it has, how many of them are gone, its last run and
    what that brought, how many bytes its pages are.
    """

    label: str
    pages: int
    gone: int
    last_run: RunRecord
    size: int = 0
    brought: Brought = NOTHING_BROUGHT


@dataclass(frozen=True, slots=True)
class MirrorPage:
    """A page of a mirror: where it is from, where it lies, what it says.

    `gone_at` is set while the site no longer has it.
    """

    label: str
    url: str
    path: str
    title: str
    size: int
    depth: int
    fetched_at: datetime
    content_sha256: ContentHash
    item_id: str
    warnings: tuple[str, ...] = ()
    gone_at: datetime | None = None
