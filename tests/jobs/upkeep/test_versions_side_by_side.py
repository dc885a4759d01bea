"""A second version is ordinary: mirror with one, move to the other, ask across both (ID-13)."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from helpers.sites.command import holdfast as command
from helpers.sites.command import mirror as mirror_command
from holdfast.adapters.folder.folder import Folder
from holdfast.core.url.policy import POLICIES, policy
from holdfast.jobs.upkeep import moving
from holdfast.storage.ledger.page_table import PageTable
from holdfast.storage.ledger.run_table import RunTable

pytestmark = pytest.mark.spec("ID-13", "VER-5")


@pytest.fixture
def site_of_trackers(site):
    site.put("/", "Home", links=["/a?igshid=x", "/b", "/c?gclid=1&q=2"])
    site.put("/a?igshid=x", "A page that a tracker names", listed=False)
    site.put("/b", "B", listed=False)
    site.put("/b?igshid=y", "B", listed=False)
    site.put("/c?q=2", "C", listed=False)
    site.put("/c?gclid=1&q=2", "C", listed=False)
    return site


def pages(folder):
    return sorted(
        path.relative_to(folder).as_posix().partition("/")[2]
        for path in folder.rglob("*.md")
        if path.name != "_index.md" and ".holdfast" not in path.parts
    )


def recipes(folder):
    ran = command("log", "--runs", "--store", folder / ".holdfast", "--json")
    return [run["normalization_version"] for run in json.loads(ran.out)["parts"][0]["runs"]]


def versions_of(url, folder):
    ran = command("log", url, "--store", folder / ".holdfast", "--json")
    captures = json.loads(ran.out)["parts"][0]["page"]["captures"]
    return ran.status, [capture["normalization_version"] for capture in captures]


@pytest.fixture
def first(site_of_trackers, make, folder):
    make(discover="links")
    return site_of_trackers


def test_a_run_is_reprocessed_to_the_second_version_and_both_are_known(first, folder):
    run = json.loads(command("log", "--runs", "--store", folder / ".holdfast", "--json").out)["parts"][0][
        "runs"
    ][0]["run_id"]
    state = folder / ".holdfast"
    done = command("store", "reprocess", run, "--policy", "site@2", "--store", state, "-q", "--json")
    assert done.status == 0, done.err
    assert json.loads(done.out)["normalization_version"] == "http_snapshot_siteurl_v2_text_v1"

    status, versions = versions_of(first.origin + "/a?igshid=x", folder)
    assert status == 0
    assert set(versions) == {"http_snapshot_siteurl_v1_text_v1", "http_snapshot_siteurl_v2_text_v1"}
    verified = command("verify", folder)
    assert verified.status == 0, verified.err
    assert command("restore", folder, "-q").status == 0


def test_a_mirror_moves_to_the_second_version_with_one_file_a_page(first, folder):
    before = pages(folder)
    ran = command("restore", folder, "--move", "--policy", "site@2", "-q")
    assert ran.status == 0, ran.err
    after = pages(folder)
    assert [name for name in before if name.startswith("a__q_")]
    assert not [name for name in after if name.startswith("a__q_")]
    assert "a/index.md" in after
    assert len(after) == len(before)
    assert recipes(folder)[0] == "http_snapshot_siteurl_v2_text_v1"

    verified = command("verify", folder)
    assert verified.status == 0, verified.err
    status, versions = versions_of(first.origin + "/a?igshid=x", folder)
    assert status == 0
    assert versions[-1] == "http_snapshot_siteurl_v2_text_v1"


def test_a_moved_mirror_goes_on_in_its_new_version(first, make, folder):
    command("restore", folder, "--move", "--policy", "site@2", "-q")
    after = pages(folder)
    first.put("/b", "B, changed", listed=False)
    make(discover="links", update=True)

    assert pages(folder) == after
    assert set(recipes(folder)[:2]) == {"http_snapshot_siteurl_v2_text_v1"}
    verified = command("verify", folder)
    assert verified.status == 0, verified.err


def test_a_mirror_is_rebuilt_as_it_was_before_and_after_the_move(first, folder, tmp_path):
    moment = datetime.now(UTC).isoformat()
    before = pages(folder)
    command("restore", folder, "--move", "--policy", "site@2", "-q")
    for name, at in (("then", moment), ("now", "2999-01-01")):
        ran = command("restore", folder, "--output", tmp_path / name, "--at", at, "-q")
        assert ran.status == 0, ran.err

    assert pages(tmp_path / "then") == before
    assert pages(tmp_path / "now") == pages(folder)


def test_under_a_new_default_a_mirror_goes_on_with_its_own_version(first, make, folder, monkeypatch):
    monkeypatch.setitem(POLICIES, "site", policy("site", 2))
    before = pages(folder)
    ran = mirror_command(first.origin + "/", folder, "--discover", "links", "--update")

    assert ran.status == 0, ran.err
    assert "holdfast restore" in ran.err
    assert "--policy site@2" in ran.err
    assert pages(folder) == before
    assert set(recipes(folder)) == {"http_snapshot_siteurl_v1_text_v1"}


def test_another_version_is_refused_with_the_way_to_move(first, folder):
    ran = mirror_command(first.origin + "/", folder, "--discover", "links", "--policy", "site@2")

    assert ran.status == 4
    assert "--move" in ran.err
    assert "holdfast store reprocess" in ran.err


def test_moving_to_where_it_is_is_refused(first, folder):
    ran = command("restore", folder, "--move", "--policy", "site@1", "-q")

    assert ran.status == 2
    assert "already" in ran.err


@pytest.mark.parametrize("call", range(1, 5))
@pytest.mark.parametrize("what", ["write_all", "remove", "drop_pages", "end_run", "begin_run"])
def test_a_move_that_was_cut_short_anywhere_is_gone_on_with(first, folder, monkeypatch, what, call):
    owner = {"drop_pages": PageTable, "end_run": RunTable, "begin_run": RunTable}.get(what, Folder)
    real, calls = getattr(owner, what), []

    def cut_short(*given, **named):
        calls.append(what)
        if len(calls) == call:
            raise KeyboardInterrupt
        return real(*given, **named)

    monkeypatch.setattr(moving, "BATCH", 1)
    with monkeypatch.context() as patched:
        patched.setattr(owner, what, cut_short)
        command("restore", folder, "--move", "--policy", "site@2", "-q")
    again = command("restore", folder, "--move", "--policy", "site@2", "-q")
    assert again.status in (0, 2), again.err  # 2: it was done when it was cut short
    assert command("restore", folder, "-q").status == 0

    assert "a/index.md" in pages(folder)
    assert not [name for name in pages(folder) if name.startswith("a__q_")]
    verified = command("verify", folder)
    assert verified.status == 0, verified.out


@pytest.mark.spec("ID-12", "TRK-3")
def test_a_new_default_of_web_parts_nothing_that_is_joined(first, folder, monkeypatch):
    known = versions_of(first.origin + "/a?igshid=x", folder)
    monkeypatch.setitem(POLICIES, "web", policy("web", 2))

    assert known[0] == 0
    assert versions_of(first.origin + "/a?igshid=x", folder) == known
