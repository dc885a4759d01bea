"""Reports in seven formats, each valid whatever the words in it."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator
from markdown_it import MarkdownIt

from core.findings.report_samples import DEAD, SAMPLE, hostile_reports
from core.findings.report_schemas import FINDING, REPORT, SARIF, check_junit
from holdfast.core.findings.report import RULES, STATE_RULES, Report
from holdfast.core.findings.report_lines import FORMATS, summary_lines, write_report
from holdfast.core.findings.rule_codes import Level, RuleCode
from holdfast.core.links.link_state import LinkState, Standing

pytestmark = pytest.mark.spec("TRK-9")


def valid(value, schema):
    errors = [
        f"{error.json_path}: {error.message}" for error in Draft202012Validator(schema).iter_errors(value)
    ]
    assert not errors, errors


def test_json_is_valid_and_says_how_it_stands():
    document = json.loads(write_report(SAMPLE, "json"))

    valid(document, REPORT)
    assert document["summary"]["new"] == {"error": 1, "warning": 2, "note": 1}
    assert document["summary"]["known"] == 1
    assert document["findings"][0]["code"] == "HF001"
    assert document["findings"][0]["suggestion"]["text"] == "holdfast show https://example.com/old"


def test_json_lines_hold_one_finding_each():
    lines = write_report(SAMPLE, "jsonl").splitlines()

    assert len(lines) == len(SAMPLE.findings)
    for line in lines:
        valid(json.loads(line), FINDING)


def test_sarif_is_valid_and_its_rules_and_results_fit_together():
    log = json.loads(write_report(SAMPLE, "sarif"))

    valid(log, SARIF)
    run = log["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == list(RULES)
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    dead = next(result for result in run["results"] if result["ruleId"] == "HF001")
    place = dead["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "docs/a%20b.md", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {"startLine": 3, "startColumn": 8, "byteOffset": 10, "byteLength": 36}
    assert dead["baselineState"] == "new"


def test_sarif_fingerprints_do_not_depend_on_lines():
    moved = replace(SAMPLE, findings=(replace(DEAD, place=None),))
    (result,) = json.loads(write_report(moved, "sarif"))["runs"][0]["results"]
    log = json.loads(write_report(SAMPLE, "sarif"))

    assert result["partialFingerprints"] in [r["partialFingerprints"] for r in log["runs"][0]["results"]]


def test_junit_fails_on_errors_skips_the_known_and_counts_clean_documents():
    text = write_report(replace(SAMPLE, made_at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)), "junit")
    cases = check_junit(text)

    kinds = [case[0].tag if len(case) else "passed" for case in cases]
    assert sorted(kinds) == ["failure", "passed", "passed", "passed", "passed", "skipped"]
    told = "\n".join(out.text or "" for out in ElementTree.fromstring(text.encode()).iter("system-out"))
    assert "docs/a b.md:5:1: warning: the section says something else" in told
    assert "docs/c.html:2:3: note: moved to https://example.com/new" in told
    assert 'timestamp="2026-01-02T03:04:05"' in text


def test_github_commands_name_file_line_and_column_and_leave_the_known_out():
    lines = write_report(SAMPLE, "github").splitlines()

    assert lines[0] == (
        "::error file=docs/a b.md,line=3,col=7,title=HF001 not-found::"
        "https://example.com/old: the server has no such page (404)"
        "%0Aarchived: holdfast show https://example.com/old"
    )
    assert len(lines) == 4
    assert [line.split()[0] for line in lines] == ["::error", "::warning", "::warning", "::notice"]


def test_text_lists_what_is_new_the_loud_first_and_counts_the_rest():
    text = write_report(SAMPLE, "text")

    assert text.splitlines() == [
        "docs/a b.md:3:7: error: HF001 https://example.com/old: the server has no such page (404)",
        "    a copy was kept: holdfast show https://example.com/old",
        "docs/a b.md:5:1: warning: HF011 the section says something else",
        "docs/c.html:1: warning: HF040 expired on 2026-01-01",
        "docs/c.html:2:3: note: HF020 moved to https://example.com/new",
        "    cite instead: https://example.com/new",
    ]
    assert summary_lines(SAMPLE) == [
        "7 links in 4 documents",
        "  1 changed, 1 gone, 1 moved_permanent, 1 not_found, 3 ok",
        "1 error, 2 warnings on lines changed since main",
        "  1 note HF020: The page moved for good.",
        "baseline: 1 known, 1 settled",
    ]


def test_an_empty_report_is_valid_in_every_format():
    empty = Report((), {}, version="0.1.0")

    valid(json.loads(write_report(empty, "json")), REPORT)
    valid(json.loads(write_report(empty, "sarif")), SARIF)
    assert check_junit(write_report(empty, "junit")) == []
    assert write_report(empty, "github") == write_report(empty, "jsonl") == ""


@settings(deadline=None, max_examples=100)
@given(hostile_reports)
def test_no_words_break_a_format(report):
    encoded = {name: write_report(report, name) for name in FORMATS}

    valid(json.loads(encoded["json"]), REPORT)
    valid(json.loads(encoded["sarif"]), SARIF)
    lines = [line for line in encoded["jsonl"].split("\n") if line]
    assert len(lines) == len(report.findings)
    check_junit(encoded["junit"])
    commands = encoded["github"].split("\n")[:-1]
    assert len(commands) == sum(not finding.is_known for finding in report.findings)
    assert all(re.match(r"::(error|warning|notice) file=[^:]*::", command) for command in commands)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", encoded["text"])


@settings(deadline=None, max_examples=60)
@given(hostile_reports)
def test_no_words_of_a_document_are_markup_in_the_summary(report):
    """Every row of a table has its four cells; no link, image or HTML comes from the words in it."""
    tokens = MarkdownIt("commonmark").enable("table").parse(write_report(report, "markdown"))
    cells = 0
    for token in tokens:
        cells += token.type == "td_open"
        for child in token.children or ():
            assert child.type in (
                "text",
                "code_inline",
                "strong_open",
                "strong_close",
                "html_inline",
                "softbreak",
            )
            assert child.type != "html_inline" or child.content == "<br>"
        if token.type == "html_block":
            assert re.fullmatch(r"(</?details>|<summary>[\w :,()]*</summary>|\s)*", token.content)
    assert cells == 4 * len(report.findings)


def test_xml_survives_a_round_trip_of_awkward_attributes():
    report = replace(SAMPLE, findings=(replace(DEAD, message="a\tb\nc \"d\" 'e' <f> & ]]>"),))
    root = ElementTree.fromstring(write_report(report, "junit").encode())

    assert root.find(".//failure").get("message") == "a\tb\nc \"d\" 'e' <f> & ]]>"


def test_the_published_schemas_know_every_rule_state_and_level():
    for schema in (FINDING, REPORT["properties"]["findings"]["items"]):
        properties = schema["properties"]
        assert properties["code"]["enum"] == list(RULES)
        assert properties["level"]["enum"] == list(Level)
        assert properties["state"]["enum"] == [*LinkState, None]
        assert properties["standing"]["enum"] == [*Standing, None]


def test_every_rule_has_its_page_and_every_page_its_rule():
    folder = Path(__file__).parents[3] / "docs/reference/rules"

    assert {page.stem for page in folder.glob("HF*.md")} == set(RULES)
    for code, rule in RULES.items():
        text = (folder / f"{code}.md").read_text(encoding="utf-8")
        assert text.startswith(f"# {code} {rule.name}\n")
        assert rule.sentence in text


def test_every_state_but_ok_has_a_rule_and_codes_are_in_order():
    assert set(STATE_RULES) == set(LinkState) - {LinkState.OK}
    assert list(RULES) == sorted(RuleCode)
