"""`holdfast sync`: mirrors by what they remember, checks with consent; what is passed over is said."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from helpers.sites.living import LivingSite
from holdfast.core.base.errors import ConsentError
from holdfast.faces.library import sync as library_sync
from holdfast.faces.library.json_form import to_json
from holdfast.storage.state_folder import MOST_LOOKED_AT, lock

pytestmark = pytest.mark.spec("STA-11")


@pytest.fixture
def site():
    with LivingSite() as living:
        living.put("/", "Home.", links=["/a", "/b"])
        living.put("/a", "A.")
        living.put("/b", "B.")
        yield living


@pytest.fixture
def other():
    with LivingSite() as living:
        living.put("/", "Another home.")
        yield living


FAST = ("--content-rate-limit", "0")


@pytest.fixture
def docs(site, holdfast):
    assert holdfast("mirror", f"{site.origin}/", "-o", "docs", "--exclude", "/b", *FAST).status == 0
    site.forget_requests()
    return Path("docs")


def urls(folder):
    return {
        page["url"].rpartition("/")[2]
        for page in json.loads((folder / "_manifest.json").read_text())["pages"]
    }


def sync(holdfast, *words):
    return holdfast("sync", *words, *FAST)


def test_a_mirror_is_brought_up_to_date_by_what_it_remembers(site, docs, holdfast):
    site.put("/a", "Other words.")
    ran = sync(holdfast)
    assert ran.status == 0, ran.err
    assert "Other words." in next(docs.rglob("a/index.md")).read_text()
    assert urls(docs) == {"", "a"}
    assert "mirror docs: from" in ran.err


def test_what_would_be_done_is_listed_and_nobody_is_asked(site, docs, holdfast):
    ran = sync(holdfast, "-n", "--json")
    assert (ran.status, site.asked) == (0, [])
    assert [part["name"] for part in json.loads(ran.out)["parts"]] == ["docs"]


def test_upstream_that_took_a_page_away_is_no_failure_unless_told(site, docs, holdfast):
    site.drop("/a")
    site.put("/", "Home.")
    ran = sync(holdfast, "--fail-on", "gone")
    assert ran.status == 1, ran.err
    assert sync(holdfast).status == 0


def test_a_page_that_failed_makes_the_status_1(site, docs, holdfast):
    site.put("/a", "Trouble.", status=500)
    assert sync(holdfast, "docs").status == 1
    assert sync(holdfast, "docs", "--fail-on", "none").status == 0


def test_two_mirrors_each_have_their_turn_and_one_that_cannot_be_reached_makes_it_3(
    site, other, docs, holdfast
):
    assert holdfast("mirror", f"{other.origin}/", "-o", "more", *FAST).status == 0
    other.put("/", "Trouble.", status=500)
    site.put("/a", "Later words.")
    ran = sync(holdfast)
    assert "Later words." in next(docs.rglob("a/index.md")).read_text()
    assert ran.status == 3, ran.err


def test_a_locked_store_is_4_alone_and_3_beside_others(site, other, docs, holdfast):
    with lock(docs / ".holdfast", "a test"):
        assert sync(holdfast).status == 4
        assert holdfast("mirror", f"{other.origin}/", "-o", "more", *FAST).status == 0
        other.put("/", "Later words.")
        ran = sync(holdfast)
    assert ran.status == 3, ran.err
    assert "Later words." in next(Path("more").rglob("index.md")).read_text()


def test_a_name_that_is_not_here_is_2_and_so_is_an_empty_folder(docs, holdfast, tmp_path, monkeypatch):
    assert sync(holdfast, "nothing-here").status == 2
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    shutil.rmtree(tmp_path / "docs")
    ran = sync(holdfast)
    assert ran.status == 2
    assert "no mirror and no check" in ran.err


def test_a_page_is_refused_with_the_right_call(site, docs, holdfast):
    ran = sync(holdfast, f"{site.origin}/a")
    assert (ran.status, site.asked) == (2, [])
    assert "holdfast sync" in ran.err


def test_a_mirror_whose_folder_is_gone_is_passed_over_and_said(site, other, holdfast):
    Path("holdfast.toml").write_text("")
    assert holdfast("mirror", f"{site.origin}/", "-o", "docs", *FAST).status == 0
    assert holdfast("mirror", f"{other.origin}/", "-o", "more", *FAST).status == 0
    shutil.rmtree("docs")
    site.forget_requests()
    ran = sync(holdfast)
    assert (ran.status, site.asked) == (0, []), ran.err
    assert "passed over docs: the folder of the mirror docs is gone" in ran.err
    assert sync(holdfast, "docs").status == 2


@pytest.mark.spec("SEC-9")
def test_a_strangers_mirror_is_not_asked(site, other, docs, holdfast, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another"))
    ran = sync(holdfast)
    assert (ran.status, site.asked) == (4, []), ran.err
    assert sync(holdfast, "docs").status == 4
    assert holdfast("mirror", f"{other.origin}/", "-o", "mine", *FAST).status == 0
    ran = sync(holdfast)
    assert (ran.status, site.asked) == (0, []), ran.err
    assert "passed over docs" in ran.err
    assert sync(holdfast, "docs", "--trust").status == 0
    assert site.asked


def test_what_was_looked_at_lately_is_left_alone(site, docs, holdfast):
    ran = sync(holdfast, "--max-age", "7d")
    assert (ran.status, site.asked) == (0, []), ran.err
    assert "young enough" in ran.err
    assert sync(holdfast, "--max-age", "0s").status == 0
    assert site.asked


def test_a_budget_asks_that_many_pages(site, docs, holdfast):
    assert sync(holdfast, "--max-pages", 1).status == 0
    assert len(site.pages_asked) == 1


def test_a_mirror_that_settings_name_is_made_where_it_is_not_there(site, holdfast):
    Path("holdfast.toml").write_text(f'[mirror.handbook]\nsource = "{site.origin}/"\nexclude = ["/b"]\n')
    assert holdfast("config", "trust", "--yes").status == 0
    assert sync(holdfast, "handbook").status == 0
    assert urls(Path("handbook")) == {"", "a"}
    site.put("/a", "Other words.")
    assert sync(holdfast).status == 0
    assert "Other words." in next(Path("handbook").rglob("a/index.md")).read_text()


@pytest.fixture
def notes(site, holdfast):
    Path("notes").mkdir()
    Path("notes/a.md").write_text(f"[one]({site.origin}/a) and [gone](missing.md)\n")


def test_documents_are_asked_with_consent_alone(site, notes, holdfast):
    ran = sync(holdfast, "notes")
    assert (ran.status, site.asked) == (0, []), ran.err
    assert "local links alone" in ran.err
    ran = sync(holdfast, "notes", "--fetch-urls", "--allow-private")
    assert ran.status == 0, ran.err
    assert {asked.path for asked in site.asked} >= {"/a"}


def test_a_check_of_the_settings_file_is_one_part(site, notes, holdfast):
    Path("holdfast.toml").write_text('[check.prose]\npaths = ["notes"]\n')
    ran = sync(holdfast, "--json")
    assert ran.status == 0, ran.err
    assert [(part["kind"], part["name"]) for part in json.loads(ran.out)["parts"]] == [("check", "prose")]
    assert json.loads(sync(holdfast, "prose", "--json").out)["parts"][0]["name"] == "prose"
    assert json.loads(sync(holdfast, "--json").out)["parts"][0]["name"] == "prose"


def test_documents_that_were_checked_before_are_checked_again(site, notes, holdfast):
    holdfast("check", "notes")
    parts = json.loads(sync(holdfast, "--json").out)["parts"]
    assert [part["kind"] for part in parts] == ["check"]


def test_offline_asks_nobody(site, docs, notes, holdfast):
    ran = sync(holdfast, "docs", "notes", "--offline")
    assert site.asked == []
    assert ran.status == 0, ran.err


def test_dead_links_count_where_that_is_said(site, notes, holdfast):
    site.drop("/a")
    words = ("notes", "--fetch-urls", "--allow-private", "--fail-on", "dead", "--max-age", "0s")
    assert sync(holdfast, *words).status == 0  # one look is no proof
    assert sync(holdfast, *words).status == 1


def test_a_kind_that_there_is_not_is_refused(docs, holdfast):
    assert sync(holdfast, "--fail-on", "sometimes").status == 2


def test_a_source_that_is_a_mirror_names_sync(docs, holdfast):
    ran = holdfast("mirror", "docs")
    assert ran.status == 2
    assert "holdfast sync docs" in ran.err


@pytest.mark.spec("SEC-9")
def test_consent_of_a_stranger_ends_4_where_the_documents_are_named_or_alone(site, other, notes, holdfast):
    Path("holdfast.toml").write_text("fetch_external_urls = true\n")
    assert sync(holdfast, "notes").status == 4
    holdfast("check", "notes", "--offline")
    assert sync(holdfast).status == 4
    assert holdfast("mirror", f"{other.origin}/", "-o", "docs", *FAST).status == 0
    ran = sync(holdfast)
    assert ran.status == 0, ran.err
    assert "local links alone" in ran.err
    assert site.asked == []


def test_a_look_that_met_its_bound_asks_nobody(site, docs, holdfast):
    Path("many").mkdir()
    for number in range(MOST_LOOKED_AT):
        Path("many", str(number)).touch()
    ran = sync(holdfast)
    assert (ran.status, site.asked) == (2, []), ran.err
    assert "--store" in ran.err
    assert sync(holdfast, "--store", "docs").status == 0


def test_the_library_takes_its_callers_word(site, docs):
    with pytest.raises(ConsentError):
        library_sync()
    assert site.asked == []
    assert [part.name for part in library_sync(trust=True, dry_run=True).parts] == ["docs"]
    site.put("/a", "Other words.")
    done = library_sync("docs", trust=True, content_rate_limit=0)
    assert (done.status, done.parts[0].found["changed"]) == (0, 1)
    assert to_json(done)["parts"][0]["kind"] == "mirror"


def test_a_folder_stands_for_all_in_it_and_below(site, other, holdfast):
    assert holdfast("mirror", f"{site.origin}/", "-o", "kept/docs", *FAST).status == 0
    assert holdfast("mirror", f"{other.origin}/", "-o", "elsewhere", *FAST).status == 0
    parts = json.loads(sync(holdfast, "kept", "-n", "--json").out)["parts"]
    assert [part["name"] for part in parts] == ["kept/docs"]
