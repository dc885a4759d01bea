"""What a page points to: the short way of resolving and the URL parser agree, in both readers."""

from __future__ import annotations

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.page import rust_reader
from holdfast.core.page.distill_options import DistillOptions
from holdfast.core.page.html.page_links import Resolver
from holdfast.core.page.html.tokens import normal_form
from holdfast.core.url.url import Refused, parse_url

BASES = (
    "https://docs.example/guide/page.html?x=1",
    "http://h:8080/",
    "https://h/a/b/c/",
    "https://h/a;v=1/b",
)
PIECES = (
    "/",
    "//",
    "../",
    "./",
    "..",
    ".",
    "a",
    "b_c",
    "x.html",
    "~u",
    "-",
    "#",
    "#top",
    "?q=1",
    "%41",
    "é",
    ":",
    " ",
)
ORIGINS = ("", "", "https://docs.example", "http://h:8080", "https://h", "https://h:443", "https://H", "//h")
REFERENCES = st.builds(
    str.__add__, st.sampled_from(ORIGINS), st.lists(st.sampled_from(PIECES), max_size=6).map("".join)
)


def by_parser(text, base):
    url = parse_url(text.strip("\t\n\f\r "), base)
    return None if isinstance(url, Refused) else url


@pytest.mark.spec("ID-1")
@given(REFERENCES, st.sampled_from(BASES))
def test_the_short_way_and_the_url_parser_agree(text, where):
    base = parse_url(where)
    assert Resolver(base).url(text) == by_parser(text, base)


@pytest.mark.spec("ID-1")
@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("path", ["/", "/a", "/a/b.html#top", "/a/", "/#top"])
@pytest.mark.parametrize("where", BASES)
def test_a_reference_from_the_root_is_resolved_without_the_parser(monkeypatch, path, where, whole):
    base = parse_url(where)
    text = base.origin + path if whole else path
    expected = by_parser(text, base)
    monkeypatch.setattr("holdfast.core.page.html.page_links.parse_url", None)
    assert Resolver(base).url(text) == expected


@pytest.mark.spec("ID-1")
@pytest.mark.skipif(rust_reader.READER is None, reason="the native reader is not built here (make native)")
@given(st.lists(REFERENCES.filter(str.strip), max_size=4), st.sampled_from(BASES))
def test_the_native_reader_resolves_as_the_parser_does(references, where):
    base = parse_url(where)
    form = normal_form("".join(f'<p><a href="{html.escape(text)}">x</a></p>' for text in references))
    read = rust_reader.read_form(rust_reader.READER, form, base, DistillOptions())
    expected = {by_parser(text, base) for text in references} - {None}
    assert {link.target for link in read.links} == expected
