"""What we produce, as schemas.

Our own JSON, as published; the parts of SARIF 2.1.0 we use, written from the specification's prose; the
shape of JUnit XML on which CI servers agree.
"""

import json
from pathlib import Path
from xml.etree import ElementTree

COUNT = {"type": "integer", "minimum": 0}
TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}


def closed(required, **optional):
    """An object with these keys and no others."""
    return {
        "type": "object",
        "required": list(required),
        "properties": {**required, **optional},
        "additionalProperties": False,
    }


def published(name):
    return json.loads(
        (Path(__file__).parents[2] / "docs/reference/schemas" / name).read_text(encoding="utf-8")
    )


FINDING = published("track_finding-1.json")
REPORT = published("track_report-1.json")

SARIF_RULE = closed(
    {"id": {"type": "string"}},
    name={"type": "string"},
    shortDescription=TEXT,
    fullDescription=TEXT,
    help=TEXT,
    defaultConfiguration=closed({"level": {"enum": ["none", "note", "warning", "error"]}}),
)
SARIF_RESULT = closed(
    {"message": TEXT},
    ruleId={"type": "string"},
    ruleIndex=COUNT,
    level={"enum": ["none", "note", "warning", "error"]},
    locations={
        "type": "array",
        "items": closed(
            {},
            physicalLocation=closed(
                {
                    # a relative reference: no spaces, and no colon before the first slash would be a scheme
                    "artifactLocation": closed(
                        {"uri": {"type": "string", "pattern": r"^(?![A-Za-z][A-Za-z0-9+.\-]*:)[!-~]+$"}},
                        uriBaseId={"type": "string"},
                    ),
                },
                region=closed(
                    {"startLine": {"type": "integer", "minimum": 1}},
                    startColumn={"type": "integer", "minimum": 1},
                    byteOffset=COUNT,
                    byteLength=COUNT,
                ),
            ),
        ),
    },
    partialFingerprints={"type": "object", "additionalProperties": {"type": "string"}},
    baselineState={"enum": ["new", "unchanged", "updated", "absent"]},
    suppressions={
        "type": "array",
        "items": closed({"kind": {"enum": ["inSource", "external"]}}, justification={"type": "string"}),
    },
    properties={"type": "object"},
)
SARIF = closed(
    {
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": closed(
                {
                    "tool": closed(
                        {
                            "driver": closed(
                                {"name": {"type": "string"}},
                                semanticVersion={"type": "string"},
                                rules={"type": "array", "items": SARIF_RULE, "uniqueItems": True},
                            )
                        }
                    )
                },
                columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                originalUriBaseIds={"type": "object"},
                results={"type": "array", "items": SARIF_RESULT},
                properties={"type": "object"},
            ),
        },
    },
    **{"$schema": {"type": "string", "format": "uri"}},
)


_JUNIT = {
    "testsuites": {"name", "time", "tests", "failures", "disabled", "errors"},
    "testsuite": {"name", "tests", "failures", "errors", "time", "disabled", "skipped", "timestamp"},
    "testcase": {"name", "assertions", "time", "classname", "status"},
    "failure": {"type", "message"},
    "skipped": {"type", "message"},
    "system-out": set(),
}
"""The attributes that Jenkins' junit-10.xsd knows of the elements that we write."""


def check_junit(text):
    """The shape on which CI servers agree; returns the cases."""
    root = ElementTree.fromstring(text.encode())
    assert root.tag == "testsuites"
    for element in root.iter():
        assert set(element.attrib) <= _JUNIT[element.tag], element.tag
    suites = list(root)
    assert all(suite.tag == "testsuite" and suite.get("name") is not None for suite in suites)
    for count in ("tests", "failures", "errors"):
        assert int(root.get(count)) == sum(int(suite.get(count)) for suite in suites)
    for suite in suites:
        cases = list(suite)
        assert all(case.tag == "testcase" and case.get("name") and case.get("classname") for case in cases)
        assert int(suite.get("tests")) == len(cases)
        for kind, count in (("failure", "failures"), ("skipped", "skipped")):
            assert int(suite.get(count)) == sum(case.find(kind) is not None for case in cases)
        for case in cases:
            assert len(case) <= 1
            assert all(child.tag in ("failure", "skipped", "system-out") for child in case)
    return [case for suite in suites for case in suite]
