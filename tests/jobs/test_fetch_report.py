"""Every outcome can be told, and the telling holds no secret."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from jsonschema import validate

from helpers.faults.door import url
from holdfast.core.web.capture import (
    Capture,
    Deferred,
    Denial,
    Denied,
    Failed,
    Failure,
    Fetched,
    Gone,
    Hop,
    NotModified,
    RedirectedAway,
    TimedOut,
    Trail,
    Wait,
)
from holdfast.core.web.outcome import conclude, describe
from holdfast.jobs.probe import URL_PROBE, FetchTold, fetch_lines

PUBLISHED = json.loads((Path(__file__).parents[2] / "docs/reference/schemas/url-probe-1.json").read_text())
ASKED = url("https://example.com/a?token=hush")
NOW = datetime(2026, 1, 1, tzinfo=UTC)
TRAIL = Trail((Hop(ASKED, 302, ASKED),), (Wait(1.0, "delay"),), 2, "allowed by robots.txt", "192.0.2.1")
PAGE = Capture(ASKED, ASKED, 200, (("X", "é\x80"),), b"hello", NOW)

OUTCOMES = {
    "fetched": Fetched(PAGE, TRAIL),
    "not_modified": NotModified(PAGE, TRAIL),
    "gone": Gone(PAGE, TRAIL),
    "redirected_away": RedirectedAway(ASKED, TRAIL),
    "refused": Denied(Denial.ROBOTS, "Disallow: /", TRAIL),
    "failed": Failed(Failure.STATUS, "status 500", transient=False, capture=PAGE, trail=TRAIL),
    "timed_out": TimedOut("total", "too long", TRAIL),
    "deferred": Deferred(NOW, "held", TRAIL),
}


@pytest.mark.spec("STA-3", "SEC-3")
@pytest.mark.parametrize("name", OUTCOMES)
def test_every_outcome_has_its_name_its_document_and_its_lines(name):
    document = URL_PROBE.encode(FetchTold(ASKED, OUTCOMES[name]))
    lines = list(fetch_lines(ASKED, OUTCOMES[name]))
    validate(document, PUBLISHED)
    assert document["schema"] == URL_PROBE.title
    assert document["outcome"] == name
    assert lines[-1].startswith(f"outcome   {name}")
    assert "waited    1 s (delay)" in lines
    assert "hush" not in json.dumps(document) + "".join(lines) + describe(OUTCOMES[name])


@pytest.mark.parametrize(
    ("status", "conditional", "kind", "transient"),
    [
        (200, False, Fetched, None),
        (204, False, Fetched, None),
        (304, True, NotModified, None),
        (304, False, Failed, False),
        (404, False, Gone, None),
        (410, False, Gone, None),
        (401, False, Failed, False),
        (403, False, Failed, False),
        (500, False, Failed, False),
        (502, False, Failed, True),
        (503, False, Failed, True),
        (504, False, Failed, True),
        (300, False, Failed, False),
    ],
)
def test_a_status_has_one_meaning(status, conditional, kind, transient):
    outcome = conclude(Capture(ASKED, ASKED, status, (), b"", NOW), Trail(), conditional=conditional)
    assert isinstance(outcome, kind)
    assert getattr(outcome, "transient", None) is transient
