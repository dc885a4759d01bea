"""What `serve` says of a page is true of it: which section changed, where a link in it leads, what it is."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient

import holdfast
from faces.web.conftest import at, document
from helpers.sites.living import LivingSite
from holdfast.faces.web.app import make_app
from holdfast.faces.web.guard import Access
from holdfast.jobs.served_stores import served_states

pytestmark = pytest.mark.spec("WEB-1")

RELEASES = """
<h2>Release 2</h2><h3>Bug fixes</h3><p>Two of {}.</p><h2>Release 1</h2><h3>Bug fixes</h3><p>One.</p>
<section id="description"><span id="id2"></span><h3>description</h3>
<p>See <a href="#description">it</a>.</p></section>
"""
PLAIN = "# not a heading\n\n  Chapter 1 ....... 3\n  <b>Chapter 2</b> ... 9\n"


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A folder with a mirror of two runs, and the site it is from."""
    root = tmp_path_factory.mktemp("reading")
    with LivingSite() as site:
        site.put("/plain.txt", body=PLAIN.encode(), type="text/plain")
        site.put("/empty", body=b"<!doctype html><title></title><main></main>")
        for words in ("three", "four"):
            site.put("/releases", body=document("Releases", RELEASES.format(words)))
            holdfast.mirror(
                site.origin + "/", output=root / "mirror", update=True, content_rate_limit=0, processes=1
            )
        yield root / "mirror", site.origin


@pytest.fixture(scope="module")
def show(kept):
    app = make_app(served_states([kept[0]], {}), Access())
    client = TestClient(app, base_url="http://127.0.0.1:8470")

    def shown(path, **query):
        answer = client.get(at("s", "mirror", "page", url=kept[1] + path, **query))
        assert answer.status_code == 200
        return answer.text

    return shown


def test_of_headings_with_the_same_words_the_one_that_changed_is_marked(show):
    text = show("/releases")
    assert text.count("changed-here") == text.count("changed-mark") == 1
    first, second = (place.end() for place in re.finditer(r"<h3[^\n]*Bug fixes</h3>\n", text))
    assert text.startswith('<p class="changed-here">', first)
    assert not text.startswith('<p class="changed-here">', second)


def test_a_link_into_the_page_leads_to_a_place_that_is_there_once(show):
    text = show("/releases")
    assert 'href="#s-description"' in text
    ids = re.findall(r'id="([^"]*)"', text)
    assert (ids.count("s-description"), ids.count("s-id2")) == (1, 1)


def test_a_plain_text_is_shown_line_by_line_as_it_is(show):
    text = show("/plain.txt")
    assert "# not a heading\n\n  Chapter 1 ....... 3\n  &lt;b&gt;Chapter 2&lt;/b&gt; ... 9\n" in text
    assert "not a heading</h1>" not in text


def test_a_page_without_a_word_is_not_called_something_else_than_a_text(show):
    assert "It says nothing" in show("/empty")
