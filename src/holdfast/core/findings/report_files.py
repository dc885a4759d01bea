"""Reports for programs: SARIF, JUnit, JSON.

SARIF 2.1.0 (OASIS) is for code scanning:

1. All rules are described, those without results too: a reader knows what was looked for.
2. Places are given relative to `%SRCROOT%`, with lines, columns in UTF-16 units, and bytes.
3. `partialFingerprints` come from a finding's key and its document, not from its line: moving a line is
   nothing new. What the baseline knows is `unchanged` and suppressed; what it does not know is `new`.
4. A URL to put in a link's place is a fix only if it can be written there as it is; `holdfast fix` knows
   the escapes of each format, so SARIF gets the suggestion as a property.

JUnit XML has a suite a document, a case a finding:

5. An error fails its case. A warning or a note is a case that passes, and what it says stands in its
   suite's output; what the baseline knows is skipped.
6. A document without findings is one case that passes, so that the number of cases says what was looked
   at.
7. Both common schemas hold: that of Jenkins (junit-10.xsd) and the stricter one of Ant (windyroad's
   JUnit.xsd), which wants properties, times, a number and a host of each suite, one thing inside a case,
   and nothing said at the top. Places stand in the name and in the text.
8. Characters that XML cannot hold are written as U+FFFD.

JSON is one document for programs that read it whole, or one finding a line for pipes. The schemas of both
are here.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import quote

from holdfast.core.base.hashing import id_of
from holdfast.core.base.json_shape import (
    ANY_OBJECT,
    BOOLEAN,
    COUNT,
    DRIFT,
    SPAN,
    TEXT,
    Schema,
    array,
    at,
    counts_of,
    described,
    limited,
    matching,
    one_of,
    optional,
    record,
)
from holdfast.core.base.shown_text import attribute_of, text_of
from holdfast.core.findings.report import RULES, Report, ReportFinding, SuggestionKind
from holdfast.core.findings.rule_codes import Level, ReportRule, RuleCode
from holdfast.core.links.link_shapes import STANDING, STATE
from holdfast.core.links.link_state import LinkState
from holdfast.core.page.page import Span

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


def write_json(report: Report) -> str:
    """One document."""
    return TRACK_REPORT.text(report) + "\n"


def write_jsonl(report: Report) -> str:
    """One finding a line."""
    return "".join(CHECK_FINDING.text(finding) + "\n" for finding in report.findings)


FINDING: Final = record(
    code=described(one_of(RuleCode), "The rule; docs/reference/rules/ has a page for each."),
    rule=at("name", matching("^[a-z]+(-[a-z]+)*$")),
    level=one_of(Level),
    document=described(limited(TEXT, minLength=1), "Path from the root of the documents, with slashes."),
    span=described(
        optional(SPAN), "Where it stands: bytes from the start of the file; line and columns from 1."
    ),
    url=at(
        lambda finding: finding.url or None,
        described(
            optional(TEXT),
            "The link as written, secrets in its query taken out; null where it is about an ignore or a "
            "document.",
        ),
    ),
    subject=described(
        TEXT,
        "What a baseline calls it: the canonical URL, with the fragment where the section is what is wrong.",
    ),
    state=optional(STATE),
    standing=optional(STANDING),
    message=TEXT,
    known=at("is_known", described(BOOLEAN, "Whether the baseline has it.")),
    drift=described(optional(DRIFT), "How much of the page is different, for changes."),
    suggestion=described(
        optional(record(kind=one_of(SuggestionKind), text=TEXT)),
        "A URL to cite instead, or the command that opens the copy that was kept.",
    ),
    evidence=described(ANY_OBJECT, "What the state rests on."),
)

CHECK_FINDING: Final = Schema(
    "check-finding", "One line of `holdfast check --format jsonl`: a finding.", FINDING, is_line=True
)

TRACK_REPORT: Final = Schema(
    "track_report",
    "What `holdfast check --format json` prints.",
    record(
        version=TEXT,
        since=described(optional(TEXT), "The revision that the findings are limited to."),
        summary=at(
            lambda report: report,
            record(
                documents=at(lambda report: len(report.documents), COUNT),
                links=COUNT,
                asked=COUNT,
                states=at(lambda report: sorted(report.states.items()), counts_of(LinkState)),
                new=at(
                    lambda report: {str(level): count for level, count in report.counted.items()},
                    counts_of(Level),
                ),
                known=at(lambda report: sum(finding.is_known for finding in report.findings), COUNT),
                not_judged=at(
                    lambda report: len(report.not_judged),
                    described(
                        COUNT,
                        "How many local links lead nowhere here, and may be right by a rule of a generator: "
                        "`--strict-local` judges them.",
                    ),
                ),
            ),
        ),
        rules_off=described(array(one_of(RuleCode)), "The rules by which a light check cannot speak."),
        settled=described(array(record(kind=TEXT, subject=TEXT)), "Lines of the baseline that are fine now."),
        findings=array(FINDING),
    ),
)
