"""Any bytes: a page, or the word that it is not one, at a cost that grows with their number (SEC-2, -4).

No page is lost to a structural limit (TXT-7).
"""

from datetime import UTC, datetime
from functools import cache

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from helpers.growth import is_linear, least_memory
from helpers.odd_pages import odd_page
from holdfast.core.page.distill_options import distill
from holdfast.core.page.html import limits
from holdfast.core.page.html.limits import breach
from holdfast.core.page.html.reduced import reduced, without_formatting
from holdfast.core.page.html.text_v1 import page_text
from holdfast.core.page.html.tree import parse_html
from holdfast.core.page.page import PageKind, PageWarning
from holdfast.core.url.policy import Recipe
from holdfast.core.url.url import parse_url
from holdfast.core.web.capture import Capture

pytestmark = pytest.mark.spec("SEC-2", "SEC-4", "TXT-7")

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


BEYOND = {
    "nested elements": of(b"<div>"),
    "nested lists": of(b"<ul><li>"),
    "nested tables": of(b"<table><tr><td>"),
    "attributes": lambda size: numbered(b" a%d=1", before=b"<p")(size) + b">x",
    "attributes that hold brackets": lambda size: numbered(b" a%d='>'", before=b"<p")(size) + b">x",
    "a tag that never ends": numbered(b" a%d=1", before=b"<p>x<p"),
    "formatting that is opened again in each block": numbered(b"<p><b a=%d>"),
    "closed only in comments": numbered(b"<p><b a=%d>x<!--</b>-->"),
    "closed only in attributes": numbered(b"<p><b a=%d>x<i t='</b>'></i>"),
    "nested drawings": of(b"<svg>x"),
    "HTML that a drawing holds does not close itself": of(b"<div/>x", before=b"<svg><foreignobject>"),
    "a drawing that HTML has ended": of(b"<x/>x", before=b"<svg><p></p>"),
    "a drawing whose parent has ended": of(b"<x/>x", before=b"<div><svg></div>"),
    "drawings whose styles hold tags": of(b"<x/>x", before=b"<svg><style><div></style>"),
    "a value that ends with a stroke": of(b"<x y=z/>x", before=b"<svg>"),
    "a long link opened again in each block": of(b"<p>x", before=b"<p><a href=" + b"y" * 100 + b">"),
}
READ = {
    "paragraphs": of(b"<p>x"),
    "attributes of an end tag": lambda size: numbered(b" a%d=1", before=b"<p>x</p")(size) + b">",
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


@cache
def beyond(fact):
    """A megabyte of it, read: the same page for every test."""
    return page_of(BEYOND[fact](MEGABYTE))


@pytest.mark.parametrize("fact", BEYOND)
def test_what_would_be_quadratic_is_reduced_and_read(fact):
    page = beyond(fact)

    assert (page.kind, page.warnings) == (PageKind.PAGE, (PageWarning.TOO_COMPLEX,))
    assert is_linear(lambda size: page_of(BEYOND[fact](size)), MEGABYTE // 8)


@pytest.mark.parametrize("fact", BEYOND)
def test_no_word_of_what_is_reduced_is_lost(fact):
    html = BEYOND[fact](MEGABYTE)

    assert beyond(fact).text.count("x") == html.replace(b"<x", b"").count(b"x")


@pytest.mark.parametrize("fact", BEYOND)
def test_what_is_reduced_is_within_the_limits(fact):
    assert breach(reduced(BEYOND[fact](MEGABYTE).decode())) is None


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
    assume(limits._BRACKET_IN_VALUE.search(html) is None)
    assert limits._SIMPLE_TAG.findall(html) == limits.TAG.findall(html)


def test_a_long_tag_is_seen_wherever_it_stands():
    for before in range(0, 1_600, 7):
        page = "<p>" + "x" * before + "<a " + "b " * 1_501 + ">" + "<i>y</i>" * 4_000
        assert breach(page) is not None, before


DRAWING = "<div><svg viewBox='0 0 9 9'><g><path d='M1 1'/><circle r=1 /><use href=\"#a\"/></g></svg></div>"


@pytest.mark.parametrize(
    "piece",
    [
        DRAWING,
        "<svg><title>t</title><g/></svg>",
        "<svg/>",
        "<math><mspace width=1 /><mrow><none/></mrow></math>",
        "<svg><foreignObject><p>x<br></p></foreignObject><path/></svg>",
        "<svg><!-- <g> --><g/></svg>",
    ],
)
def test_what_closes_itself_in_a_drawing_is_not_open(piece):
    assert breach(piece * 12_001) is None


def test_a_drawing_of_twelve_thousand_strokes_is_read_as_the_standard_says():
    page = page_of(b"<main>a<svg>" + b"<path d='M1 1'/>" * 12_001 + b"</svg>b<nav>no</nav></main><p>no")

    assert (page.text, page.warnings) == ("a b", ())


@example("<p><b>x</b>y" * 4_001)
@example("<a href=x>y</a><b>1</b>" * 3_001)
@given(st.integers().map(odd_page))
def test_a_page_within_the_limits_says_the_same_when_it_is_reduced(html):
    assume(breach(html) is None)

    assert page_text(parse_html(reduced(html))) == page_text(parse_html(html))


@example("".join(f"<b a={n}>x<p>" for n in range(900)))
@given(st.integers().map(odd_page))
def test_what_is_reduced_stays_so(html):
    assert reduced(reduced(html)) == reduced(html)
    assert without_formatting(without_formatting(html)) == without_formatting(html)


def test_only_the_formatting_elements_that_are_opened_again_most_are_left_out():
    fonts = "".join(f"<p><font a={n}>x" for n in range(900))

    assert reduced(fonts + "<code>y</code>") == "<p>x" * 900 + "<code>y</code>"


def test_elements_beyond_the_thousandth_are_flat_and_their_words_stay_apart():
    page = "<div>" * 999 + "<main><div>a<b>b</b></div><p>c<br>d</main>" + "e<div>f"

    assert reduced(page) == "<div>" * 999 + "<main> ab  c<br>d</main>" + "e<div>f"


def test_an_element_that_ends_beyond_the_limit_ends_nothing_that_was_open_before():
    page = "<div>" * 1_000 + "<div>x</div>y</div>z"

    assert reduced(page) == "<div>" * 1_000 + " x y</div>z"


def test_after_a_million_tags_there_are_only_the_ends_of_what_is_open():
    page = reduced("<main>" + "<p>x" * limits.MAX_TAGS + "<nav>y</nav><br>z</main>!")

    assert page.count("<") == limits.MAX_TAGS + 1
    assert page.endswith("<p>x x y  z</main>!")


def test_what_is_reduced_takes_no_more_memory_than_its_size_asks_for():
    small, large = (
        least_memory(lambda size=size: reduced(BEYOND["nested tables"](size).decode()), samples=1)
        for size in (MEGABYTE // 4, MEGABYTE)
    )

    assert large < 5 * small
