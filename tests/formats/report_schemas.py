"""What we produce, as schemas.

Our own JSON; the parts of SARIF 2.1.0 we use, written from the specification's prose; the shape of JUnit
XML on which CI servers agree.
"""

from xml.etree import ElementTree

from holdfast.core.link_state import LinkState, Standing
from holdfast.core.rules import RULES, Level

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


def maybe(schema):
    return {"anyOf": [schema, {"type": "null"}]}


FINDING = closed(
    {
        "code": {"enum": list(RULES)},
        "rule": {"type": "string", "pattern": "^[a-z]+(-[a-z]+)*$"},
        "level": {"enum": list(Level)},
        "document": {"type": "string", "minLength": 1},
        "span": maybe(
            closed(
                {
                    "start": COUNT,
                    "end": COUNT,
                    "line": {"type": "integer", "minimum": 1},
                    "column": {"type": "integer", "minimum": 1},
                    "utf16_column": {"type": "integer", "minimum": 1},
                }
            )
        ),
        "url": maybe({"type": "string"}),
        "subject": {"type": "string"},
        "state": maybe({"enum": list(LinkState)}),
        "standing": maybe({"enum": list(Standing)}),
        "message": {"type": "string"},
        "known": {"type": "boolean"},
        "drift": maybe(
            closed(
                {
                    "amount": {"type": "number", "minimum": 0, "maximum": 1},
                    "title_changed": {"type": "boolean"},
                }
            )
        ),
        "suggestion": maybe(closed({"kind": {"enum": ["replace", "archived"]}, "text": {"type": "string"}})),
        "evidence": {"type": "object"},
    }
)
REPORT = closed(
    {
        "schema": {"const": "holdfast.track_report/1"},
        "version": {"type": "string"},
        "since": maybe({"type": "string"}),
        "summary": closed(
            {
                "documents": COUNT,
                "links": COUNT,
                "asked": COUNT,
                "states": {
                    "type": "object",
                    "propertyNames": {"enum": list(LinkState)},
                    "additionalProperties": COUNT,
                },
                "new": closed(dict.fromkeys(Level, COUNT)),
                "known": COUNT,
            }
        ),
        "settled": {
            "type": "array",
            "items": closed({"kind": {"type": "string"}, "subject": {"type": "string"}}),
        },
        "findings": {"type": "array", "items": FINDING},
    }
)

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


def check_junit(text):
    """The shape on which CI servers agree; returns the cases."""
    root = ElementTree.fromstring(text.encode())
    assert root.tag == "testsuites"
    suites = list(root)
    assert all(suite.tag == "testsuite" and suite.get("name") is not None for suite in suites)
    for count in ("tests", "failures", "errors", "skipped"):
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
