"""`holdfast store reprocess`: another recipe over the same archive, without the network (VER-5, VER-4)."""

from __future__ import annotations

import inspect
import json
import signal
import subprocess
import sys

import apsw
import pytest

from helpers.sites.living import LivingSite
from holdfast.core.lineage.lineage import EdgeKind, Job, RunStatus
from holdfast.jobs.session import Session
from holdfast.jobs.upkeep import reprocess as job
from holdfast.storage.sqlite.sqlite_ledger import open_ledger

pytestmark = pytest.mark.spec("VER-5")


@pytest.fixture
def mirrored(site, make, folder):
    """Two runs: /a?x=1 and /a?x=2 are two pages under `site` and one place under `docs`."""
    site.put("/a?x=1", "One", links=["/b?y=1"])
    site.put("/a?x=2", "Two")
    site.put("/b", "Three <script>nonce(1)</script>")
    first = make().run_id
    site.put("/b", "Three, changed")
    second = make(update=True).run_id
    return first, second


@pytest.fixture
def ledger(mirrored, folder):
    opened = open_ledger(folder / ".holdfast" / "ledger.db", None, read_only=True)
    yield opened
    opened.close()


@pytest.fixture
def reprocess(mirrored, folder, holdfast, no_sockets):
    def run(*words):
        return holdfast(
            "store", "reprocess", *words, "--store", folder / ".holdfast", "--json", "-q", "--processes", 1
        )

    return run


def items_of(ledger, run_id):
    return {o.item.item_id: o.item for o in ledger.history.of_run(run_id) if o.item}


def test_another_policy_makes_new_items_and_leaves_the_old_ones(reprocess, mirrored, ledger):
    before = items_of(ledger, mirrored[0])
    ran = reprocess(mirrored[0], "--policy", "docs")
    assert ran.status == 0, ran.err
    made = items_of(ledger, ran.json["run_id"])
    assert items_of(ledger, mirrored[0]) == before
    assert {item.place.url.partition("/a")[1] for item in made.values()} == {"/a", ""}
    assert not any("?" in item.place.url for item in made.values())
    assert not set(made) & set(before)


def test_every_new_item_points_to_its_origin_and_supersedes_nothing_of_another_version(
    reprocess, mirrored, ledger
):
    before = items_of(ledger, mirrored[0])
    made = items_of(ledger, reprocess(mirrored[0], "--policy", "docs").json["run_id"])
    for item in made.values():
        edges = ledger.history.relations(item.item_id).outgoing
        origins = [edge.target for edge in edges if edge.kind is EdgeKind.REPROCESSED_FROM]
        assert len(origins) == 1
        assert before[origins[0]].capture_id == item.capture_id
        for edge in edges:
            if edge.kind is EdgeKind.SUPERSEDES:
                assert ledger.history.items(edge.target)[0].recipe == item.recipe


def test_two_urls_that_are_one_place_now_are_two_versions_of_it(reprocess, mirrored, ledger):
    done = reprocess(mirrored[0], "--policy", "docs").json
    assert done["counts"] == {"new": 2, "changed": 1, "unchanged": 0, "failed": 0}


def test_the_new_run_says_whose_it_is(reprocess, mirrored, ledger):
    done = reprocess(mirrored[0][:12], "--policy", "docs").json
    record = ledger.runs.run(done["run_id"])
    assert (record.run.job, record.run.reprocessing_of) == (Job.REPROCESS, mirrored[0])
    assert (record.status, record.seal) == (RunStatus.FINISHED, done["seal"])
    assert done["normalization_version"] == "http_snapshot_docsurl_v1_text_v1"


def test_another_content_rule_keeps_the_policy(reprocess, mirrored):
    done = reprocess(mirrored[0], "--compare", "body").json
    assert done["normalization_version"] == "http_snapshot_siteurl_v1_body_v1"


def test_a_304_is_reprocessed_from_the_body_it_confirms(reprocess, mirrored, ledger):
    done = reprocess(mirrored[1], "--policy", "docs").json
    assert done["total"] == 3
    assert done["counts"]["failed"] == 0


def test_a_second_start_finds_nothing_to_do(reprocess, mirrored, ledger):
    first = reprocess(mirrored[0], "--policy", "docs").json
    second = reprocess(mirrored[0], "--policy", "docs").json
    assert (second["run_id"], second["seal"]) == (first["run_id"], first["seal"])
    assert sum(1 for run in ledger.runs.latest_first() if run.run.job is Job.REPROCESS) == 1


def test_the_same_version_again_is_refused_in_words(reprocess, mirrored):
    ran = reprocess(mirrored[0])
    assert ran.status == 2
    assert "was made with http_snapshot_siteurl_v1_text_v1 already" in ran.err
    assert "there is no run" in reprocess("feedfeed", "--policy", "docs").err


def test_no_fetcher_is_among_its_arguments():
    assert "fetcher" not in inspect.signature(job.reprocess).parameters
    assert not {"fetcher", "fetch", "door"} & set(dir(Session)), "nor has the session one"


def test_one_process_or_several_give_the_same_items(tmp_path, holdfast):
    seals = []
    with LivingSite() as site:
        for number in range(40):
            site.put(f"/{number}?q={number % 7}", f"Words of {number % 30}")
        source = site.origin + "/"
        assert holdfast("mirror", source, "-o", "one", "--content-rate-limit", 0, "-q").status == 0
    subprocess.run(["cp", "-r", "one", "two"], check=True, cwd=tmp_path)
    for folder, workers in (("one", 1), ("two", 3)):
        state = f"{folder}/.holdfast"
        run = holdfast("log", "--runs", "--store", state, "--json").json["parts"][0]["runs"][0]["run_id"]
        words = (
            "store",
            "reprocess",
            run,
            "--policy",
            "docs",
            "--store",
            state,
            "--processes",
            workers,
            "--json",
            "-q",
        )
        seals.append({key: holdfast(*words).json[key] for key in ("run_id", "seal", "counts")})
    assert seals[0] == seals[1]


def test_stopped_and_started_again_it_ends_as_if_undisturbed(tmp_path, holdfast):
    with LivingSite() as site:
        filler = "<p>Some words to read.</p>" * 2000
        for number in range(120):
            site.put(f"/{number}?q=1", f"Words of {number} {filler}")
        source = site.origin + "/"
        assert holdfast("mirror", source, "-o", "one", "--content-rate-limit", 0, "-q").status == 0
    subprocess.run(["cp", "-r", "one", "two"], check=True, cwd=tmp_path)
    run = holdfast("log", "--runs", "--store", "one/.holdfast", "--json").json["parts"][0]["runs"][0][
        "run_id"
    ]
    words = ["store", "reprocess", run, "--policy", "docs", "--processes", "1", "--json"]
    whole = holdfast(*words, "--store", "one/.holdfast").json
    command = [sys.executable, "-m", "holdfast", *words, "--store", "two/.holdfast"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stderr.readline().startswith(b"[")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130
    again = json.loads(subprocess.run(command, cwd=tmp_path, capture_output=True, check=True).stdout)
    assert (again["run_id"], again["seal"]) == (whole["run_id"], whole["seal"])


@pytest.mark.spec("SCT-2")
def test_the_same_recipe_writes_the_sections_that_are_missing(reprocess, mirrored, folder):
    """A ledger of an earlier Holdfast, whose items have no sections."""
    with apsw.Connection(str(folder / ".holdfast" / "ledger.db")) as db:
        [guard] = db.execute(
            "SELECT sql FROM sqlite_master WHERE name = 'section_is_never_deleted'"
        ).fetchone()
        db.execute("DROP TRIGGER section_is_never_deleted; DELETE FROM section")
        db.execute(guard)
    ran = reprocess(mirrored[0])
    assert ran.status == 0, ran.err
    assert (ran.json["run_id"], ran.json["total"]) == (mirrored[0], 3)
    assert ran.json["counts"] == {"with sections now": 3, "failed": 0}
    opened = open_ledger(folder / ".holdfast" / "ledger.db", None, read_only=True)
    for item in items_of(opened, mirrored[0]).values():
        assert opened.sections.of_item(item.item_id)
    opened.close()
    assert reprocess(mirrored[0]).status == 2
    assert reprocess(mirrored[1]).json["counts"] == {"with sections now": 1, "failed": 0}
