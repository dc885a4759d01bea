"""What the works that make a mirror or its items anew from the archive came to."""

from __future__ import annotations

from holdfast.core.ledger import RunStatus
from holdfast.core.values import dataclass

__all__ = ["Moved", "Rebuilt", "Reprocessed"]


@dataclass(frozen=True, slots=True)
class Moved:
    """What a move came to: pages in all, those with another URL, those that another page stands for now."""

    recipe: str
    pages: int = 0
    renamed: int = 0
    merged: int = 0
    flawed: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What a rebuilding came to; `flawed` are pages that could not be made again, each with its reason;
    `moved` is there where the mirror moved to another recipe first; `folder` is what was written; `removed`
    counts files that went, since they were of an earlier copy, or are not asked for any more.
    """

    pages: int = 0
    written: int = 0
    kept: int = 0
    flawed: tuple[tuple[str, str], ...] = ()
    moved: Moved | None = None
    folder: str = ""
    removed: int = 0


@dataclass(frozen=True, slots=True)
class Reprocessed:
    """What a reprocessing came to; `failed` are captures that gave no page, each with its reason."""

    run_id: str
    origin: str
    recipe: str
    status: RunStatus
    resumed: bool
    total: int
    counts: dict[str, int]
    failed: tuple[tuple[str, str], ...]
    seal: str | None
    was_done: bool = False
