"""A report as SARIF 2.1.0 (OASIS), for code scanning.

1. All rules are described, those without results too: a reader knows what was looked for.
2. Places are given relative to `%SRCROOT%`, with lines, columns in UTF-16 units, and bytes.
3. `partialFingerprints` come from a finding's key and its document, not from its line: moving a line is
   nothing new. What the baseline knows is `unchanged` and suppressed; what it does not know is `new`.
4. A URL to put in a link's place is a fix only if it can be written there as it is; `holdfast fix` knows
   the escapes of each format, so SARIF gets the suggestion as a property.
"""

from __future__ import annotations

import json
from typing import Any, Final
from urllib.parse import quote

from holdfast.core.hashing import id_of
from holdfast.core.page import Span
from holdfast.core.report import Report, ReportFinding
from holdfast.core.report_rules import RULES, ReportRule

__all__ = ["write_sarif"]

_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_INDEX: Final = {code: index for index, code in enumerate(RULES)}


def write_sarif(report: Report) -> str:
    """The whole log file."""
    driver = {
        "name": "holdfast",
        "semanticVersion": report.version,
        "rules": [_rule(rule) for rule in RULES.values()],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "utf16CodeUnits",
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "the root of the documents"}}},
        "results": [_result(finding) for finding in report.findings],
        "properties": {
            "documents": len(report.documents),
            "links": report.links,
            "rulesOff": list(report.rules_off),
            "notJudged": len(report.not_judged),
        },
    }
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, ensure_ascii=False, indent=2) + "\n"


def _rule(rule: ReportRule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.sentence},
        "fullDescription": {"text": rule.meaning},
        "help": {"text": rule.remedy},
        "defaultConfiguration": {"level": rule.level},
    }


def _result(finding: ReportFinding) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": _INDEX[finding.code],
        "level": finding.level,
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": _place(finding)}],
        "partialFingerprints": {
            "holdfastFinding/v1": id_of(
                *map(_plain, (finding.document, finding.key.kind, finding.key.subject))
            )
        },
        "baselineState": "unchanged" if finding.is_known else "new",
        "properties": _properties(finding),
    }
    if finding.is_known:
        result["suppressions"] = [{"kind": "external", "justification": "in the baseline"}]
    return result


def _place(finding: ReportFinding) -> dict[str, Any]:
    place: dict[str, Any] = {
        "artifactLocation": {"uri": quote(_plain(finding.document)), "uriBaseId": "%SRCROOT%"},
    }
    place["region"] = _region(finding.span) if finding.span else {"startLine": 1}
    return place


def _region(span: Span) -> dict[str, int]:
    region = {"startLine": span.line, "startColumn": span.utf16_column, "byteOffset": span.start}
    if span.end > span.start:
        region["byteLength"] = span.end - span.start
    return region


def _properties(finding: ReportFinding) -> dict[str, Any]:
    values: dict[str, Any] = {"subject": finding.subject}
    if finding.url:
        values["url"] = finding.url
    if finding.state is not None:
        values["state"] = finding.state
    if finding.standing is not None:
        values["standing"] = finding.standing
    if finding.drift is not None:
        values["drift"] = finding.drift.as_dict()
    if finding.suggestion is not None:
        values["suggestion"] = {"kind": finding.suggestion.kind, "text": finding.suggestion.text}
    if finding.evidence:
        values["evidence"] = dict(finding.evidence)
    return values


def _plain(text: str) -> str:
    """A name whose bytes are not UTF-8 is written as it is shown elsewhere."""
    return text.encode("utf-8", "backslashreplace").decode()
