"""Any bytes: a page, or the word that it is not one, at a cost that grows with their number (SEC-2, -4)."""

from datetime import UTC, datetime

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from growth import is_linear
from holdfast.core.capture import Capture
from holdfast.core.page import PageKind, PageWarning
from holdfast.core.recipe import Recipe
from holdfast.core.url import parse_url
from holdfast.distill import distill
from holdfast.formats.html import guard
from holdfast.formats.html.guard import breach

pytestmark = pytest.mark.spec("SEC-2", "SEC-4")

RECIPE = Recipe.parse("http_snapshot_url_v1_text_v1")
URL = parse_url("https://docs.example/guide/page.html")
MEGABYTE = 1_000_000


def page_of(body):
    return distill(
        Capture(URL, URL, 200, (("content-type", "text/html"),), body, datetime(2026, 1, 1, tzinfo=UTC)),
        RECIPE,
    )


def of(piece, *, before=b""):
    """A maker of pages of a given size: a piece again and again."""
    return lambda size: before + piece * ((size - len(before)) // len(piece))


def numbered(piece, *, before=b""):
    """The same, each piece with its number."""
    return lambda size: before + b"".join(piece % n for n in range(size // (len(piece) + 3)))


REFUSED = {
    "nested elements": of(b"<div>"),
    "nested lists": of(b"<ul><li>"),
    "nested tables": of(b"<table><tr><td>"),
    "attributes": numbered(b" a%d=1", before=b"<p"),
    "attributes that hold brackets": numbered(b" a%d='>'", before=b"<p"),
    "formatting that is opened again in each block": numbered(b"<p><b a=%d>"),
    "closed only in comments": numbered(b"<p><b a=%d>x<!--</b>-->"),
    "closed only in attributes": numbered(b"<p><b a=%d>x<i t='</b>'></i>"),
}
READ = {
    "paragraphs": of(b"<p>x"),
    "items": of(b"<li>x"),
    "links": numbered(b"<a href=/x%d?q>y</a>"),
    "a huge table": of(b"<tr>" + b"<td>x" * 200, before=b"<table>"),
    "a billion columns": of(b"<td colspan=1000000000 rowspan=65000>x", before=b"<table><tr>"),
    "a script that never closes": of(b"<p>x", before=b"<script>"),
    "a comment that never closes": of(b"x", before=b"<!--"),
    "one line": of(b"x"),
    "brackets": of(b"[", before=b"<a href=x>"),
    "backticks": of(b"`", before=b"<code>"),
    "code that is a backtick": of(b"<code>`</code>"),
    "anchors": numbered(b"<a name=x%d></a>y"),
    "notes": of(b"<sup><a href=#n>1</a></sup>", before=b"<ol class=footnotes><li id=n>x</ol>"),
    "boxes of notes": of(b"<div class=footnotes>" * 100 + b"<ol><li id=n>x</ol>" + b"</div>" * 100),
    "stars": of(b"<b>*</b>"),
    "emphasis side by side": of(b"<b>a</b><i>b</i>"),
    "tab bars without panels": of(b"<div role=tablist><a role=tab>x</a></div>", before=b"<div>"),
    "boxes called sidebar, nested": of(b"<div class=sidebar>" * 110 + b"<pre>x</pre>" + b"</div>" * 110),
    "NUL": of(b"\0<p>\0"),
    "line breaks": of(b"x<br><br>"),
    "unfinished tags": of(b"<a"),
    "entities": of(b"&lt;&amp;&notit;"),
    "spans in code": of(b"<span>x</span>", before=b"<pre>"),
    "unassigned code points": of("\U0001e08fa".encode()),
}


@pytest.mark.parametrize("fact", REFUSED)
def test_what_would_be_quadratic_is_refused_by_its_structure(fact):
    page = page_of(REFUSED[fact](MEGABYTE))

    assert (page.kind, page.warnings) == (PageKind.OTHER, (PageWarning.TOO_COMPLEX,))
    assert is_linear(lambda size: page_of(REFUSED[fact](size)), MEGABYTE // 4)


@pytest.mark.parametrize("fact", READ)
def test_a_megabyte_of_anything_is_read_at_a_cost_that_grows_with_its_size(fact):
    assert page_of(READ[fact](MEGABYTE)).kind is PageKind.PAGE
    assert is_linear(lambda size: page_of(READ[fact](size)), MEGABYTE // 8)


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 500 + "</div>" * 500,
        "<!--" + "<div>" * 20_000 + "-->",
        "<script>" + "x='<div>';" * 20_000 + "</script>",
        "<p>" * 20_000 + "<li>" * 20_000,
        "<p><b>x</b>" * 20_000,
        "<img alt='a > b'>" * 5_000,
        "<a href='x%d'>y</a>" * 15_000,
    ],
)
def test_pages_that_only_look_dangerous_are_read(html):
    assert breach(html) is None


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_make_a_page_and_always_the_same(body):
    assert page_of(body) == page_of(body)


@given(st.lists(st.sampled_from([*"<>=\"' /abp\n", "<!--", "-->", "<b ", "</p>", "<script>"]), max_size=60))
def test_where_no_value_holds_a_bracket_the_guard_reads_tags_the_simple_way_and_finds_the_same(pieces):
    html = "".join(pieces)
    assume(guard._BRACKET_IN_VALUE.search(html) is None)
    assert guard._SIMPLE_TAG.findall(html) == guard._TAG.findall(html)


def test_a_long_tag_is_seen_wherever_it_stands():
    for before in range(0, 1_600, 7):
        page = "<p>" + "x" * before + "<a " + "b " * 1_501 + ">" + "<i>y</i>" * 4_000
        assert breach(page) is not None, before
