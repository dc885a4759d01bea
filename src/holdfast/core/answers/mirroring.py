"""What a mirror would fetch, what one start of it came to, and the exit status of that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import NamedTuple

from holdfast.core.crawl.ending import Ending
from holdfast.core.errors import ExitStatus
from holdfast.core.run_failure import failed_pages, is_empty_handed
from holdfast.core.update_report import UpdateReport
from holdfast.core.values import dataclass

__all__ = ["PlannedPage", "Summary", "SummaryCounts", "SummaryRemarks", "exit_status"]


class PlannedPage(NamedTuple):
    """What a mirror would fetch, and the path that it would have."""

    url: str
    path: str


@dataclass(frozen=True, slots=True)
class SummaryCounts:
    """How many pages ended how, were refused or warned about for which reason, and were new or changed."""

    outcomes: Mapping[str, int] = field(default_factory=dict)
    refused: Mapping[str, int] = field(default_factory=dict)
    warnings: Mapping[str, int] = field(default_factory=dict)
    changes: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SummaryRemarks:
    """What is worth a sentence: the failure that ended the run (`abort`), lists that could not be read
    (`partial_discovery`), that nothing was new (`is_quiet`), what failed, advice, and the first addresses of
    pages that are larger than `max_page_bytes`.
    """

    abort: str | None = None
    partial_discovery: bool = False
    is_quiet: bool = False
    troubles: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    too_large: tuple[str, ...] = ()
    max_page_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Summary:
    """What one start of a mirror came to; `update` is there with `--update`."""

    run_id: str
    status: Ending
    resumed: bool
    pages: int
    processed: int
    total: int
    seconds: float
    counts: SummaryCounts
    remarks: SummaryRemarks
    seal: str | None = None
    update: UpdateReport | None = None
    output: str = ""

    @property
    def outcomes(self) -> Mapping[str, int]:
        """How many pages ended how."""
        return self.counts.outcomes

    @property
    def refused(self) -> Mapping[str, int]:
        """How many were refused, by reason."""
        return self.counts.refused

    @property
    def warnings(self) -> Mapping[str, int]:
        """How many have which warning."""
        return self.counts.warnings

    @property
    def changes(self) -> Mapping[str, int]:
        """How many are new, changed, and so on."""
        return self.counts.changes

    @property
    def failed(self) -> int:
        """How many pages failed or could not be written."""
        return failed_pages(self.outcomes)


def exit_status(summary: Summary) -> ExitStatus:
    """The exit status of STA-2."""
    match summary.status:
        case Ending.INTERRUPTED:
            return ExitStatus.INTERRUPTED
        case Ending.NO_SPACE:
            return ExitStatus.NO_SPACE
        case Ending.ABORTED:
            return ExitStatus.FAILED
        case Ending.FINISHED | Ending.MAX_PAGES:
            return _status_of_pages(summary)


def _status_of_pages(summary: Summary) -> ExitStatus:
    # a start that goes on has what the ones before it made
    nothing = is_empty_handed(summary.pages, summary.outcomes) and not summary.resumed
    if summary.failed and nothing:
        return ExitStatus.FAILED
    return ExitStatus.FINDINGS if summary.failed or nothing else ExitStatus.SUCCESS
