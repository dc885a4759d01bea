"""An update in which nothing changed keeps what pages led to by redirects, refreshes and canonical links."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.spec("MIR-11")
WAYS = ("redirect", "refresh", "canonical")


@pytest.fixture
def lead(site):
    """A site whose list names /way, which leads to /there, and not /there itself."""

    def put(how, date):
        for number in range(8):
            site.put(f"/page-{number}", f"Page {number}", lastmod=date)
        site.put("/there", "What nobody lists.", listed=False)
        if how == "redirect":
            site.redirect("/way", "/there")
            site.change("/way", lastmod=date)
        elif how == "refresh":
            site.put("/way", head='<meta http-equiv="refresh" content="0; url=/there">', lastmod=date)
        else:
            site.put("/way", "Quite other words.", head='<link rel="canonical" href="/there">', lastmod=date)

    return put


def is_there(folder):
    return [page for page in folder.rglob("index.md") if page.parent.name == "there"] != []


@pytest.mark.parametrize("date", ["2020-01-01", None])
@pytest.mark.parametrize("how", WAYS)
def test_nothing_goes_while_nothing_changes(site, make, folder, holdfast, lead, how, date):
    lead(how, date)
    make()

    for _ in range(3):
        summary = make(update=True, delete_gone=True)
        assert [each.url for each in summary.update.happenings if each.fate == "gone"] == []
        assert is_there(folder)
        assert date is None or site.pages_asked == []
    assert holdfast("verify", folder).status == 0
    make(update=True, delete_gone=True, max_age="0s")
    assert is_there(folder)


@pytest.mark.parametrize("how", WAYS)
def test_what_changed_there_is_seen(site, make, folder, lead, how):
    lead(how, None)
    make()
    make(update=True)
    site.put("/there", "News that nobody lists.", listed=False)
    make(update=True)

    [page] = [page for page in folder.rglob("index.md") if page.parent.name == "there"]
    assert "News" in page.read_text()


@pytest.mark.parametrize("how", WAYS)
def test_what_nothing_leads_to_any_more_goes(site, make, folder, lead, how):
    lead(how, "2020-01-01")
    make()
    site.put("/way", "A page of its own now.", lastmod="2999-01-01")
    make(update=True, delete_gone=True)

    assert not is_there(folder)


def test_a_dead_canonical_costs_no_request_while_nothing_is_newer(site, make, lead):
    lead("canonical", "2020-01-01")
    site.drop("/there")
    make()
    make(update=True)

    assert site.pages_asked == []


def test_a_redirect_to_a_redirect_is_followed_to_its_end(site, make, folder, lead):
    lead("redirect", "2020-01-01")
    site.put("/there", head='<meta http-equiv="refresh" content="0; url=/end">', listed=False)
    site.put("/end", "The end.", listed=False)
    make()
    make(update=True, delete_gone=True)

    assert [page for page in folder.rglob("index.md") if page.parent.name == "end"]


def test_where_links_are_followed_too(site, make, folder):
    site.has_sitemap = False
    site.put("/", "Home", links=["/way", *(f"/page-{number}" for number in range(8))])
    for number in range(8):
        site.put(f"/page-{number}", f"Page {number}")
    site.put("/way", "Quite other words.", head='<link rel="canonical" href="/there">')
    site.put("/there", "What nobody links to.")
    make()
    for _ in range(2):
        make(update=True, delete_gone=True)
        assert is_there(folder)
