"""Runs, mirrors, and the pages of a mirror."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

from holdfast.core.answers.mirrors import MirrorOverview, MirrorPage, RunList
from holdfast.core.errors import UsageError
from holdfast.core.ledger import RunRecord, RunStatus, StoredPage
from holdfast.core.lineage import Job
from holdfast.core.row_limit import row_limit
from holdfast.ports import Ledger

__all__ = [
    "KNOWS_NONE",
    "mirror_labels",
    "mirror_page",
    "mirror_pages",
    "mirrors",
    "require_mirror",
    "runs",
]


def runs(
    ledger: Ledger,
    *,
    is_idle: bool,
    label: str | None = None,
    job: Job | None = None,
    limit: int | None = 20,
) -> RunList:
    """Runs, the latest first. Where nobody holds the state folder (`is_idle`), what says it is running was
    interrupted.
    """
    found = islice(ledger.runs.latest_first(label=label, job=job), row_limit(limit))
    return RunList(tuple(_settled(record, is_idle=is_idle) for record in found))


def _settled(record: RunRecord, *, is_idle: bool) -> RunRecord:
    if is_idle and record.status is RunStatus.RUNNING:
        return replace(record, status=RunStatus.INTERRUPTED)
    return record


def mirrors(ledger: Ledger, *, is_idle: bool) -> tuple[MirrorOverview, ...]:
    """The mirrors that a ledger knows, by their labels."""
    last: dict[str, RunRecord] = {}
    for record in ledger.runs.latest_first(job=Job.MIRROR):
        last.setdefault(record.run.label, record)
    return tuple(
        _overview(ledger, label, _settled(record, is_idle=is_idle)) for label, record in sorted(last.items())
    )


def _overview(ledger: Ledger, label: str, record: RunRecord) -> MirrorOverview:
    counts = ledger.pages.count(label)
    brought = ledger.history.count_brought(record.run.run_id)
    return MirrorOverview(label, counts.pages, counts.gone, record, counts.size, brought)


def mirror_pages(
    ledger: Ledger, label: str, after: str = "", *, only_gone: bool = False
) -> Iterator[MirrorPage]:
    """The pages of a mirror, in the order of their paths, one after the other, from the first after one; all,
    or those that are gone.
    """
    require_mirror(ledger, label)
    for page in ledger.pages.by_path(label, after, only_gone=only_gone):
        yield mirror_page(label, page)


def mirror_page(label: str, page: StoredPage) -> MirrorPage:
    """A page as a mirror has it."""
    facts = page.facts
    return MirrorPage(
        label=label,
        url=page.place.url,
        path=facts.path,
        title=page.title,
        size=facts.size,
        depth=facts.depth,
        fetched_at=page.fetched_at,
        content_sha256=page.content_sha256,
        item_id=page.item_id,
        warnings=facts.warnings,
        gone_at=page.gone_at,
    )


KNOWS_NONE: Final = (
    "it knows none; if the ledger was lost, `holdfast db rebuild` makes it from the archive and its orphans"
)


def mirror_labels(ledger: Ledger) -> frozenset[str]:
    """What a ledger calls its mirrors."""
    return frozenset(record.run.label for record in ledger.runs.latest_first(job=Job.MIRROR))


def require_mirror(ledger: Ledger, label: str) -> None:
    """An error that names the mirrors there are, where a ledger does not know this one."""
    if next(ledger.runs.latest_first(label=label), None) is None:
        known = sorted(mirror_labels(ledger))
        raise UsageError(
            f"the ledger does not know a mirror {label!r}",
            hint=f"it knows {', '.join(map(repr, known))}" if known else KNOWS_NONE,
        )
