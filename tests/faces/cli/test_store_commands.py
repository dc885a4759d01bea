"""`log` with its `--runs` and `--items`, `verify`, `store`: what a person and a program read of the store."""

from __future__ import annotations

import json
import os

import pytest

from helpers.ledger_cases import RECIPE, at, content, place, run
from holdfast.core.lineage.batch import Effect, Response
from holdfast.core.lineage.conflict_rules import EDGE_KEYS
from holdfast.core.lineage.ledger_values import Draft, Finding
from holdfast.core.lineage.lineage import RunTally
from holdfast.core.settings.resolve import resolve
from holdfast.core.url.url import parse_url
from holdfast.core.web.capture import Capture
from holdfast.jobs.session import open_store
from holdfast.storage.scribe import commit_group

RUN = "run-1"


def page(name: str, seconds: float, text: str) -> Effect:
    url = parse_url(place(name).url)
    capture = Capture(url, url, 200, (("Content-Type", "text/html"),), text.encode(), at(seconds))
    made = Draft(content(text), f"About {text}")
    return Effect(Finding(made=made), Response(capture, place(name)))


@pytest.fixture
def state(tmp_path):
    """A store in the working folder, with five captures of two URLs."""
    folder = tmp_path / ".holdfast"
    with open_store(folder, "mirror", resolve()) as store:
        store.ledger.runs.begin_run(run())
        group = [page("a", 1, "one"), page("b", 2, "one"), page("a", 3, "two"), page("a", 4, "one")]
        commit_group(store.ledger, store.archive, RUN, [*group, page("a", 5, "one")], at(6))
        store.ledger.runs.end_run(RUN, at(9), RunTally.of({"pages": 3}))
    return folder


@pytest.mark.spec("LIN-9")
def test_runs_lists_each_run_with_its_seal(holdfast, state):
    ran = holdfast("log", "--runs")
    assert ran.status == 0
    assert ran.lines[1].split()[:5] == ["run-1", "2026-11-15", "09:00:00", "mirror", "finished"]
    (facts,) = holdfast("log", "--runs", "--json").json["parts"][0]["runs"]
    assert facts["normalization_version"] == str(RECIPE)
    assert len(facts["seal"]) == 64
    assert facts["summary"] == {"pages": 3}
    ahead = holdfast("log", "--runs", "--since", "2030-01-01").err
    assert ahead == "The moment lies ahead.\nthere are no runs\n"


@pytest.mark.spec("LIN-9")
def test_a_run_that_nobody_runs_any_more_is_shown_as_interrupted(holdfast, tmp_path):
    with open_store(tmp_path / ".holdfast", "mirror", resolve()) as store:
        store.ledger.runs.begin_run(run())
        assert holdfast("log", "--runs", "--json").json["parts"][0]["runs"][0]["status"] == "running"
    assert holdfast("log", "--runs", "--json").json["parts"][0]["runs"][0]["status"] == "interrupted"


@pytest.mark.spec("LIN-9", "ID-12")
def test_history_finds_a_url_however_it_is_written(holdfast, state):
    ran = holdfast("log", "HTTPS://EXAMPLE.com:443/x/../a/?utm_source=mail#top", "--json")
    assert ran.status == 0
    assert [c["new"] for c in ran.json["parts"][0]["page"]["captures"]] == [True, True, True, False]
    assert [c["content_sha256"][:4] for c in ran.json["parts"][0]["page"]["captures"]] == [
        content(text)[:4] for text in ("one", "two", "one", "one")
    ]
    text = holdfast("log", "https://example.com/a")
    versions = [line.split() for line in text.lines[1:] if line.startswith("v")]
    assert [(line[0], line[6]) for line in versions] == [("v3", "changed"), ("v2", "changed"), ("v1", "new")]
    assert holdfast("log", "https://example.com/a", "--normalization", str(RECIPE)).status == 0


@pytest.mark.spec("LIN-9", "STA-2")
def test_an_unknown_url_is_a_finding_and_no_url_is_a_usage_error(holdfast, state):
    ran = holdfast("log", "https://example.com/unknown")
    assert (ran.status, ran.out) == (1, "")
    assert "nothing is known of https://example.com/unknown" in ran.err
    assert holdfast("log", "http://").status == 2
    assert holdfast("log", "--items", "ffffffff").status == 2


@pytest.mark.spec("LIN-4", "LIN-9")
def test_lineage_shows_items_and_why_they_supersede(holdfast, state):
    document = holdfast("log", "--items", "https://example.com/a", "--json").json
    assert document["schema"] == "holdfast.items/1"
    third = document["parts"][0]["items"][2]
    (edge,) = third["outgoing"]
    assert tuple(edge["metadata"]) == EDGE_KEYS
    assert edge["metadata"]["conflict_resolved"] is True
    shown = holdfast("log", "--items", third["item_id"][:10])
    assert shown.status == 0
    assert f"supersedes {edge['target'][:12]} (same_content_sha256" in shown.out
    assert f"superseded by {third['item_id'][:12]}" in holdfast("log", "--items", edge["target"]).out


def test_verify_passes_a_whole_archive_and_names_damage(holdfast, state):
    assert "1 archive file, 14 records, 5 captures, " in holdfast("verify").err
    (path,) = (state / "archive").iterdir()
    whole = path.read_bytes()
    for damaged in (whole[:-40], whole[:900] + b"\0\0\0" + whole[903:]):
        path.write_bytes(damaged)
        ran = holdfast("verify", "--json")
        assert ran.status == 1
        assert ran.json["parts"][0]["differences"]
    path.unlink()
    assert "missing, and with it 5 captures" in holdfast("verify").out


def test_verify_names_records_that_the_ledger_does_not_know(holdfast, state):
    (path,) = (state / "archive").iterdir()
    path.with_name("other-00001.warc.gz").write_bytes(path.read_bytes())
    assert "other-00001.warc.gz: the ledger knows nothing of this file" in holdfast("verify").out
    path.write_bytes(path.read_bytes() + path.read_bytes()[:304])
    assert "bytes after the committed end" in holdfast("verify").out


def test_archive_export_prints_a_sorted_index(holdfast, state):
    ran = holdfast("store", "index")
    assert len(ran.lines) == 5
    assert ran.lines == sorted(ran.lines)
    key, stamp, facts = ran.lines[0].split(" ", 2)
    assert (key, stamp) == ("com,example)/a", "20261115090001")
    assert json.loads(facts)["filename"] == "holdfast-00001.warc.gz"


def test_verify_and_migrate_say_what_there_is_to_do(holdfast, state):
    assert "everything agrees" in holdfast("verify").err
    assert "nothing to do" in holdfast("store", "migrate").err
    data = bytearray((state / "ledger.db").read_bytes())
    data[8192:16384] = os.urandom(8192)
    (state / "ledger.db").write_bytes(data)
    ran = holdfast("verify", "--json")
    assert ran.status == 1
    assert ran.json["parts"][0]["differences"]


@pytest.mark.spec("STA-1", "STA-2")
def test_a_locked_folder_can_be_asked_but_not_migrated(holdfast, state):
    with open_store(state, "mirror", resolve()):
        assert holdfast("log", "--runs").status == 0
        ran = holdfast("store", "migrate")
    assert ran.status == 4
    assert f"in use by process {os.getpid()} (holdfast mirror)" in ran.err


@pytest.mark.spec("STA-1")
def test_state_is_searched_upward_or_named(holdfast, state, tmp_path, monkeypatch):
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert holdfast("log", "--runs").status == 0
    assert holdfast("log", "--runs", "--store", state).status == 0
    ran = holdfast("log", "--runs", "--store", tmp_path / "none")
    assert (ran.status, ran.out) == (3, "")
    assert "there is no ledger at" in ran.err
