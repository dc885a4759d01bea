"""What a mirror is made with: its last run, and the moment that a date or a run names."""

from __future__ import annotations

from datetime import datetime

from holdfast.core.errors import UsageError
from holdfast.core.ledger import RunRecord
from holdfast.core.lineage import Job, Run
from holdfast.core.versions import moment_of
from holdfast.ports import Ledger

__all__ = ["first_scheme", "last_mirror_run", "last_run_of_mirrors", "mirror_run", "moment_in_mirror"]


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
    record = last_mirror_run(ledger, label, moment)
    if record is None:
        raise UsageError(
            f"the ledger has no run of a mirror {label!r}", hint="`holdfast runs` lists the runs"
        )
    return record


def first_scheme(ledger: Ledger, label: str) -> str:
    """The scheme of a mirror's first page."""
    first = next((page.place.url for page in ledger.pages.by_path(label)), "https:")
    return first.partition(":")[0]


def moment_in_mirror(ledger: Ledger, label: str, at: str) -> datetime:
    """When a date or a run says, if there was a mirror by then."""
    moment = moment_of(at)
    if moment is None:
        record = ledger.runs.run(at)
        if record is None:
            raise UsageError(
                f"{at!r} is neither a date nor the beginning of a run's id",
                hint="such as 2026-05-04 or 2026-05-04T12:00; `holdfast runs` lists the runs",
            )
        moment = record.ended_at or record.updated_at
    runs = ledger.runs.latest_first(label=label, job=Job.MIRROR)
    first = min(runs, key=lambda record: record.run.started_at)
    if first.run.started_at > moment:
        raise UsageError(
            f"there was no mirror yet at {moment:%Y-%m-%d %H:%M:%S} UTC",
            hint=f"its first run began at {first.run.started_at:%Y-%m-%d %H:%M:%S} UTC",
        )
    return moment
