"""Two mirrors of one history that have a page in common, which says different things to them."""

from __future__ import annotations

import pytest

from holdfast.jobs.mirror.updating import Updating

pytestmark = pytest.mark.spec("LIN-5", "STA-8")


@pytest.fixture
def shared(site, make, tmp_path):
    """The page said one thing to the first mirror, another to the second, and the first thing again."""
    (tmp_path / "holdfast.toml").write_text("", encoding="utf-8")
    site.put("/a", "What was first.")
    site.put("/b", "B")
    make()
    site.put("/a", "What was second.")
    make(output=tmp_path / "other", include=("/a",))
    site.put("/a", "What was first.")
    return tmp_path


def test_what_the_page_says_again_is_a_version_of_its_own(site, make, folder, shared, holdfast):
    make(update=True)

    assert holdfast("verify", folder).status == 0, holdfast("verify", folder).out
    assert holdfast("verify", shared / "other").status == 0
    captures = holdfast("log", site.origin + "/a", "--json").json["parts"][0]["page"]["captures"]
    contents = [capture["content_sha256"] for capture in captures]
    assert len(set(contents)) == 2
    assert contents[0] == contents[2]
    assert "first" in holdfast("show", site.origin + "/a").out
    diff = holdfast("diff", site.origin + "/a").out
    assert "-What was second." in diff


def test_the_second_mirror_sees_it_too(site, make, folder, shared, holdfast):
    make(update=True)
    make(output=shared / "other", include=("/a",), update=True)

    [page] = [page for page in (shared / "other").rglob("index.md") if page.parent.name == "a"]
    assert "first" in page.read_text()
    for mirror in (folder, shared / "other"):
        assert holdfast("verify", mirror).status == 0, holdfast("verify", mirror).out
    site.forget_requests()
    make(update=True)
    assert {status for _, _, status in site.pages_asked} == {304}


def test_the_remedy_heals_what_an_earlier_version_wrote(site, make, folder, shared, holdfast, monkeypatch):
    """It took any 304 for what the URL had shown last, whoever had seen that."""
    with monkeypatch.context() as earlier:
        earlier.setattr(Updating, "_can_confirm", lambda *_: True)
        make(update=True)
    told = holdfast("verify", folder)
    assert told.status == 1
    assert "`holdfast mirror --update --max-age 0s`" in told.out

    make(update=True, max_age="0s")

    assert holdfast("verify", folder).status == 0, holdfast("verify", folder).out
