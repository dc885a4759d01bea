"""What is known of runs and of the pages of a mirror.

Asked here is also what a mirror is made with: its last run, and the moment that a date or a run names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from holdfast.core.base.errors import UsageError
from holdfast.core.base.figures import counted, counted_by, rows, short, when
from holdfast.core.base.hashing import ContentHash
from holdfast.core.base.json_shape import (
    COUNT,
    DATE_TIME,
    HASH,
    INTEGER,
    RECIPE,
    TEXT,
    WEB_URL,
    Schema,
    array,
    at,
    mapping,
    one_of,
    optional,
    record,
)
from holdfast.core.base.values import dataclass
from holdfast.core.lineage.ledger_values import Brought, StoredPage
from holdfast.core.lineage.lineage import Job, Run, RunRecord, RunStatus
from holdfast.core.lineage.versions import moment_of

if TYPE_CHECKING:
    from holdfast.questions.rows.question import Paint
    from holdfast.storage.ledger.ledger import Ledger


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


def latest_runs(
    ledger: Ledger, *, is_idle: bool, label: str | None = None, job: Job | None = None
) -> Iterator[RunRecord]:
    """Runs, the latest first. Where nobody writes (`is_idle`), what says it is running was interrupted."""
    return (as_interrupted(each, is_idle=is_idle) for each in ledger.runs.latest_first(label=label, job=job))


def as_interrupted(record: RunRecord, *, is_idle: bool) -> RunRecord:
    """A run that says it is running, where nobody writes, was interrupted."""
    if is_idle and record.status is RunStatus.RUNNING:
        return replace(record, status=RunStatus.INTERRUPTED)
    return record


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
    "it knows none; if the ledger was lost, `holdfast store rebuild` makes it from the archive and its "
    "orphans"
)


def mirror_labels(ledger: Ledger) -> frozenset[str]:
    """What a ledger calls its mirrors."""
    return ledger.runs.labels(Job.MIRROR)


def require_mirror(ledger: Ledger, label: str) -> None:
    """An error that names the mirrors there are, where a ledger does not know this one."""
    if next(ledger.runs.latest_first(label=label), None) is None:
        known = sorted(mirror_labels(ledger))
        raise UsageError(
            f"the ledger does not know a mirror {label!r}",
            hint=f"it knows {', '.join(map(repr, known))}" if known else KNOWS_NONE,
        )


def last_mirror_run(ledger: Ledger, label: str, moment: datetime | None = None) -> RunRecord | None:
    """A mirror's last run, or the last one that had begun at a moment."""
    runs = ledger.runs.latest_first(label=label, job=Job.MIRROR)
    return next((record for record in runs if moment is None or record.run.started_at <= moment), None)


def last_run_of_mirrors(ledger: Ledger) -> tuple[Run | None, set[str]]:
    """The last run of any mirror, and the labels of all of them."""
    known = [record.run for record in ledger.runs.latest_first(job=Job.MIRROR)]
    return known[0] if known else None, {run.label for run in known}


def mirror_run(ledger: Ledger, label: str, moment: datetime | None = None) -> RunRecord:
    """The same, of a mirror that there is."""
    each = last_mirror_run(ledger, label, moment)
    if each is None:
        raise UsageError(
            f"the ledger has no run of a mirror {label!r}", hint="`holdfast log --runs` lists the runs"
        )
    return each


def first_scheme(ledger: Ledger, label: str) -> str:
    """The scheme of a mirror's first page."""
    first = next((page.place.url for page in ledger.pages.by_path(label)), "https:")
    return first.partition(":")[0]


def moment_in_mirror(ledger: Ledger, label: str, at: str) -> datetime:
    """When a date or a run says, if there was a mirror by then."""
    moment = moment_of(at)
    if moment is None:
        each = ledger.runs.run(at)
        if each is None:
            raise UsageError(
                f"{at!r} is neither a date nor the beginning of a run's id",
                hint="such as 2026-05-04 or 2026-05-04T12:00; `holdfast log --runs` lists the runs",
            )
        moment = each.ended_at or each.updated_at
    runs = ledger.runs.latest_first(label=label, job=Job.MIRROR)
    first = min(runs, key=lambda each: each.run.started_at)
    if first.run.started_at > moment:
        raise UsageError(
            f"there was no mirror yet at {moment:%Y-%m-%d %H:%M:%S} UTC",
            hint=f"its first run began at {first.run.started_at:%Y-%m-%d %H:%M:%S} UTC",
        )
    return moment


RUN: Final = record(
    run_id=at("run.run_id", HASH),
    job=at("run.job", one_of(Job)),
    label=at("run.label", TEXT),
    status=one_of(RunStatus),
    started_at=at("run.started_at", DATE_TIME),
    ended_at=optional(DATE_TIME),
    normalization_version=at("run.recipe", RECIPE),
    identity_digest=at("run.identity_digest", HASH),
    reprocessing_of_run_id=at("run.reprocessing_of", optional(HASH)),
    seal=optional(HASH),
    summary=at(lambda record: record.tally.flat(), mapping(INTEGER)),
)

PAGES: Final = Schema(
    "pages",
    "A page of a mirror, one a line.",
    record(
        label=TEXT,
        url=WEB_URL,
        path=TEXT,
        title=TEXT,
        size=COUNT,
        depth=COUNT,
        fetched_at=DATE_TIME,
        content_sha256=HASH,
        item_id=HASH,
        warnings=array(TEXT),
        gone_at=optional(DATE_TIME),
    ),
    is_line=True,
)


_OWN_NOTES: Final = {"page", "processed"}
"""What a run notes for the next one, and the JSON has; nobody asked for it."""
_REASON: Final = "refused: "
"""How a count of what was refused for one reason begins; all of them together are `refused`."""
_COLOURS: Final = {RunStatus.FINISHED: "green", RunStatus.FAILED: "red", RunStatus.INTERRUPTED: "yellow"}


def run_lines(runs: Sequence[RunRecord], paint: Paint) -> Iterator[str]:
    """A table of runs."""
    table = [("RUN", "STARTED", "JOB", "STATUS", "SEAL", "LABEL", "COUNTS")]
    for each in runs:
        counts = counts_in_words(each.tally.counts)
        facts = (short(each.run.run_id), when(each.run.started_at), each.run.job, str(each.status))
        table.append((*facts, short(each.seal or "-"), each.run.label, counts))
    head, *lines = rows(table)
    yield paint(head, "bold")
    for line, each in zip(lines, runs, strict=True):
        colour = _COLOURS.get(each.status)
        yield line.replace(str(each.status), paint(str(each.status), colour), 1) if colour else line


def counts_in_words(summary: Mapping[str, int]) -> str:
    """What a run came to, without what it noted for itself: `2 pages, 1 failed, 3 refused (3 robots)`."""
    told = {name: count for name, count in summary.items() if count and name not in _OWN_NOTES}
    why = {name.removeprefix(_REASON): told.pop(name) for name in list(told) if name.startswith(_REASON)}
    reasons = f" ({', '.join(f'{count} {reason}' for reason, count in why.items())})" if why else ""
    pages = [counted(told.pop("pages"), "page")] if "pages" in told else []
    others = (
        counted_by(count, name.replace("_", " ")) + (reasons if name == "refused" else "")
        for name, count in told.items()
    )
    return ", ".join([*pages, *others]) or "-"


def outcome_in_words(record: RunRecord, brought: Brought) -> list[str]:
    """What a run came to at a glance. Of a mirror what it brought (`14 changed`, `2 failed`): a page that
    was asked for may say what it said before; of others all that it counted.
    """
    counts = record.tally.counts
    if record.run.job is not Job.MIRROR:
        return [counted_by(count, name.replace("_", " ")) for name, count in counts.items() if count]
    seen = counts.get("page", 0) + counts.get("unchanged", 0)
    told = {
        "changed": brought.changed,
        "new": brought.new,
        "unchanged": max(seen - brought.changed - brought.new, 0),
        "failed": counts.get("failed", 0),
    }
    return [f"{count:,} {words}" for words, count in told.items() if count]
