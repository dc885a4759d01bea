"""A mirror's own history is brought into its root's: exact, finished after a kill anywhere, named when it is
owed (STA-6).
"""

from __future__ import annotations

import json
import shutil

import pytest

from helpers.sites.command import files_of, fingerprint, holdfast, mirror
from helpers.sites.killing import KILLED, changes_of, run_until
from helpers.sites.living import LivingSite

pytestmark = pytest.mark.spec("STA-6")


@pytest.fixture(scope="module")
def grown(tmp_path_factory):
    """A root with checked documents and a mirror of its own; below it a mirror with a history of three runs,
    one of them interrupted; what every question about that mirror is answered with.
    """
    base = tmp_path_factory.mktemp("grown")
    with LivingSite() as site:
        for name in "abcd":
            site.put(f"/{name}", f"Words of {name}", links=["/a"])
        site.redirect("/old", "/a")
        root = base / "root"
        (root / "notes").mkdir(parents=True)
        mirror(site.origin + "/", root / "docs", "--convert-links", "local")
        site.put("/b", "Words of b, changed", links=["/a", "/old"])
        mirror(site.origin + "/", root / "docs", "--convert-links", "local", "--update")
        (root / "holdfast.toml").touch()
        (root / "notes/n.md").write_text(f"[a]({site.origin}/a) [d]({site.origin}/d)\n")
        consent = ("--fetch-urls", "--allow-private")
        assert holdfast("check", root / "notes", *consent).status == 0
        mirror(site.origin + "/", root / "other", "--max-pages", "2")
        assert (root / ".holdfast/ledger.db").is_file()
        assert (root / "docs/.holdfast/ledger.db").is_file()
        yield site, base, answers(site, root, root / "docs")


@pytest.fixture
def root(grown, tmp_path):
    shutil.copytree(grown[1] / "root", tmp_path / "root", symlinks=True)
    return tmp_path / "root"


def answers(site, root, state):
    """What is known of the mirror: captures, items and edges of each URL, runs, pages, changes."""
    told = {}
    for name in "abcd":
        url = f"{site.origin}/{name}"
        told[f"history {name}"] = json.loads(holdfast("log", url, "--store", state, "--json").out)["parts"][
            0
        ]["page"]["captures"]
        items = json.loads(holdfast("log", "--items", url, "--store", state, "--json").out)
        told[f"lineage {name}"] = items["parts"][0]["items"]
        told[f"show {name}"] = holdfast("show", url, "--store", state).out
    runs = json.loads(holdfast("log", "--runs", "--store", state, "--json").out)["parts"][0]["runs"]
    told["runs"] = {run["run_id"]: {**run, "label": ""} for run in runs}
    lines = holdfast("log", f"{site.origin}/old", "--store", state).err.splitlines()
    # in its root a mirror is named, as in the changes below
    told["names"] = {line.replace(" in docs:", ":") for line in lines if "another name" in line}
    told["pages"] = fingerprint(root / "docs")
    told["changes"] = [
        {**change, "mirror": "", "event_id": ""}
        for change in json.loads(holdfast("log", root / "docs", "--json").out)["parts"][0]["changes"]
    ]
    return told


def assert_holds(root, before, site):
    after = answers(site, root, root)
    for question, told in before.items():
        now = after[question]
        if question == "runs":
            assert {name: now[name] for name in told} == told
        elif question.startswith(("history", "lineage")):
            assert [entry for entry in now if entry in told] == told
        elif question == "names":
            assert told <= now
        else:
            assert now == told, question
    assert not (root / "docs/.holdfast").exists() or not (root / "docs/.holdfast/ledger.db").exists()
    verified = holdfast("verify", root / "docs", "--processes", "1")
    assert verified.status == 0, verified.out
    checked = holdfast("verify", "--store", root)
    assert checked.status == 0, checked.out
    assert not (root / ".holdfast/archive/orphans").exists()


def test_every_question_is_answered_as_before(grown, root):
    site, _, before = grown
    done = holdfast("store", "join", root / "docs", "--json")
    assert done.status == 0, done.err
    told = json.loads(done.out)
    assert (told["label"], told["runs"]) == ("docs", 2)
    assert_holds(root, before, site)
    assert (root / "docs/.holdfast.adopted/ledger.db").is_file()
    again = holdfast("store", "join", root / "docs")
    assert (again.status, "no runs" in again.err) == (0, True), "it is finished already"


def test_the_mirror_goes_on_in_its_root_and_citations_know_it(grown, root, monkeypatch):
    site, _, _ = grown
    asked = []
    for alone in (shutil.copytree(root, root.parent / "copy"), root):
        if alone is root:
            assert holdfast("store", "join", root / "docs").status == 0
        site.forget_requests()
        done = mirror(site.origin + "/", alone / "docs", "--convert-links", "local", "--update")
        assert done.status == 0, done.err
        asked.append([path for path, _, _ in site.pages_asked])
    assert asked[0] == asked[1]
    assert holdfast("verify", root / "docs").status == 0, holdfast("verify", root / "docs").out
    site.forget_requests()
    assert mirror(site.origin + "/", root / "docs", "--convert-links", "local", "--update").status == 0
    assert {("/a", True, 304), ("/b", True, 304)} <= set(site.pages_asked)  # it has answers of its own now
    assert not (root / "docs/.holdfast/ledger.db").exists()
    monkeypatch.chdir(root)
    assert "mirrored as docs/" in holdfast("links", root / "notes/n.md").out


def test_the_first_track_names_the_mirrors_that_it_does_not_know(grown, root, monkeypatch):
    monkeypatch.chdir(root)
    shutil.rmtree(root / ".holdfast")
    told = (
        "docs has a history of its own, so links do not name its files; `holdfast store join docs` joins it"
    )
    assert told in holdfast("check", "notes").err
    assert "history of its own" not in holdfast("check", "notes").err
    assert holdfast("store", "join", "docs").status == 0
    assert "mirrored as docs/" in holdfast("links", "notes/n.md").out


@pytest.mark.spec("ID-13")
def test_keys_of_another_version_become_those_of_the_root(grown, root):
    site = grown[0]
    state = ("--store", root / ".holdfast", "--json")
    assert holdfast("store", "rekey", "web@2", *state).status == 0
    assert holdfast("store", "join", root / "docs").status == 0

    again = json.loads(holdfast("store", "rekey", *state).out)
    assert (again["before"], again["moved"], again["unexplained"]) == ("web@2", 0, 0)
    found = json.loads(holdfast("log", f"{site.origin}/a?igshid=x", *state).out)
    assert len(found["parts"][0]["page"]["captures"]) > 1


def test_an_interrupted_run_goes_on_after_it_was_adopted(grown, tmp_path):
    site, _, _ = grown
    (tmp_path / "holdfast.toml").touch()
    alone = tmp_path / "elsewhere"
    mirror(site.origin + "/", alone / "m", "--max-pages", "2", "--store", alone / "m/.holdfast")
    shutil.move(alone / "m", tmp_path / "m")
    assert holdfast("store", "join", tmp_path / "m").status == 0
    site.forget_requests()
    done = mirror(site.origin + "/", tmp_path / "m")
    assert done.status == 0, done.err
    assert "resumed" in done.err or "going on" in done.err or len(site.pages_asked) < 4
    runs = json.loads(holdfast("log", "--runs", "--store", tmp_path, "--json").out)["parts"][0]["runs"]
    assert [run["status"] for run in runs] == ["finished"]


def test_killed_before_any_change_it_is_finished_by_the_next(grown, tmp_path):
    site, base, before = grown
    root = tmp_path / "root"
    shutil.copytree(base / "root", root)
    steps = changes_of(["store", "join", root / "docs"], tmp_path / "steps")
    assert steps > 8
    for step in range(1, steps + 2):  # behind the last change the folder has its new name
        shutil.rmtree(root)
        shutil.copytree(base / "root", root)
        assert run_until(["store", "join", root / "docs"], step) in (0, KILLED)
        again = holdfast("store", "join", root / "docs")
        assert again.status == 0, (step, again.err)
        assert_holds(root, before, site)


def test_what_the_mirror_learned_after_a_kill_comes_in_too(grown, root, tmp_path):
    site, _, _ = grown
    steps = changes_of(
        ["store", "join", shutil.copytree(root, tmp_path / "copy") / "docs"], tmp_path / "steps"
    )
    run_until(["store", "join", root / "docs"], steps)  # all but the last change: the folder's new name
    site.put("/c", "Words of c, changed after the kill")
    done = mirror(site.origin + "/", root / "docs", "--convert-links", "local", "--update")
    assert "two histories" in done.err
    assert "store join" in done.err
    site.put("/c", "Words of c", links=["/a"])
    assert holdfast("store", "join", root / "docs").status == 0
    assert "changed after the kill" in holdfast("show", f"{site.origin}/c", "--store", root).out
    assert holdfast("verify", root / "docs", "--processes", "1").status == 0


def test_two_mirrors_of_one_source_are_told_apart(grown, tmp_path):
    site, _, _ = grown
    for name in ("one", "two"):
        mirror(site.origin + "/", tmp_path / name)
    (tmp_path / "holdfast.toml").touch()
    assert holdfast("store", "join", tmp_path / "one").status == 0
    before = files_of(tmp_path / "two")
    refused = holdfast("store", "join", tmp_path / "two")
    assert refused.status == 4
    assert "another mirror of the same source" in refused.err
    assert files_of(tmp_path / "two") == before
    assert holdfast("verify", tmp_path / "two", "--processes", "1").status == 0
    assert holdfast("verify", tmp_path / "one", "--processes", "1").status == 0


def test_without_a_root_or_a_history_it_says_what_is_missing(grown, tmp_path):
    site, _, _ = grown
    mirror(site.origin + "/", tmp_path / "m")
    done = holdfast("store", "join", tmp_path / "m")
    assert (done.status, "holdfast.toml" in done.err) == (2, True)
    done = holdfast("store", "join", tmp_path / "nothing")
    assert (done.status, "no ledger of its own" in done.err) == (2, True)
