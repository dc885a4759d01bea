"""A report as JUnit XML: a suite a document, a case a finding.

1. An error fails its case. A warning or a note is a case that passes and says so in its output; what the
   baseline knows is skipped.
2. A document without findings is one case that passes, so that the number of cases says what was looked
   at.
3. Only what the common schema (Jenkins' junit-10.xsd) knows: places stand in the name and in the text, and
   no count of what is skipped stands at the top.
4. Characters that XML cannot hold are written as U+FFFD.
"""

from __future__ import annotations

import re
from typing import Final

from holdfast.core.report import Report, ReportFinding
from holdfast.core.report_rules import Level
from holdfast.formats.xml_text import attribute_of, text_of

__all__ = ["write_junit"]

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_HEAD: Final = '<?xml version="1.0" encoding="UTF-8"?>'


def write_junit(report: Report) -> str:
    """The whole file."""
    by_document: dict[str, list[ReportFinding]] = {document: [] for document in sorted(report.documents)}
    for finding in report.findings:
        by_document.setdefault(finding.document, []).append(finding)
    suites = [line for document, findings in by_document.items() for line in _suite(document, findings)]
    cases = sum(max(len(findings), 1) for findings in by_document.values())
    failures = sum(_fails(finding) for finding in report.findings)
    counts = f'tests="{cases}" failures="{failures}" errors="0"'
    return "\n".join([_HEAD, f'<testsuites name="holdfast" {counts}>', *suites, "</testsuites>"]) + "\n"


def _suite(document: str, findings: list[ReportFinding]) -> list[str]:
    failures = sum(map(_fails, findings))
    skipped = sum(finding.is_known for finding in findings)
    counts = f'tests="{max(len(findings), 1)}" failures="{failures}" errors="0" skipped="{skipped}"'
    lines = [f"  <testsuite name={_attribute(document)} {counts}>"]
    if not findings:
        lines.append(f'    <testcase name="links" classname={_attribute(document)}/>')
    for finding in findings:
        lines += _case(finding)
    return [*lines, "  </testsuite>"]


def _case(finding: ReportFinding) -> list[str]:
    name = f"{finding.code} {finding.name}: {finding.url or finding.subject} (line {finding.line})"
    head = f"    <testcase name={_attribute(name)} classname={_attribute(finding.document)}>"
    message, told = _attribute(finding.message), _text(_told(finding))
    if finding.is_known:
        inside = f"      <skipped message={_attribute('in the baseline: ' + finding.message)}/>"
    elif _fails(finding):
        inside = f'      <failure type="{finding.code}" message={message}>{told}</failure>'
    else:
        inside = f"      <system-out>{told}</system-out>"
    return [head, inside, "    </testcase>"]


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
