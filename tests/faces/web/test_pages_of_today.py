"""Pages that know of today alone say so to somebody who looks at another day, and keep that day."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from faces.web.conftest import at

pytestmark = pytest.mark.spec("WEB-1")


@pytest.fixture
def pages(kept):
    return {
        "links": {"standing": "suspect"},
        "link": {"url": kept.page},
        "documents": {},
        "document": {"path": "notes.md"},
        "graph": {"node": "notes.md"},
        "page-links": {"url": kept.page},
    }


def test_each_says_that_it_is_of_today_and_leads_there(client, pages):
    for view, asked in pages.items():
        plain, dated = at("s", "notes", view, **asked), at("s", "notes", view, **asked, at="2020-05-04")
        text = client.get(dated).text.replace("&amp;", "&")

        assert "You look at 4 May 2020; this page is of today" in text, view
        assert f'href="{plain}">leave that day' in text, view
        assert f'type="application/json" href="{plain.replace(view, view + ".json", 1)}"' in text, view
        assert "You look at" not in client.get(plain).text, view


def test_the_day_is_kept_from_page_to_page(client, pages):
    assert 'href="/s/notes/links?at=2020-05-04"' in client.get("/s/notes/runs?at=2020-05-04").text
    for view, asked in pages.items():
        text = client.get(at("s", "notes", view, **asked, at="2020-05-04")).text
        links = re.findall(
            r'href="(/s/notes/(?:links|link|document|graph|page|runs)(?:\?[^"]*)?)">([^<]*)<', text
        )
        assert len(links) > 2, view
        left = [where for where, words in links if "at=2020-05-04" not in where and words != "leave that day"]
        assert left == [], view


def test_as_of_stays_on_the_page(client):
    chosen = client.get("/as-of", params={"page": "/s/notes/links?standing=dead&after=x", "at": "2020-05-04"})
    assert chosen.headers["location"] == at("s", "notes", "links", standing="dead", at="2020-05-04")


def test_the_list_of_links_tells_what_the_last_check_up_to_then_counted(client):
    today = datetime.now(UTC).date().isoformat()  # now: the suite may have begun yesterday
    then = client.get(at("s", "notes", "links", at=today)).text
    assert re.search(r"The last check up to then counted 1 alive, .*1 suspect", then)
    assert "The last check" not in client.get(at("s", "notes", "links", at="2020-05-04")).text


def test_a_day_that_is_not_one_is_said(client, pages):
    for view, asked in pages.items():
        assert client.get(at("s", "notes", view, **asked, at="soon")).status_code == 404, view
