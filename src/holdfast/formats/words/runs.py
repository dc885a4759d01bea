"""What was done, when, and how it ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from holdfast.core.answers.mirrors import RunList
from holdfast.core.figures import counted, counted_by, rows, short, when
from holdfast.core.ledger import Brought, RunRecord, RunStatus
from holdfast.core.lineage import Job
from holdfast.formats.words.paint import Paint

__all__ = ["counts_in_words", "outcome_in_words", "run_lines"]

_OWN_NOTES: Final = {"page", "processed"}
"""What a run notes for the next one, and the JSON has; nobody asked for it."""
_REASON: Final = "refused: "
"""How a count of what was refused for one reason begins; all of them together are `refused`."""
_COLOURS: Final = {RunStatus.FINISHED: "green", RunStatus.FAILED: "red", RunStatus.INTERRUPTED: "yellow"}


def run_lines(found: RunList, paint: Paint) -> Iterator[str]:
    """A table of runs."""
    table = [("RUN", "STARTED", "JOB", "STATUS", "SEAL", "LABEL", "COUNTS")]
    for record in found.runs:
        counts = counts_in_words(record.tally.counts)
        facts = (short(record.run.run_id), when(record.run.started_at), record.run.job, str(record.status))
        table.append((*facts, short(record.seal or "-"), record.run.label, counts))
    head, *lines = rows(table)
    yield paint(head, "bold")
    for line, record in zip(lines, found.runs, strict=True):
        colour = _COLOURS.get(record.status)
        yield line.replace(str(record.status), paint(str(record.status), colour), 1) if colour else line


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
