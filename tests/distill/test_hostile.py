"""Any bytes: a page or the word that it is none, in bounded CPU time (SEC-2, SEC-4)."""

import time
from datetime import UTC, datetime

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

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
MAX_SECONDS = 2.0


def page_of(body):
    return distill(
        Capture(URL, URL, 200, (("content-type", "text/html"),), body, datetime(2026, 1, 1, tzinfo=UTC)),
        RECIPE,
    )


def timed(body):
    """The page, and the best of up to three tries in processor time: a busy neighbour slows caches too."""
    best = float("inf")
    for _ in range(3):
        started = time.process_time()
        page = page_of(body)
        best = min(best, time.process_time() - started)
        if best < MAX_SECONDS:
            break
    return page, best


def filled(piece):
    return piece * (MEGABYTE // len(piece))


REFUSED = {
    "100,000 nested elements": b"<div>" * 100_000,
    "nested lists": b"<ul><li>" * 50_000,
    "nested tables": filled(b"<table><tr><td>"),
    "100,000 attributes": b"<p " + b" ".join(b"a%d=1" % n for n in range(100_000)) + b">",
    "attributes that hold brackets": b"<p " + b" ".join(b"a%d='>'" % n for n in range(60_000)) + b">",
    "formatting that is opened again in each block": b"".join(b"<p><b a=%d>" % n for n in range(70_000)),
    "closed only in comments": b"".join(b"<p><b a=%d>x<!--</b>-->" % n for n in range(40_000)),
    "closed only in attributes": b"".join(b"<p><b a=%d>x<i t='</b>'></i>" % n for n in range(30_000)),
}
READ = {
    "paragraphs": filled(b"<p>x"),
    "items": filled(b"<li>x"),
    "links": b"".join(b"<a href=/x%d?q>y</a>" % n for n in range(40_000)),
    "a huge table": b"<table>" + (b"<tr>" + b"<td>x" * 200) * 700,
    "a billion columns": b"<table><tr>" + b"<td colspan=1000000000 rowspan=65000>x" * 20_000,
    "a script that never closes": b"<script>" + filled(b"<p>x"),
    "a comment that never closes": b"<!--" + b"x" * MEGABYTE,
    "one line": b"x" * MEGABYTE,
    "brackets": b"<a href=x>" + filled(b"["),
    "backticks": b"<code>" + b"`" * MEGABYTE,
    "stars": filled(b"<b>*</b>"),
    "emphasis side by side": filled(b"<b>a</b><i>b</i>"),
    "tab bars without panels": b"<div>" + filled(b"<div role=tablist><a role=tab>x</a></div>"),
    "boxes called sidebar, nested": (b"<div class=sidebar>" * 110 + b"<pre>x</pre>" + b"</div>" * 110) * 30,
    "NUL": filled(b"\0<p>\0"),
    "line breaks": filled(b"x<br><br>"),
    "unfinished tags": filled(b"<a"),
    "entities": filled(b"&lt;&amp;&notit;"),
    "spans in code": b"<pre>" + filled(b"<span>x</span>"),
    "unassigned code points": "\U0001e08fa".encode() * 160_000,
}


@pytest.mark.parametrize("fact", REFUSED)
def test_what_would_be_quadratic_is_refused_at_once(fact):
    page, seconds = timed(REFUSED[fact])

    assert seconds < MAX_SECONDS
    assert (page.kind, page.warnings) == (PageKind.OTHER, (PageWarning.TOO_COMPLEX,))


@pytest.mark.parametrize("fact", READ)
def test_a_megabyte_of_anything_is_read_in_two_seconds(fact):
    page, seconds = timed(READ[fact])

    assert seconds < MAX_SECONDS
    assert page.kind is PageKind.PAGE


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
