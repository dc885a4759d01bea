"""An update of a site that shows a page under two addresses: what was one page stays one, and is no news."""

from __future__ import annotations

import pytest

WORDS = " ".join(f"word{number}" for number in range(40))


@pytest.fixture(params=["sitemap", "links"])
def discover(request):
    return request.param


@pytest.fixture
def updated_twice(make, folder, holdfast, discover):
    """Mirror, update twice, and hand over what was news."""

    def run():
        first = make(discover=discover)
        before = pages_in(folder)
        news = []
        for _ in range(2):
            report = make(discover=discover, update=True).update
            news += [(str(each), each.url) for each in report.happenings if each.fate != "unchanged"]
            assert pages_in(folder) == before
        assert holdfast("verify", folder).status == 0, holdfast("verify", folder).out
        told = holdfast("log", folder, "--json").json["parts"][0]["changes"]
        return before, news + [(each["kind"], each["url"]) for each in told if each["run_id"] != first.run_id]

    return run


def pages_in(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.glob("*/**/*.md"))


@pytest.mark.spec("ID-10")
def test_a_page_that_names_an_unchanged_one_stays_its_duplicate(site, updated_twice):
    site.put("/", "Home", links=["/a", "/a?print=1"])
    site.put("/a", WORDS, head='<link rel="canonical" href="/a">')
    site.resources["/a?print=1"] = site.resources["/a"]
    pages, news = updated_twice()
    assert (len(pages), news) == (2, [])


@pytest.mark.spec("MIR-14")
@pytest.mark.parametrize("order", [("/guide/", "/guide/index.html"), ("/guide/index.html", "/guide/")])
def test_an_index_file_that_says_what_its_folder_says_is_no_news(site, updated_twice, order):
    site.put("/", "Home", links=order)
    for path in order:
        site.put(path, body=f"<main><h1>Guide</h1><p>{WORDS}</p></main>".encode())
    pages, news = updated_twice()
    assert (len(pages), news) == (2, [])


@pytest.mark.spec("MIR-11")
def test_a_page_that_went_came_back_and_went_again_is_told_each_time(site, make, folder, holdfast):
    site.put("/", "Home")
    site.put("/a", "A")
    make()
    for _ in range(2):
        site.drop("/a")
        make(update=True)
        site.put("/a", "A")
        make(update=True)
    told = holdfast("log", folder, "--json").json["parts"][0]["changes"]
    assert [each["kind"] for each in told if each["url"].endswith("/a")].count("gone") == 2
