"""What we produce, as schemas.

Our own JSON, as published; the parts of SARIF 2.1.0 we use, written from the specification's prose; the
shape of JUnit XML on which CI servers agree.
"""

import json
import re
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
        (Path(__file__).parents[3] / "docs/reference/schemas" / name).read_text(encoding="utf-8")
    )


FINDING = published("check-finding-1.json")
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
    "testsuites": (set(), set()),
    "testsuite": (
        {"package", "id", "name", "timestamp", "hostname", "tests", "failures", "errors", "time"},
        {"skipped"},
    ),
    "properties": (set(), set()),
    "testcase": ({"name", "classname", "time"}, set()),
    "failure": ({"type"}, {"message"}),
    "skipped": (set(), {"message", "type"}),
    "system-out": (set(), set()),
    "system-err": (set(), set()),
}
"""The attributes that an element must have and may have under both schemas: Jenkins' junit-10.xsd and that of
Ant (windyroad's JUnit.xsd).
"""
_WHEN = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")


def check_junit(text):
    """What both common schemas want, as facts; returns the cases."""
    root = ElementTree.fromstring(text.encode())
    assert root.tag == "testsuites"
    for element in root.iter():
        must, may = _JUNIT[element.tag]
        assert must <= set(element.attrib) <= must | may, element.tag
    cases = []
    for number, suite in enumerate(root):
        first, *inside, out, err = suite
        cases += inside
        assert [suite.tag, first.tag, out.tag, err.tag] == [
            "testsuite",
            "properties",
            "system-out",
            "system-err",
        ]
        assert not any(map(len, (first, out, err)))
        assert int(suite.get("id")) == number
        assert _WHEN.fullmatch(suite.get("timestamp"))
        assert all(suite.get(name) for name in ("name", "hostname"))
        assert float(suite.get("time")) == 0
        assert int(suite.get("tests")) == len(inside)
        for kind, count in (("failure", "failures"), ("skipped", "skipped"), ("error", "errors")):
            assert int(suite.get(count)) == sum(case.find(kind) is not None for case in inside)
        for case in inside:
            assert case.tag == "testcase"
            assert [child.tag for child in case] in ([], ["failure"], ["skipped"])
    return cases
