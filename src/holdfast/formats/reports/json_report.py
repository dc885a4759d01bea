"""A report as JSON: one document for programs that read it whole, or one finding a line for pipes."""

from __future__ import annotations

import json
from typing import Any, Final

from holdfast.core.page import Span
from holdfast.core.report import Report, ReportFinding

__all__ = ["SCHEMA", "finding_value", "write_json", "write_jsonl"]

SCHEMA: Final = "holdfast.track_report/1"


def write_json(report: Report) -> str:
    """One document."""
    value = {
        "schema": SCHEMA,
        "version": report.version,
        "since": report.since,
        "summary": {
            "documents": len(report.documents),
            "links": report.links,
            "asked": report.asked,
            "states": dict(sorted(report.states.items())),
            "new": {str(level): count for level, count in report.counted.items()},
            "known": sum(finding.is_known for finding in report.findings),
        },
        "settled": [{"kind": key.kind, "subject": key.subject} for key in report.settled],
        "findings": [finding_value(finding) for finding in report.findings],
    }
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def write_jsonl(report: Report) -> str:
    """One finding a line."""
    return "".join(
        json.dumps(finding_value(finding), ensure_ascii=False) + "\n" for finding in report.findings
    )


def finding_value(finding: ReportFinding) -> dict[str, Any]:
    """A finding as both forms have it; what is not there is null."""
    suggestion, drift = finding.suggestion, finding.drift
    return {
        "code": finding.code,
        "rule": finding.name,
        "level": finding.level,
        "document": finding.document,
        "span": _span(finding.span) if finding.span else None,
        "url": finding.url or None,
        "subject": finding.subject,
        "state": finding.state,
        "standing": finding.standing,
        "message": finding.message,
        "known": finding.is_known,
        "drift": drift.as_dict() if drift else None,
        "suggestion": {"kind": suggestion.kind, "text": suggestion.text} if suggestion else None,
        "evidence": dict(finding.evidence),
    }


def _span(span: Span) -> dict[str, int]:
    return {
        "start": span.start,
        "end": span.end,
        "line": span.line,
        "column": span.column,
        "utf16_column": span.utf16_column,
    }
