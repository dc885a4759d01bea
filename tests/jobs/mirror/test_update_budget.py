"""`mirror --update --max-pages N`: a budget of questions, spent on the pages that were looked at longest ago.

Each test counts what the server was asked.
"""

from __future__ import annotations

import json
import shutil

import pytest

from helpers.sites.command import fingerprint, holdfast, manifest_of, pages_of
from helpers.sites.killing import KILLED, changes_of, run_until
from helpers.sites.living import LivingSite
from holdfast.core.lineage.lineage import RunStatus
from holdfast.core.settings.resolve import resolve
from holdfast.faces.library import mirror
from holdfast.jobs.mirror import job
from holdfast.jobs.session import open_store, read_store

pytestmark = pytest.mark.spec("MIR-16")

PATHS = tuple(f"/p{number}" for number in range(9))


@pytest.fixture(params=[True, False], ids=["listed", "linked"])
def site(request):
    """Ten pages, by a sitemap or by links: the home page links to the first, each page to the next one."""
    with LivingSite(has_sitemap=request.param) as living:
        living.put("/", "Home", links=["/p0"])
        for path, following in zip(PATHS, [*PATHS[1:], "/"], strict=True):
            living.put(path, f"Words of {path}", links=[following])
        yield living


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "mirror"


def run(site, folder, **settings):
    site.forget_requests()
    return mirror(site.origin + "/", output=folder, content_rate_limit=0, processes=1, **settings)


def night(site, folder, budget, **settings):
    """The paths that an update with a budget asks for."""
    summary = run(site, folder, update=True, max_pages=budget, **settings)
    assert len(asked(site)) <= budget
    return summary


def asked(site):
    return [path for path, _, _ in site.pages_asked]


def words_of(folder, path):
    return next(text for name, text in pages_of(folder).items() if name.endswith(f"{path}/index.md"))


def gone(folder):
    with read_store(resolve(), folder / ".holdfast") as store:
        pages = [page.place.url for page in store.ledger.pages.by_path(".") if page.gone_at]
    return sorted("/" + url.split("/", 3)[3] for url in pages)


def runs_of(folder):
    """The runs of a mirror, the latest first."""
    return json.loads(holdfast("log", "--runs", "--store", folder, "--json").out)["parts"][0]["runs"]


def test_pages_that_were_not_modified_are_counted_and_all_have_their_turn(site, folder):
    run(site, folder)
    turns = []
    for budget in (3, 3, 4):
        summary = night(site, folder, budget)
        turns.append(asked(site))
        assert len(turns[-1]) == budget
        assert {status for _, _, status in site.pages_asked} == {304}
        assert summary.outcomes["not asked"] == 10 - budget
        assert summary.status == "max_pages"
    assert sorted(path for turn in turns for path in turn) == sorted(["/", *PATHS])
    night(site, folder, 3)
    assert asked(site) == turns[0], "the oldest looks are those of the first night again"


def test_a_mirror_that_stopped_at_its_cap_is_not_frozen(site, folder):
    run(site, folder, max_pages=3)
    assert len(pages_of(folder)) == 3
    seen = set()
    for _ in range(6):
        night(site, folder, 3)
        assert len(asked(site)) == 3
        seen |= set(asked(site))
    assert len(pages_of(folder)) == 10
    assert seen == {"/", *PATHS}


def test_an_update_that_an_older_holdfast_stopped_at_its_cap_is_not_gone_on_with(site, folder):
    run(site, folder)
    night(site, folder, 3)
    with open_store(folder / ".holdfast", "test", resolve()) as store:
        last = next(store.ledger.runs.latest_first())
        store.ledger.runs.update_run(last.run.run_id, RunStatus.STOPPED, last.updated_at, last.tally)
    before = asked(site)
    night(site, folder, 3)
    assert len(asked(site)) == 3
    assert not set(asked(site)) & set(before)


def test_what_was_never_looked_at_goes_first(site, folder):
    run(site, folder, max_pages=8)
    night(site, folder, 2)
    assert asked(site) == ["/p7", "/p8"]
    new = "/new"
    site.put(new, "New words")
    site.put("/p0", "Other words", links=["/p1", new])
    for _ in range(7):
        night(site, folder, 2)
    assert "New words" in words_of(folder, new)


def test_an_update_without_a_budget_looks_at_every_page_of_a_mirror_that_stopped_at_its_cap(site, folder):
    run(site, folder, max_pages=4)
    site.put("/p1", "Other words", links=["/p2"])
    run(site, folder, update=True)
    assert "Other words" in words_of(folder, "/p1")
    assert len(pages_of(folder)) == 10
    assert len(asked(site)) == 10


def test_an_update_without_a_budget_looks_at_every_page_after_one_with_a_budget(site, folder):
    run(site, folder)
    night(site, folder, 4)
    summary = run(site, folder, update=True)
    assert len(asked(site)) == 10
    assert summary.status == "finished"


def test_a_budget_that_suffices_ends_as_an_update_without_one(site, folder, tmp_path):
    for where in (folder, tmp_path / "other"):
        run(site, where)
    site.put("/p3", "Other words", links=["/p4", "/new"])
    site.put("/new", "New words")
    site.drop("/p8")
    site.unlist("/p5")
    site.put("/p4", "No link any more")
    ends = [run(site, folder, update=True, max_pages=12), run(site, tmp_path / "other", update=True)]
    assert [summary.status for summary in ends] == ["finished", "finished"]
    assert "not asked" not in ends[0].outcomes
    if site.has_sitemap:
        assert fingerprint(folder) == fingerprint(tmp_path / "other")
        assert gone(folder) == gone(tmp_path / "other") == ["/p5", "/p8"]


def test_a_page_that_was_not_asked_is_never_taken_for_gone(site, folder):
    run(site, folder)
    manifest = {page["url"] for page in manifest_of(folder)["pages"]}
    for path in PATHS[3:]:
        site.drop(path)
    site.put("/p2", "No link any more")
    site.put("/", "Home", links=["/p0"])
    found = set()
    for _ in range(5):
        before = set(gone(folder))
        night(site, folder, 2)
        found |= set(asked(site))
        assert set(gone(folder)) - before <= set(asked(site))
        assert {page["url"] for page in manifest_of(folder)["pages"]} == manifest
    assert found == {"/", *PATHS}, "a page that nothing names any more has its turn, too"
    assert gone(folder) == list(PATHS[3:])


def test_a_page_that_fails_every_night_keeps_no_other_from_its_turn(site, folder):
    run(site, folder)
    for path in ("/p0", "/p1", "/p2"):
        site.change(path, status=503)
    seen = set()
    for _ in range(4):
        night(site, folder, 3, on_error="skip")
        seen |= set(asked(site))
    assert seen == {"/", *PATHS}


def test_entries_that_a_date_settles_cost_nothing_of_the_budget(folder):
    with LivingSite() as site:
        for number in range(6):
            site.put(f"/dated{number}", "Dated", lastmod="2020-01-01")
        for number in range(4):
            site.put(f"/plain{number}", "Plain")
        run(site, folder)
        summary = night(site, folder, 4)
        assert asked(site) == [f"/plain{number}" for number in range(4)]
        assert summary.status == "finished"


def test_files_that_were_not_asked_for_and_their_links_stay_as_they_were(site, folder):
    run(site, folder, convert_links="local", llms_txt=True)
    before = fingerprint(folder)
    night(site, folder, 3)
    assert fingerprint(folder) == before
    assert holdfast("verify", folder).status == 0


def test_the_command_says_what_it_did_not_ask(site, folder):
    run(site, folder)
    words = ("mirror", f"{site.origin}/", "-o", folder, "--update", "--content-rate-limit", "0")
    done = holdfast(*words, "--max-pages", "3")
    assert done.status == 0, done.err
    assert "7 not asked: --max-pages 3; the next run goes on with them" in done.err
    assert "start again with a higher --max-pages" not in done.err
    assert runs_of(folder)[0]["status"] == "finished"
    assert holdfast("verify", folder).status == 0


@pytest.mark.spec("MIR-12")
def test_what_is_asked_does_not_depend_on_how_many_are_asked_at_once(site, folder, tmp_path, monkeypatch):
    folders = {1: folder, 64: tmp_path / "other"}
    for where in folders.values():
        run(site, where, max_pages=6)
    site.put("/p2", "Other words", links=["/p3", "/new1", "/new2"])
    site.put("/new1", "New words", links=["/new2"])
    site.put("/new2", "New words, too")
    for _ in range(5):
        nights = []
        for width, where in folders.items():
            monkeypatch.setattr(job, "WIDTH", width)
            night(site, where, 4)
            nights.append((asked(site), fingerprint(where)))
        assert nights[0] == nights[1]


def ten_pages(site, words="Words"):
    for path in ("/", *PATHS):
        site.put(path, f"{words} of {path}", links=PATHS)


def command(site, folder, *flags):
    own = ("--content-rate-limit", "0", "--processes", "1")
    return ["mirror", f"{site.origin}/", "-o", folder, *own, *flags]


@pytest.mark.spec("MIR-12")
@pytest.mark.parametrize("budget", [("--max-pages", "4"), ()], ids=["budget", "no budget"])
def test_killed_anywhere_an_update_ends_as_an_undisturbed_one(tmp_path, budget):
    """Answers that were in the ledger count; those under way are asked for again."""

    def words(name):
        return command(site, tmp_path / name, "--update", *budget)

    with LivingSite() as site:
        ten_pages(site)
        run(site, tmp_path / "seed")
        ten_pages(site, "Other words")
        shutil.copytree(tmp_path / "seed", tmp_path / "calm")
        last = changes_of(words("calm"), tmp_path / "steps.log")
        expected = fingerprint(tmp_path / "calm")
        run_until(words("calm"), None)
        two_nights = fingerprint(tmp_path / "calm")
        for step in range(2, last, 7):
            name = f"killed-{step}"
            shutil.copytree(tmp_path / "seed", tmp_path / name)
            if run_until(words(name), step) != KILLED:
                break
            statuses = [each["status"] for each in runs_of(tmp_path / name)]
            run_until(words(name), None)
            made = two_nights if statuses == ["finished", "finished"] else expected
            assert fingerprint(tmp_path / name) == made, step


@pytest.mark.spec("MIR-12")
def test_an_update_after_a_crawl_that_was_killed_anywhere_has_every_page_as_it_is_now(tmp_path):
    with LivingSite() as site:
        ten_pages(site)
        last = changes_of(command(site, tmp_path / "calm"), tmp_path / "steps.log")
        for step in range(4, last, 9):
            folder = tmp_path / f"killed-{step}"
            if run_until(command(site, folder), step) != KILLED:
                break
            site.put("/p1", f"Changed at step {step}", links=PATHS)
            run_until(command(site, folder, "--update"), None)
            run_until(command(site, tmp_path / "calm", "--update"), None)
            assert pages_of(folder) == pages_of(tmp_path / "calm"), step
