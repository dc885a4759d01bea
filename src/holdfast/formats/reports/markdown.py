"""A report as Markdown, for a job's summary or a comment on a change.

1. What is new comes first, a table a level; what the baseline knows and what is settled is folded away.
2. Nothing of a document or a URL is read as markup: URLs and texts stand in code spans.
3. At most `MOST` rows a table: forges cut summaries that are too long, and nobody reads them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from holdfast.core.report import Report, ReportFinding
from holdfast.core.report_rules import Level
from holdfast.formats.reports.text import counted, not_judged_line

__all__ = ["MOST", "write_markdown"]

MOST: Final = 200
_NAMES: Final = {Level.ERROR: "Errors", Level.WARNING: "Warnings", Level.NOTE: "Notes"}
_LINE_BREAKS = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]+")


def write_markdown(report: Report) -> str:
    """The whole page."""
    new = [finding for finding in report.findings if not finding.is_known]
    known = [finding for finding in report.findings if finding.is_known]
    lines = ["# Links", "", _head(report)]
    for level, name in _NAMES.items():
        found = [finding for finding in new if finding.level is level]
        if found and level is Level.NOTE:
            lines += _folded(f"{name} ({len(found)})", _table(found))
        elif found:
            lines += ["", f"## {name} ({len(found)})", "", *_table(found)]
    if known:
        lines += _folded(f"In the baseline ({len(known)})", _table(known))
    if report.settled:
        settled = [f"- {_code(key.subject)} ({key.kind})" for key in report.settled[:MOST]]
        lines += _folded(f"Settled: in the baseline, and fine now ({len(report.settled)})", settled)
    return "\n".join(lines) + "\n"


def _head(report: Report) -> str:
    counts = report.counted
    verdict = f"**{counted(counts[Level.ERROR], 'error')}, {counted(counts[Level.WARNING], 'warning')}**"
    since = f" on lines changed since {_code(report.since)}" if report.since else ""
    links, documents = counted(report.links, "link"), counted(len(report.documents), "document")
    off = f" Light check: {', '.join(report.rules_off)} are off." if report.rules_off else ""
    unjudged = f" {not_judged_line(report)}." if report.not_judged else ""
    return f"{verdict}{since}; {links} in {documents}.{off}{unjudged}"


def _table(findings: Sequence[ReportFinding]) -> list[str]:
    rows = ["| where | rule | link | what |", "|---|---|---|---|"]
    rows += [
        f"| {_code(f'{finding.document}:{finding.line}')} | {finding.code} {finding.name} "
        f"| {_code(finding.url or finding.subject)} | {_what(finding)} |"
        for finding in findings[:MOST]
    ]
    if len(findings) > MOST:
        rows += ["", f"… and {len(findings) - MOST} more."]
    return rows


def _what(finding: ReportFinding) -> str:
    told = _code(finding.message)
    if finding.suggestion is not None:
        told += f"<br>{finding.suggestion.kind}: {_code(finding.suggestion.text)}"
    return told


def _folded(title: str, lines: Sequence[str]) -> list[str]:
    return ["", "<details>", f"<summary>{title}</summary>", "", *lines, "", "</details>"]


def _code(text: str) -> str:
    """A text in a code span: in a table a pipe must be escaped even there."""
    flat = _LINE_BREAKS.sub(" ", text).replace("|", "\\|")
    ticks = max((len(run) for run in re.findall("`+", flat)), default=0)
    fence = "`" * (ticks + 1)
    pad = " " if flat.startswith("`") or flat.endswith("`") or not flat.strip() else ""
    return f"{fence}{pad}{flat}{pad}{fence}"
