"""What the bytes of a page give away: the short way finds what its patterns would find in the whole page."""

from __future__ import annotations

import pytest

from holdfast.core.page.html.signals import PageSigns

FILLING = b"<p>words, <b>more</b> 'words' and \"others\"</p>\n" * 300


def within(piece):
    return PageSigns(b"<html>" + FILLING + piece + FILLING)


def test_a_page_without_signs_has_none():
    found = within(b"<link rel=stylesheet href=x.css><meta name=viewport content=y>")
    assert (found.generator, found.sitemaps, found.menus, found.has_search, found.data) == (
        "",
        (),
        (),
        False,
        (),
    )


@pytest.mark.parametrize("hidden", [b"generator", b"GENERATOR", b"gener&#97;tor"])
def test_the_generator_is_what_the_page_says_however_it_writes_it(hidden):
    assert within(b'<META name="' + hidden + b'" content="Sphinx 7">').generator == "Sphinx 7"


def test_a_sitemap_is_named_by_its_link():
    assert within(b"<link REL='Sitemap alternate' href=/map.xml>").sitemaps == ("/map.xml",)


@pytest.mark.parametrize(("before", "after"), [(0, 0), (300, 100)])
@pytest.mark.parametrize("word", [b"OpenAPI", b"swagger", b"api-docs", b"searchindex", b"Search_Index"])
def test_data_is_found_as_far_from_its_word_as_the_pattern_reaches(word, before, after):
    name = b"q" * before + word + b"z" * after + b".json"
    assert within(b'"' + name + b'"').data == (name.decode(),)
    assert within(b'"q' + b"q" * 300 + word + b'.json"').data == ()


def test_addresses_come_in_their_order_each_once():
    found = within(b"'b/swagger.json' 'a/openapi.yaml' \"b/swagger.json\" 'menudata.js' 'x/navtreedata.js'")
    assert found.data == ("b/swagger.json", "a/openapi.yaml")
    assert found.menus == ("menudata.js", "x/navtreedata.js")


@pytest.mark.parametrize(
    "word", [b"Lunr", b"pagefind", b"DocSearch", b"searchtools.js", b"ID='search-results"]
)
def test_a_search_of_the_page_is_seen(word):
    assert within(word).has_search
    assert not within(b"search it elsewhere").has_search
