"""`holdfast mirror --update` against a site whose dates, ETags and bodies are scripted (MIR-11).

Each test counts what the server was asked.
"""

from __future__ import annotations

import json
import os
import shutil
from datetime import UTC, datetime, timedelta

import pytest

from helpers.sites.living import LivingSite
from holdfast.core.settings.resolve import resolve
from holdfast.faces.library import mirror
from holdfast.jobs.session import read_store

pytestmark = pytest.mark.spec("MIR-11")

LONG_AGO = "2020-01-01"


@pytest.fixture
def site():
    with LivingSite() as living:
        yield living


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "mirror"


def run(site, folder, **settings):
    site.forget_requests()
    return mirror(site.origin + "/", output=folder, content_rate_limit=0, processes=1, **settings)


def update(site, folder, **settings):
    return run(site, folder, update=True, **settings)


def fates(summary, site):
    return {h.url.removeprefix(site.origin): str(h) for h in summary.update.happenings}


def marked(folder):
    """The paths of the pages that the mirror counts as gone."""
    with read_store(resolve(), folder / ".holdfast") as store:
        gone = [page.place.url for page in store.ledger.pages.by_path(".") if page.gone_at]
    return sorted("/" + url.split("/", 3)[3] for url in gone)


def later():
    """A `lastmod` that is newer than anything fetched so far."""
    return (datetime.now(UTC) + timedelta(seconds=1)).isoformat()


def files(folder):
    return {
        path.relative_to(folder).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_ino)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".holdfast" not in path.parts
    }


def three_dated_pages(site):
    for path in ("/a", "/b", "/c"):
        site.put(path, f"Words of {path}", lastmod=LONG_AGO)


def test_nothing_changed_and_every_entry_dated_asks_for_no_page_and_touches_no_file(site, folder):
    three_dated_pages(site)
    run(site, folder)
    before = files(folder)
    summary = update(site, folder)
    assert site.pages_asked == []
    assert files(folder) == before
    assert fates(summary, site) == dict.fromkeys(("/a", "/b", "/c"), "unchanged: lastmod")


def test_a_newer_lastmod_fetches_that_page_only(site, folder):
    three_dated_pages(site)
    run(site, folder)
    before = files(folder)
    site.put("/b", "Other words", lastmod=later())
    summary = update(site, folder)
    assert site.pages_asked == [("/b", False, 200)]
    assert fates(summary, site)["/b"] == "changed: lastmod is newer"
    page = next(path for path in before if path.endswith("/b/index.md"))
    touched = {path for path in before if files(folder)[path] != before[path]}
    assert touched == {page, page.replace(".md", ".json"), "_manifest.json", "_index.md", "_progress.json"}
    assert b"Other words" in files(folder)[page][0]


def test_a_lastmod_that_lies_costs_a_request_and_no_data(site, folder):
    three_dated_pages(site)
    run(site, folder)
    site.change("/b", lastmod=later())
    summary = update(site, folder)
    assert site.pages_asked == [("/b", False, 200)]
    assert fates(summary, site)["/b"] == "unchanged: same content"


def test_a_date_without_time_is_the_end_of_that_day(site, folder):
    site.put("/today", "x", lastmod=datetime.now(UTC).date().isoformat())
    site.put("/yesterday", "y", lastmod=(datetime.now(UTC) - timedelta(days=1)).date().isoformat())
    run(site, folder)
    update(site, folder)
    assert [path for path, _, _ in site.pages_asked] == ["/today"]


def test_an_entry_without_lastmod_is_asked_whether_it_changed(site, folder):
    for path in ("/a", "/b"):
        site.put(path, f"Words of {path}")
    run(site, folder)
    site.put("/b", "Other words")
    summary = update(site, folder)
    assert site.pages_asked == [("/a", True, 304), ("/b", True, 200)]
    assert fates(summary, site) == {"/a": "unchanged: 304", "/b": "changed"}


def test_without_validators_the_page_is_fetched_and_found_the_same(site, folder):
    site.etags = False
    site.put("/a", "Words")
    run(site, folder)
    summary = update(site, folder)
    assert site.pages_asked == [("/a", False, 200)]
    assert fates(summary, site) == {"/a": "unchanged: same content"}


def test_max_age_asks_whatever_the_date_says(site, folder):
    three_dated_pages(site)
    run(site, folder)
    assert update(site, folder, max_age="1h").update.happenings
    assert site.pages_asked == []
    summary = update(site, folder, max_age="0s")
    assert site.pages_asked == [(path, True, 304) for path in ("/a", "/b", "/c")]
    assert set(fates(summary, site).values()) == {"unchanged: 304"}


def test_a_new_entry_is_fetched(site, folder):
    three_dated_pages(site)
    run(site, folder)
    site.put("/d", "Words of d", lastmod=LONG_AGO)
    summary = update(site, folder)
    assert site.pages_asked == [("/d", False, 200)]
    assert fates(summary, site)["/d"] == "new"
    assert any(path.endswith("/d/index.md") for path in files(folder))


def test_a_page_gone_from_the_list_is_marked_and_stays(site, folder):
    three_dated_pages(site)
    run(site, folder)
    site.unlist("/c")
    summary = update(site, folder)
    assert site.pages_asked == []
    assert fates(summary, site)["/c"] == "gone: no list names it any more"
    assert any(path.endswith("/c/index.md") for path in files(folder))
    assert "/c" not in fates(update(site, folder), site), "what is marked already is not a news"


def test_prune_deletes_what_is_gone(site, folder):
    for number in range(6):
        site.put(f"/{number}", f"Words of {number}", lastmod=LONG_AGO)
    run(site, folder)
    site.unlist("/5")
    summary = update(site, folder, delete_gone=True)
    assert [path.rpartition("/5/")[2] for path in summary.update.deleted] == ["index.md"]
    assert not any("/5/" in path for path in files(folder))
    assert "/5/" not in (folder / "_manifest.json").read_text() + (folder / "_index.md").read_text()
    assert "/5/" not in str(fates(update(site, folder, delete_gone=True), site))


def test_more_than_one_in_five_are_not_deleted_at_once(site, folder):
    three_dated_pages(site)
    run(site, folder)
    site.unlist("/c")
    summary = update(site, folder, delete_gone=True)
    assert summary.update.deleted == ()
    assert "1 of 3 pages are gone (33 %)" in summary.update.held_back
    assert any(path.endswith("/c/index.md") for path in files(folder))


@pytest.mark.parametrize("broken", ["torn", "nested"])
def test_after_a_partial_discovery_nothing_is_marked_or_deleted(site, folder, broken):
    for number in range(6):
        site.put(f"/{number}", f"Words of {number}", lastmod=LONG_AGO)
    run(site, folder)
    site.unlist("/5")
    if broken == "torn":
        site.sitemap_tail = "<url><loc>"
    else:
        site.sitemap_tail = f"<sitemap><loc>{site.origin}/sitemap-2.xml</loc></sitemap></urlset>"  # not there
    summary = update(site, folder, delete_gone=True)
    assert summary.remarks.partial_discovery
    assert summary.update.deleted == ()
    assert "/5" not in fates(summary, site)
    assert any("/5/" in path for path in files(folder))


def test_a_page_that_comes_back_is_asked_whether_it_changed(site, folder):
    three_dated_pages(site)
    run(site, folder)
    site.unlist("/c")
    update(site, folder)
    site.change("/c", listed=True)
    summary = update(site, folder)
    assert site.pages_asked == [("/c", True, 304)]
    assert fates(summary, site)["/c"] == "unchanged: 304"
    update(site, folder)
    assert site.pages_asked == [], "it is back, and like any other"


def test_a_page_that_moved(site, folder):
    three_dated_pages(site)
    run(site, folder)
    site.put("/new-c", "Words of /c", listed=False)
    site.redirect("/c", "/new-c")
    site.change("/c", lastmod=later())
    summary = update(site, folder)
    assert fates(summary, site)["/c"] == f"moved: now {site.origin}/new-c"
    assert fates(summary, site)["/new-c"] == "new"
    assert [path for path, _, _ in site.pages_asked] == ["/c", "/new-c"]


def test_a_page_that_is_not_found_any_more_is_gone(site, folder):
    for path in ("/a", "/b"):
        site.put(path, f"Words of {path}")
    run(site, folder)
    site.change("/b", status=404, etag=None)
    summary = update(site, folder)
    assert fates(summary, site)["/b"] == "gone: 404"
    assert any(path.endswith("/b/index.md") for path in files(folder))


def test_a_server_error_is_a_failure_and_nobody_is_gone(site, folder):
    for path in ("/a", "/b"):
        site.put(path, f"Words of {path}")
    run(site, folder)
    site.change("/b", status=500, etag=None)
    summary = update(site, folder, delete_gone=True)
    assert fates(summary, site)["/b"].startswith("failed")
    assert summary.update.deleted == ()


def test_an_alias_is_left_alone_while_its_date_is_old(site, folder):
    site.put("/a", "Words of a", lastmod=LONG_AGO)
    site.redirect("/old-a", "/a")
    site.change("/old-a", lastmod=LONG_AGO)
    run(site, folder)
    update(site, folder)
    assert site.pages_asked == []
    update(site, folder)
    assert site.pages_asked == []


class TestWithoutALedger:
    """The fetch time comes from the manifest, else from the file."""

    @pytest.fixture(autouse=True)
    def _orphaned(self, site, folder):
        three_dated_pages(site)
        run(site, folder)
        shutil.rmtree(folder / ".holdfast")

    def test_the_manifest_tells_when_pages_were_fetched(self, site, folder):
        site.put("/b", "Other words", lastmod=later())
        summary = update(site, folder)
        assert site.pages_asked == [("/b", False, 200)]
        assert fates(summary, site)["/a"] == "unchanged: lastmod"
        assert len(json.loads((folder / "_manifest.json").read_text())["pages"]) == 3

    def test_else_the_files_own_time_does(self, site, folder):
        manifest = json.loads((folder / "_manifest.json").read_text())
        del manifest["crawl"]["fetched_at"]
        (folder / "_manifest.json").write_text(json.dumps(manifest))
        for sidecar in folder.rglob("index.json"):
            sidecar.unlink()
        page = next(folder.rglob("b/index.md"))
        os.utime(page, (0, 0))
        update(site, folder)
        assert site.pages_asked == [("/b", False, 200)]

    def test_a_file_that_was_altered_is_fetched(self, site, folder):
        next(folder.rglob("b/index.md")).write_text("scribbled")
        update(site, folder)
        assert site.pages_asked == [("/b", False, 200)]


class TestByLinks:
    """No sitemap: the pages are found by links, and a page that is not modified keeps its own."""

    @pytest.fixture
    def site(self):
        with LivingSite(has_sitemap=False) as living:
            living.put("/", "Home", links=["/a"])
            living.put("/a", "A", links=["/b"])
            living.put("/b", "B")
            yield living

    def test_a_304_keeps_the_stored_links(self, site, folder):
        run(site, folder)
        summary = update(site, folder)
        assert site.pages_asked == [("/", True, 304), ("/a", True, 304), ("/b", True, 304)]
        assert set(fates(summary, site).values()) == {"unchanged: 304"}

    @pytest.mark.parametrize(
        "said",
        [{"head": '<meta name="robots" content="nofollow">'}, {"headers": (("X-Robots-Tag", "nofollow"),)}],
    )
    def test_a_304_of_a_page_that_wants_no_link_followed_is_obeyed(self, site, folder, said):
        site.put("/a", "A", links=["/b", "/c"], **said)
        site.put("/b", "B")
        site.put("/c", "C")
        assert run(site, folder).pages == 2
        summary = update(site, folder)
        assert site.pages_asked == [("/", True, 304), ("/a", True, 304)]
        assert set(fates(summary, site).values()) == {"unchanged: 304"}
        update(site, folder, meta_robots=False)
        assert ("/c", False, 200) in site.pages_asked, "whoever does not obey follows what is known"

    def test_a_new_link_behind_an_unchanged_page_is_found(self, site, folder):
        run(site, folder)
        site.put("/b", "B", links=["/c"])
        site.put("/c", "C")
        summary = update(site, folder)
        assert fates(summary, site)["/b"] == "changed"
        assert fates(summary, site)["/c"] == "new"

    def test_a_page_no_link_leads_to_is_gone(self, site, folder):
        run(site, folder)
        site.put("/a", "A, alone now")
        summary = update(site, folder)
        assert fates(summary, site)["/b"] == "gone: no link leads to it any more"

    def test_while_a_page_fails_nobody_is_gone(self, site, folder):
        run(site, folder)
        site.change("/a", status=500, etag=None)
        summary = update(site, folder)
        assert "/b" not in fates(summary, site)
        assert "not found: 1 page, but" in summary.update.held_back

    def test_a_page_that_is_not_there_is_gone_though_others_fail(self, site, folder):
        site.put("/", "Home", links=["/a", "/c"])
        site.put("/c", "C")
        run(site, folder)
        site.drop("/c")
        site.change("/a", status=500, etag=None)
        summary = update(site, folder)
        assert fates(summary, site)["/c"] == "gone: 404"
        assert marked(folder) == ["/c"], "the site itself says that it is not there"
        assert "not found: 1 page, but pages failed" in summary.update.held_back
        assert "/c" not in fates(update(site, folder), site), "what is marked already is not a news"

    def test_a_link_that_never_led_to_a_page_hides_nothing(self, site, folder):
        site.put("/", "Home", links=["/a", "/misspelt"])
        run(site, folder)
        site.put("/a", "A, alone now")
        summary = update(site, folder)
        assert fates(summary, site)["/b"] == "gone: no link leads to it any more"
        assert (marked(folder), summary.update.held_back) == (["/b"], None)

    def test_what_only_a_page_that_went_away_linked_to_is_decided_by_the_next_update(self, site, folder):
        run(site, folder)
        site.drop("/a")
        summary = update(site, folder)
        assert marked(folder) == ["/a"]
        assert "not found: 1 page, but" in summary.update.held_back
        assert fates(update(site, folder), site)["/b"] == "gone: no link leads to it any more"
        assert marked(folder) == ["/a", "/b"]

    def test_a_site_whose_start_is_not_there_keeps_its_pages_however_often_it_is_asked(self, site, folder):
        run(site, folder)
        site.drop("/")
        for _ in range(2):
            summary = update(site, folder)
        assert "not found: 2 pages, but" in summary.update.held_back
        assert set(marked(folder)) <= {"/"}

    def test_nothing_is_deleted_while_pages_fail(self, site, folder):
        site.put("/", "Home", links=["/a", "/c", *(f"/{number}" for number in range(9))])
        for path in ("/c", *(f"/{number}" for number in range(9))):
            site.put(path, f"Words of {path}")
        run(site, folder)
        site.drop("/c")
        site.change("/a", status=500, etag=None)
        assert update(site, folder, delete_gone=True).update.deleted == ()
        site.change("/a", status=200)
        assert [
            path.endswith("/c/index.md") for path in update(site, folder, delete_gone=True).update.deleted
        ] == [True]


def test_an_update_that_finds_nothing_new_is_a_success(site, folder, holdfast):
    three_dated_pages(site)
    run(site, folder)
    ran = holdfast("mirror", site.origin + "/", "-o", folder, "--update", "--content-rate-limit", 0, "-q")
    assert ran.status == 0
    assert "unchanged: lastmod        3" in ran.err


def test_the_summary_as_json_tells_each_page_and_why(site, folder, holdfast):
    three_dated_pages(site)
    run(site, folder)
    site.put("/b", "Other words", lastmod=later())
    words = ("mirror", site.origin + "/", "-o", folder, "--update", "--content-rate-limit", 0, "--json", "-q")
    ran = holdfast(*words)
    document = json.loads(ran.out)
    assert ran.status == 0
    assert document["update"]["counts"] == {"changed": 1, "unchanged: lastmod": 2}
    changed = {"url": f"{site.origin}/b", "fate": "changed", "why": "lastmod is newer"}
    assert changed in document["update"]["pages"]
    assert "changed" in ran.err


def test_after_a_plain_second_start_nothing_is_asked_either(site, folder):
    site.put("/a", "A", lastmod=LONG_AGO)
    site.put("/paper.pdf", body=b"%PDF-1.4", type="application/pdf", lastmod=LONG_AGO)
    site.put("/twin", "A", head=f'<link rel="canonical" href="{site.origin}/a">', lastmod=LONG_AGO)
    site.put("/old", body=b"", status=301, headers=(("Location", f"{site.origin}/a"),), lastmod=LONG_AGO)
    run(site, folder)
    for _ in range(2):
        run(site, folder)
    update(site, folder)
    assert [asked.path for asked in site.asked if asked.path not in ("/robots.txt", "/sitemap.xml")] == []
