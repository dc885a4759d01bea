"""What was made anew from the archive: values, JSON, words.

Of pages that failed the words name a few; the JSON has all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from holdfast.core.base.figures import counted, short
from holdfast.core.base.json_shape import (
    BOOLEAN,
    HASH,
    INTEGER,
    RECIPE_TEXT,
    TEXT,
    WEB_URL,
    Schema,
    Shape,
    array,
    at,
    counts_of,
    one_of,
    optional,
    record,
    sometimes,
)
from holdfast.core.base.values import dataclass
from holdfast.core.lineage.lineage import RunStatus

if TYPE_CHECKING:
    pass


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


def _pairs(url: Shape) -> Shape:
    """URLs, each with the reason why it could not be made."""
    return array(record(url=at(lambda pair: pair[0], url), why=at(lambda pair: pair[1], TEXT)))


RESTORE: Final = Schema(
    "restore",
    "What `holdfast restore --json` prints.",
    record(
        folder=TEXT,
        pages=INTEGER,
        written=INTEGER,
        kept=INTEGER,
        removed=INTEGER,
        flawed=_pairs(TEXT),
        moved=sometimes(
            "moved",
            record(normalization_version=at("recipe", RECIPE_TEXT), renamed=INTEGER, merged=INTEGER),
        ),
    ),
)

STORE_REPROCESS: Final = Schema(
    "store-reprocess",
    "What `holdfast store reprocess --json` prints.",
    record(
        run_id=HASH,
        reprocessing_of_run_id=at("origin", HASH),
        normalization_version=at("recipe", RECIPE_TEXT),
        status=one_of((RunStatus.FINISHED, RunStatus.INTERRUPTED)),
        resumed=BOOLEAN,
        total=INTEGER,
        counts=counts_of(),
        failed=_pairs(WEB_URL),
        seal=optional(HASH),
    ),
)


_FEW = 20
"""Pages that failed which are named; the JSON has all."""


def rebuilt_lines(done: Rebuilt, folder: str) -> Iterator[str]:
    """What was written of a mirror's folder."""
    if (moved := done.moved) is not None:
        merged = f"{moved.merged} are one with another"
        yield f"{folder}: moved to {moved.recipe}: {moved.renamed} renamed, {merged}"
    pages, written = counted(done.pages, "page"), counted(done.written, "file")
    removed = f", {done.removed} removed" if done.removed else ""
    yield f"{folder}: {pages}, {written} written, {done.kept} as they were{removed}"
    yield from (f"  not rebuilt  {url}: {why}" for url, why in done.flawed[:_FEW])


def reprocessed_lines(done: Reprocessed) -> Iterator[str]:
    """What another recipe made of a run's captures."""
    counts = ", ".join(f"{count} {word}" for word, count in done.counts.items())
    state = "nothing to do, this was done before" if done.was_done else done.status
    some = "" if done.status is RunStatus.FINISHED else f"{sum(done.counts.values())} more of "
    total = counted(done.total, "capture")
    yield f"{state}: {some}{total} of run {short(done.origin)} under {done.recipe}"
    yield f"  run {short(done.run_id)}: {counts}"
    yield from (f"  failed  {url}: {why}" for url, why in done.failed[:_FEW])
