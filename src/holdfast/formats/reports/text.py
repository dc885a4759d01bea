"""A report for people at a terminal: documents and lines first, then how it stands.

1. One line a finding, `document:line:column: CODE message`, the form that editors and terminals make
   clickable.
2. Notes are counted, not listed: they ask for nothing. What the baseline knows is counted too.
3. No control character of a document or a URL reaches the terminal.
"""

from __future__ import annotations

import re

from holdfast.core.report import Report, ReportFinding, SuggestionKind
from holdfast.core.report_rules import RULES, Level

__all__ = ["counted", "summary_lines", "write_text"]

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def write_text(report: Report) -> str:
    """One line for each finding that is new and loud, and what could be done about it."""
    lines: list[str] = []
    for finding in report.findings:
        if not finding.is_known and finding.level is not Level.NOTE:
            lines += _lines(finding)
    return "".join(f"{line}\n" for line in lines)


def _lines(finding: ReportFinding) -> list[str]:
    column = f":{finding.span.column}" if finding.span else ""
    said = f"{finding.document}:{finding.line}{column}: {finding.level}: {finding.code} {finding.message}"
    lines = [_clean(said)]
    match finding.suggestion:
        case None:
            pass
        case suggestion if suggestion.kind is SuggestionKind.REPLACE:
            lines.append(_clean(f"    cite instead: {suggestion.text}"))
        case suggestion:
            lines.append(_clean(f"    a copy was kept: {suggestion.text}"))
    return lines


def summary_lines(report: Report) -> list[str]:
    """How it stands, in a few lines."""
    lines = [f"{counted(report.links, 'link')} in {counted(len(report.documents), 'document')}"]
    if report.states:
        lines.append("  " + ", ".join(f"{count} {state}" for state, count in sorted(report.states.items())))
    new = report.counted
    told = f"{counted(new[Level.ERROR], 'error')}, {counted(new[Level.WARNING], 'warning')}"
    if report.since:
        told += f" on lines changed since {report.since}"
    lines.append(told)
    notes: dict[str, int] = {}
    for finding in report.findings:
        if not finding.is_known and finding.level is Level.NOTE:
            notes[finding.code] = notes.get(finding.code, 0) + 1
    for code, count in sorted(notes.items()):
        rule = next(rule for rule in RULES.values() if rule.code == code)
        lines.append(f"  {counted(count, 'note')} {code}: {rule.sentence}")
    known = sum(finding.is_known for finding in report.findings)
    if known or report.settled:
        lines.append(f"baseline: {known} known, {len(report.settled)} settled")
    return lines


def counted(number: int, noun: str) -> str:
    """A number of things, in words."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _clean(text: str) -> str:
    return _CONTROL.sub("\ufffd", text)
