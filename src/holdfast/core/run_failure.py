"""Whether a run of a mirror failed, by what the ledger has of it: events and exit statuses say the same.

1. A run failed that ended at an error, at the first failure it was told to end at, or on a full disk.
2. A run that went to its end failed where pages failed and nothing else came of it: no page is new, none was
   there already. That some pages failed is a finding, not a failure.
3. A run that somebody interrupted did not fail.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from holdfast.core.ledger import RunRecord, RunStatus
from holdfast.core.lineage import Job

__all__ = ["NOT_ASKED", "failed_pages", "failure_of", "is_empty_handed"]

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
