"""A report as JUnit XML: a suite a document, a case a finding.

1. An error fails its case. A warning or a note is a case that passes, and what it says stands in its suite's
   output; what the baseline knows is skipped.
2. A document without findings is one case that passes, so that the number of cases says what was looked
   at.
3. Both common schemas hold: that of Jenkins (junit-10.xsd) and the stricter one of Ant (windyroad's
   JUnit.xsd), which wants properties, times, a number and a host of each suite, one thing inside a case, and
   nothing said at the top. Places stand in the name and in the text.
4. Characters that XML cannot hold are written as U+FFFD.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

from holdfast.core.report import Report, ReportFinding
from holdfast.core.report_rules import Level
from holdfast.formats.xml_text import attribute_of, text_of

__all__ = ["write_junit"]

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NO_DAY: Final = datetime(1970, 1, 1, tzinfo=UTC)
_HEAD: Final = '<?xml version="1.0" encoding="UTF-8"?>'


def write_junit(report: Report) -> str:
    """The whole file."""
    by_document: dict[str, list[ReportFinding]] = {document: [] for document in sorted(report.documents)}
    for finding in report.findings:
        by_document.setdefault(finding.document, []).append(finding)
    made = f"{report.made_at or _NO_DAY:%Y-%m-%dT%H:%M:%S}"
    suites = [
        line
        for number, (document, findings) in enumerate(by_document.items())
        for line in _suite(number, document, findings, made)
    ]
    return "\n".join([_HEAD, "<testsuites>", *suites, "</testsuites>"]) + "\n"


def _suite(number: int, document: str, findings: list[ReportFinding], made: str) -> list[str]:
    failures = sum(map(_fails, findings))
    skipped = sum(finding.is_known for finding in findings)
    counts = f'tests="{max(len(findings), 1)}" failures="{failures}" errors="0" skipped="{skipped}"'
    name = _attribute(document)
    where = f'package="holdfast" id="{number}" timestamp="{made}" hostname="localhost" time="0"'
    lines = [f"  <testsuite name={name} {where} {counts}>", "    <properties/>"]
    if not findings:
        lines.append(f'    <testcase name="links" classname={name} time="0"/>')
    for finding in findings:
        lines += _case(finding)
    said = [_told(finding) for finding in findings if not finding.is_known and not _fails(finding)]
    out = f"    <system-out>{_text(chr(10).join(said))}</system-out>"
    return [*lines, out, "    <system-err/>", "  </testsuite>"]


def _case(finding: ReportFinding) -> list[str]:
    name = f"{finding.code} {finding.name}: {finding.url or finding.subject} (line {finding.line})"
    head = f'    <testcase name={_attribute(name)} classname={_attribute(finding.document)} time="0"'
    message, told = _attribute(finding.message), _text(_told(finding))
    if finding.is_known:
        inside = f"      <skipped message={_attribute('in the baseline: ' + finding.message)}/>"
    elif _fails(finding):
        inside = f'      <failure type="{finding.code}" message={message}>{told}</failure>'
    else:
        return [f"{head}/>"]
    return [f"{head}>", inside, "    </testcase>"]


def _fails(finding: ReportFinding) -> bool:
    return finding.level is Level.ERROR and not finding.is_known


def _told(finding: ReportFinding) -> str:
    column = f":{finding.span.column}" if finding.span else ""
    lines = [f"{finding.document}:{finding.line}{column}: {finding.level}: {finding.message}"]
    if finding.suggestion is not None:
        lines.append(f"{finding.suggestion.kind}: {finding.suggestion.text}")
    return "\n".join(lines)


def _attribute(text: str) -> str:
    return attribute_of(_FORBIDDEN.sub("\ufffd", text))


def _text(text: str) -> str:
    return text_of(_FORBIDDEN.sub("\ufffd", text)).replace("\r", "&#13;")
