"""A report as JSON: one document for programs that read it whole, or one finding a line for pipes."""

from __future__ import annotations

from holdfast.core.report import Report
from holdfast.formats.schemas.tracking import TRACK_FINDING, TRACK_REPORT

__all__ = ["write_json", "write_jsonl"]


def write_json(report: Report) -> str:
    """One document."""
    return TRACK_REPORT.text(report) + "\n"


def write_jsonl(report: Report) -> str:
    """One finding a line."""
    return "".join(TRACK_FINDING.text(finding) + "\n" for finding in report.findings)
