"""Which citations a change touched: those on lines that it added or changed.

1. A link counts where its URL stands, and where it is used: a changed reference definition touches the
   link, and so does a new use of an old definition.
2. Lines are numbered as they are now.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from holdfast.core.page import Mention
from holdfast.core.report import Report, ReportFinding

__all__ = ["TouchedLines", "is_touched", "limited"]

TouchedLines = Mapping[str, Sequence[range]]
"""The lines that a change added or changed, by document."""


def is_touched(document: str, mention: Mention, touched: TouchedLines) -> bool:
    """Whether a change touched a link."""
    lines = [mention.span.line, *([mention.used.line] if mention.used else [])]
    return any(line in part for part in touched.get(document, ()) for line in lines)


def limited(report: Report, touched: TouchedLines, revision: str) -> Report:
    """The report with what a change touched, and nothing else; counts stay those of the whole."""

    def within(findings: Sequence[ReportFinding]) -> tuple[ReportFinding, ...]:
        return tuple(
            finding
            for finding in findings
            if any(line in part for part in touched.get(finding.document, ()) for line in finding.lines)
        )

    findings, not_judged = within(report.findings), within(report.not_judged)
    return replace(report, findings=findings, not_judged=not_judged, since=revision)
