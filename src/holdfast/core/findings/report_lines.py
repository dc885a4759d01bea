"""A report in the words of whoever reads it: one file a format, all written from one value (TRK-9).

    text      for people at a terminal
    json      one document, `holdfast.track_report/1`
    jsonl     one finding a line, for pipes
    junit     for CI servers that show tests
    sarif     SARIF 2.1.0, for code scanning
    github    workflow commands, which a forge shows beside the lines
    markdown  for a job's summary or a comment

Those for people are written here, the others in `report_files`. At a terminal documents and lines come
first, then how it stands:

1. One line a finding, `document:line:column: CODE message`, the form that editors and terminals make
   clickable.
2. Notes come last, at most `MOST_NOTES` of a rule; the summary counts them all. What the baseline knows is
   counted, not listed.
3. No control character of a document or a URL reaches the terminal.

As Markdown, for a job's summary or a comment on a change:

4. What is new comes first, a table a level; what the baseline knows and what is settled is folded away.
5. Nothing of a document or a URL is read as markup: URLs and texts stand in code spans.
6. At most `MOST` rows a table: forges cut summaries that are too long, and nobody reads them.

As workflow commands, which a forge's CI shows beside the lines they are about:

    ::error file=docs/a.md,line=3,col=7,title=HF001 not-found::message

7. `%`, CR and LF are escaped in the message; `:` and `,` besides in the values before it.
8. The CI shows only so many of each level; so what is new comes first, the loudest first, and what is in
   the baseline is not written at all.
9. Columns count characters, from 1.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from holdfast.core.base.late_modules import thing_named
from holdfast.core.base.shown_text import harmless_json, harmless_lines
from holdfast.core.findings.report import RULES, Report, ReportFinding, SuggestionKind
from holdfast.core.findings.rule_codes import Level

FORMATS: Final = {
    "text": "report_lines",
    "json": "report_files",
    "jsonl": "report_files",
    "junit": "report_files",
    "sarif": "report_files",
    "github": "report_lines",
    "markdown": "report_lines",
}
"""Where each format's `write_NAME` is; imported when it is asked for, since a run writes one of them."""
_JSON: Final = ("json", "jsonl", "sarif")


def write_report(report: Report, name: str) -> str:
    """The report in a format; its text ends with a newline, or is empty. No character of a document or of
    the web that a terminal would obey is in it raw (SEC-7).

    Bytes of a file name that are not UTF-8 come out as `\\udcNN`, which JSON reads as what it was.
    """
    text: str = thing_named(f"core.findings.{FORMATS[name]}:write_{name}")(report)
    text = text.encode("utf-8", "backslashreplace").decode()
    return harmless_json(text) if name in _JSON else harmless_lines(text)


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
