"""A report for people at a terminal: documents and lines first, then how it stands.

1. One line a finding, `document:line:column: CODE message`, the form that editors and terminals make
   clickable.
2. Notes come last, at most `MOST_NOTES` of a rule; the summary counts them all. What the baseline knows is
   counted, not listed.
3. No control character of a document or a URL reaches the terminal.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from holdfast.core.report import Report, ReportFinding, SuggestionKind
from holdfast.core.report_rules import RULES, Level

__all__ = ["MOST_NOTES", "counted", "not_judged_line", "summary_lines", "write_text"]

MOST_NOTES: Final = 20
"""So many notes of a rule are listed: a site that moved makes thousands."""
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def write_text(report: Report) -> str:
    """One line for each finding that is new, the loud ones first, and what could be done about it."""
    lines: list[str] = []
    notes: list[str] = []
    told: Counter[str] = Counter()
    for finding in report.findings:
        if finding.is_known:
            continue
        if finding.level is not Level.NOTE:
            lines += _lines(finding)
            continue
        told[finding.code] += 1
        if told[finding.code] <= MOST_NOTES:
            notes += _lines(finding)
    lines += notes
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
        more = f" ({count - MOST_NOTES} not listed; --format json has them)" if count > MOST_NOTES else ""
        lines.append(f"  {counted(count, 'note')} {code}: {rule.sentence}{more}")
    if report.rules_off:
        off = ", ".join(f"{code} {RULES[code].name}" for code in report.rules_off)
        lines.append(f"light check: pages were not read, so these rules are off: {off}")
    if report.not_judged:
        lines.append(not_judged_line(report))
    known = sum(finding.is_known for finding in report.findings)
    if known or report.settled:
        lines.append(f"baseline: {known} known, {len(report.settled)} settled")
    return lines


def not_judged_line(report: Report) -> str:
    """How many local links nobody can judge."""
    number = len(report.not_judged)
    links, are, them = ("link", "is", "it") if number == 1 else ("links", "are", "them")
    return f"{number:,} {links} into generated pages {are} not judged; `--strict-local` judges {them}"


def counted(number: int, noun: str) -> str:
    """A number of things, in words."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _clean(text: str) -> str:
    return _CONTROL.sub("\ufffd", text)
