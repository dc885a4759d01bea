"""A page that a mirror keeps and a document cites, in one store: a track hides nothing of it."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

import holdfast as library
from faces.web.conftest import at
from helpers.sites.living import LivingSite
from holdfast.faces.web.app import make_app
from holdfast.faces.web.guard import Access
from holdfast.jobs.served_stores import served_states

pytestmark = pytest.mark.spec("ID-12")


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """Three versions that a mirror saw, then one look for a document; then another change that the next looks
    for the document see alone.
    """
    root = tmp_path_factory.mktemp("both")
    (root / "holdfast.toml").write_text("")
    settings = {"content_rate_limit": 0, "processes": 1, "store": str(root / ".holdfast")}
    with LivingSite() as site:
        site.put("/other", "Steady words")
        for number in (1, 2, 3):
            site.put("/page", body=_page(f"Words number {number}"))
            library.mirror(site.origin + "/", output=root / "mirror", update=True, **settings)
        (root / "notes.md").write_text(f"See <{site.origin}/page>.\n")
        library.check(root / "notes.md", fetch_urls=True, allow_private=True, **settings)
        yield root, site, settings


def _page(words):
    return (
        f'<!doctype html><title>A page</title><main><p>{words}</p><a href="/other">other</a></main>'.encode()
    )


def test_its_versions_are_those_that_the_changes_of_the_mirror_name(both, holdfast):
    root, site, settings = both
    url, state = f"{site.origin}/page", settings["store"]
    (part,) = library.log(root / "mirror", store=state).parts
    told = [each for each in part.value.changes if each.url == url]
    assert [each.page.now.number for each in told] == [3, 2, 1]
    ran = holdfast("diff", url, "v2", "v3", "--store", state)
    assert ("-Words number 2" in ran.lines, "+Words number 3" in ran.lines) == (True, True)
    assert holdfast("diff", url, "--store", state).out == ran.out


def test_its_links_are_those_that_the_mirror_saw(both):
    root, site, _ = both
    client = TestClient(make_app(served_states([root], {}), Access()), base_url="http://127.0.0.1:8470")
    url = f"{site.origin}/page"
    found = client.get(at("s", root.name, "page-links.json", url=url)).json()
    assert [link["url"] for link in found["links"]] == [f"{site.origin}/other"]
    changes = client.get(at("s", root.name, "changes", label="mirror")).text
    assert "a=2&amp;b=3" in changes
    assert client.get(at("s", root.name, "diff", url=url, a=2, b=3)).status_code == 200
    listed = client.get(at("s", root.name, "pages.json", label="mirror", at=_today(root, both))).json()[
        "pages"
    ]
    assert all(page["size"] for page in listed)


def _today(root, both):
    return library.runs(store=both[2]["store"]).parts[0].value.runs[0].run.started_at.date().isoformat()


def test_what_a_track_saw_and_the_mirror_did_not_is_shown(both):
    root, site, settings = both
    site.put("/page", body=_page("Words number 4"))
    for _ in range(2):
        library.check(root / "notes.md", fetch_urls=True, force_refetch=True, allow_private=True, **settings)
    found = library.diff(f"{site.origin}/page", store=settings["store"])
    (page,) = found.parts[0].value.pages
    lines = [line for hunk in page.hunks for line in hunk.lines]
    assert ("-", "Words number 3") in lines
    assert any(mark == "+" and "number 4" in text for mark, text in lines)
