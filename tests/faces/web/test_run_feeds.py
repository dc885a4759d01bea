"""The runs of a store as a feed: those that are over, each once, with the way to its page."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from faces.web.conftest import at
from holdfast.core.lineage.ledger_values import Brought
from holdfast.core.lineage.lineage import RunStatus
from holdfast.questions.log.log_forms import atom_feed, json_feed, run_entries
from holdfast.questions.status import RunsWanted

pytestmark = pytest.mark.spec("WEB-1")
ATOM = "{http://www.w3.org/2005/Atom}"


def test_the_feed_of_runs_names_each_run_and_leads_to_its_page(client):
    items = client.get("/s/mirror/runs.feed").json()["items"]
    runs = client.get("/s/mirror/runs.json").json()["parts"][0]["runs"]

    assert [item["id"] for item in items] == [f"urn:sha256:{run['run_id']}" for run in runs]
    assert [item["title"] for item in items] == [
        "Mirror of mirror: finished, 1 changed, 1 unchanged",
        "Mirror of mirror: finished, 2 new",
    ]
    assert client.get(items[0]["url"]).status_code == 200
    assert items[0]["url"].startswith("http://127.0.0.1:8470/s/mirror/runs/")


def test_the_feed_in_atom_says_the_same(client):
    feed = ET.fromstring(client.get("/s/notes/runs.atom").text)
    (entry,) = feed.findall(f"{ATOM}entry")
    (item,) = client.get("/s/notes/runs.feed").json()["items"]

    assert entry.findtext(f"{ATOM}title") == item["title"]
    assert "not found" in item["title"]
    assert entry.findtext(f"{ATOM}id") == item["id"]
    assert " " not in feed.findtext(f"{ATOM}id")


def test_the_list_names_its_feed_for_what_is_shown(client):
    shown = client.get(at("s", "mirror", "runs", job="mirror")).text

    assert shown.count('href="/s/mirror/runs.atom?job=mirror"') == 2
    assert client.get("/s/mirror/runs.feed?job=track").json()["items"] == []


@pytest.fixture
def record(sources):
    with sources[0].open() as reader:
        return reader.parts.runs(RunsWanted()).runs[0]


def entries(*records):
    return run_entries(
        [(one, Brought(new=2, changed=1)) for one in records],
        "a & b",
        lambda run_id: f"http://127.0.0.1/{run_id}",
    )


def test_a_run_that_goes_on_is_not_in_the_feed(record):
    assert entries(replace(record, status=RunStatus.RUNNING)) == []
    (told,) = entries(replace(record, status=RunStatus.INTERRUPTED, ended_at=None))
    assert (told.at, told.title.split(",")[0]) == (record.updated_at, "Mirror of a & b: interrupted")


def test_what_ended_a_run_is_told_and_escaped(record):
    (entry,) = entries(replace(record, status=RunStatus.FAILED, trouble="<script>\x00 & more"))

    feed = ET.fromstring("".join(atom_feed("a & b: runs", [entry], entry.at)))
    assert "&lt;script&gt; &amp; more" in feed.findtext(f"{ATOM}entry/{ATOM}content")
    assert feed.findtext(f"{ATOM}id") == "urn:holdfast:mirror:a%20%26%20b:%20runs"
    assert "an error: <script>" in json_feed("x", [entry])
