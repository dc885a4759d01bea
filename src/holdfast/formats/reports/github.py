"""A report as workflow commands, which a forge's CI shows beside the lines they are about.

    ::error file=docs/a.md,line=3,col=7,title=HF001 not-found::message

1. `%`, CR and LF are escaped in the message; `:` and `,` besides in the values before it.
2. The CI shows only so many of each level; so what is new comes first, the loudest first, and what is in
   the baseline is not written at all.
3. Columns count characters, from 1.
"""

from __future__ import annotations

from typing import Final

from holdfast.core.report import Report, ReportFinding
from holdfast.core.report_rules import Level
from holdfast.formats.reports.text import not_judged_line

__all__ = ["write_github"]

_COMMANDS: Final = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "notice"}


def write_github(report: Report) -> str:
    """One command a finding, and one for all local links that are not judged."""
    new = [finding for finding in report.findings if not finding.is_known]
    ordered = [finding for level in Level for finding in new if finding.level is level]
    told = [_command(finding) for finding in ordered]
    if report.not_judged:
        told.append(f"::notice title=local links::{_escaped(not_judged_line(report))}")
    return "".join(line + "\n" for line in told)


def _command(finding: ReportFinding) -> str:
    values = {"file": finding.document, "line": str(finding.line)}
    if finding.span is not None:
        values["col"] = str(finding.span.column)
    values["title"] = f"{finding.code} {finding.name}"
    written = ",".join(f"{name}={_escaped_value(value)}" for name, value in values.items())
    message = finding.message
    if finding.suggestion is not None:
        message += f"\n{finding.suggestion.kind}: {finding.suggestion.text}"
    return f"::{_COMMANDS[finding.level]} {written}::{_escaped(message)}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escaped_value(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
