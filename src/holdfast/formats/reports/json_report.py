"""A report as JSON: one document for programs that read it whole, or one finding a line for pipes."""

from __future__ import annotations

import json

from holdfast.core.report import Report
from holdfast.formats.indented_json import indented_json
from holdfast.formats.schemas.tracking import TRACK_FINDING, TRACK_REPORT

__all__ = ["write_json", "write_jsonl"]


def write_json(report: Report) -> str:
    """One document."""
    return indented_json(TRACK_REPORT.encode(report)) + "\n"


def write_jsonl(report: Report) -> str:
    """One finding a line."""
    return "".join(
        json.dumps(TRACK_FINDING.encode(finding), ensure_ascii=False) + "\n" for finding in report.findings
    )
