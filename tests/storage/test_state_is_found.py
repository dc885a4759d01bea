"""State is found, never abandoned (STA-6)."""

from __future__ import annotations

import json

import pytest

from helpers.sites.command import holdfast, mirror
from helpers.sites.living import LivingSite

pytestmark = pytest.mark.spec("STA-6")


@pytest.fixture
def site():
    with LivingSite() as living:
        living.put("/a", "Words of a")
        living.put("/b", "Words of b")
        yield living


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def make(site, output, *flags):
    site.forget_requests()
    done = mirror(site.origin + "/", output, *flags)
    assert done.status == 0, done.err
    return done


def test_a_question_beside_a_mirror_finds_it(site, here):
    make(site, here / "docs-mirror")
    for words in (
        (
            "log",
            "--runs",
        ),
        ("log", site.origin + "/a"),
        ("log", "--items", site.origin + "/a"),
    ):
        done = holdfast(*words)
        assert done.status == 0, done.err


def test_a_question_is_put_to_a_folder_by_its_name(site, here):
    make(site, here / "deep" / "docs-mirror")
    (here / "elsewhere").mkdir()
    for name in ("deep/docs-mirror", "deep/docs-mirror/.holdfast"):
        assert holdfast("log", "--runs", "--store", name).status == 0


@pytest.mark.parametrize("command", ["broken", "changed", "graph", "store prune"])
def test_a_command_about_a_whole_history_takes_a_folder_of_it(site, here, command):
    make(site, here / "docs-mirror")
    (here / "other").mkdir()
    inner = next((here / "docs-mirror").rglob("a"))
    for folder in ("docs-mirror", "docs-mirror/.holdfast", inner):
        done = holdfast(*command.split(), folder)
        assert done.status == 0, done.err
    twice = holdfast(*command.split(), "docs-mirror", "--store", "docs-mirror")
    assert (twice.status, twice.err) == (
        2,
        "error: docs-mirror and --store docs-mirror: name one of them\n",
    )
    missing = holdfast(command, "docs-miror")
    assert (missing.status, missing.err) == (2, "error: there is no folder docs-miror\n")


def test_a_mirror_is_asked_in_its_own_history_unless_another_is_named(site, here, monkeypatch):
    """What a question is about says where it is asked; a store that is named is asked alone (CLI-2)."""
    (here / "root" / "deep").mkdir(parents=True)
    (here / "root" / "holdfast.toml").touch()
    make(site, here / "root" / "one")
    (here / "beside").mkdir()
    for folder, name in (("root", "one"), ("root/deep", "../one"), ("beside", "../root/one")):
        monkeypatch.chdir(here / folder)
        done = holdfast("log", "--runs", name)
        assert done.status == 0, done.err
        assert "  one  " in done.out
    monkeypatch.chdir(here / "root")
    monkeypatch.setenv("HOLDFAST_STORE", str(here / "elsewhere"))
    done = holdfast("log", "--runs", "one")
    assert (done.status, done.out) == (3, "")
    assert done.err == f"error: there is no ledger at {here / 'elsewhere' / 'ledger.db'}\n"
    assert not (here / "elsewhere").exists()


@pytest.mark.parametrize("command", [("log",), ("export", "-o", "records.jsonl")], ids=["changes", "export"])
def test_a_question_about_a_mirror_finds_the_one_there_is(site, here, monkeypatch, command):
    make(site, here / "deep" / "docs-mirror")
    for words in ((), ("deep/docs-mirror",), ("--store", "deep/docs-mirror")):
        done = holdfast(*command, *words)
        assert done.status == 0, done.err
    monkeypatch.chdir(next((here / "deep" / "docs-mirror").rglob("a")))
    assert holdfast(*command).status == 0


def test_of_several_mirrors_of_a_root_all_are_asked_or_the_one_that_is_named(site, here):
    """A question that names none is about all (CLI-2); one that names what is not there is refused."""
    (here / "holdfast.toml").touch()
    make(site, here / "one")
    make(site, here / "two")
    for words, mirrors in (((), {"one", "two"}), (("one",), {"one"}), (("two",), {"two"})):
        (part,) = json.loads(holdfast("log", "--runs", *words, "--json").out)["parts"]
        assert {run["label"] for run in part["runs"]} == mirrors
    done = holdfast("log", "three")
    assert (done.status, done.out) == (2, "")
    assert "is called 'three'" in done.err


def test_a_root_that_has_no_mirror_says_that_nothing_changed(here):
    """Of a history without mirrors `log` answers as of any other (CLI-2)."""
    (here / "holdfast.toml").touch()
    (here / "a.md").write_text("[a](https://example.com/)")
    assert holdfast("check", ".").status == 0
    done = holdfast("log")
    assert (done.status, done.out, done.err) == (0, "", "nothing changed\n")


def test_of_several_histories_below_all_are_asked_or_the_one_that_is_named(site, here):
    """A question reads all stores here (CLI-2); each part of the answer names its store."""
    make(site, here / "one")
    site.put("/c", "Words of c")
    make(site, here / "two")
    done = holdfast("log", "--runs", "--json")
    assert done.status == 0, done.err
    parts = json.loads(done.out)["parts"]
    assert [part["store"] for part in parts] == ["one", "two"]
    first, second = (part["runs"] for part in parts)
    assert len(first) == len(second) == 1
    assert first != second
    for name, runs in (("one", first), ("two", second)):
        (part,) = json.loads(holdfast("log", "--runs", "--store", name, "--json").out)["parts"]
        assert part["runs"] == runs


def test_the_nearest_history_upward_comes_first(site, here, monkeypatch):
    make(site, here / "one")
    inner = next((here / "one").rglob("a"))
    monkeypatch.chdir(inner)
    assert holdfast("log", "--runs").status == 0


def test_a_settings_file_that_appears_above_a_mirror_changes_nothing(site, here):
    make(site, here / "mir")
    (here / "holdfast.toml").touch()
    make(site, here / "mir", "--update")
    assert not (here / ".holdfast").exists()
    assert all(asked.conditional for asked in site.asked if asked.path in ("/a", "/b"))
    assert len(holdfast("log", "--runs", "--store", "mir").out.splitlines()) == 3


def test_a_settings_file_that_goes_changes_nothing_either(site, here):
    (here / "holdfast.toml").touch()
    make(site, here / "mir")
    assert (here / ".holdfast" / "ledger.db").is_file()
    (here / "holdfast.toml").unlink()
    make(site, here / "mir", "--update")
    assert not (here / "mir" / ".holdfast" / "ledger.db").exists()
    assert holdfast("verify", here / "mir", "--processes", 1).status == 0


def test_a_new_mirror_joins_the_documents_that_are_tracked_there(site, here):
    (here / "README.md").write_text(f"See {site.origin}/a.\n")
    assert holdfast("check", ".").status == 0
    make(site, here / "mir")
    assert not (here / "mir" / ".holdfast" / "ledger.db").exists()
    assert "mirrored as" in holdfast("links", "README.md").out


def test_a_place_for_drafts_is_not_a_history(site, here, monkeypatch):
    """A mirror under a root has a `.holdfast` with drafts in it; questions from inside go to the root's."""
    (here / "holdfast.toml").touch()
    make(site, here / "mir")
    assert (here / "mir" / ".holdfast").is_dir()
    monkeypatch.chdir(here / "mir")
    assert holdfast("log", "--runs").status == 0
