"""The native reader reads what the reference reads, value for value; what it declines the reference reads."""

import json
import subprocess
import sys
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.page.test_generators import PAGES
from core.page.test_hostile import BEYOND, READ
from helpers.odd_pages import mutated, odd_page
from holdfast.core.page import python_reader, rust_reader
from holdfast.core.page.distill_options import DistillOptions, distill
from holdfast.core.page.html.limits import breach
from holdfast.core.page.html.tokens import CHANGED, normal_form
from holdfast.core.page.page import Link, LinkKind, Page
from holdfast.core.page.rust_reader import page_gist
from holdfast.core.url.policy import Recipe
from holdfast.core.url.traps import gist_of
from holdfast.core.url.url import parse_url
from holdfast.core.web.capture import Capture

URL = parse_url("https://docs.example/guide/page.html?x=1")
RECIPE = Recipe.parse("http_snapshot_url_v1_text_v1")
FROZEN = Path(__file__).parents[2] / "vectors"
VECTORS = json.loads((FROZEN / "text_v1.json").read_text(encoding="utf-8"))
SECTIONS = [
    row for row in json.loads((FROZEN / "section_v1.json").read_text(encoding="utf-8")) if "html" in row
]
LOCAL = (("https://docs.example/guide/a_b.html", "../a(b.md"),)
CITED = frozenset(
    (
        "top",
        "x",
        "a",
        "root",
        "anchor",
        "footnotes",
        "content",
        "words-and-more-1",
        "!state",
        ":~:text=words,more",
    )
)
OPTIONS = (
    DistillOptions(outline=True),
    DistillOptions(full=True, absolute_links=False, anchors="attributes"),
    DistillOptions(glance=True, links=True),
    DistillOptions(glance=True, outline=True),
    DistillOptions(local=LOCAL, anchors="none"),
    DistillOptions(glance=True, outline=True, fragments=CITED),
)

SAMPLES = [html for html, _ in PAGES.values()]

pytestmark = pytest.mark.skipif(
    rust_reader.READER is None, reason="the native reader is not built: `make native`"
)


form_of = cache(python_reader.form_of)


def both(html, options=OPTIONS[0], url=URL):
    form, _ = form_of(html)
    return rust_reader.read_form(rust_reader.READER, form, url, options), python_reader.read_form(
        form, url, options
    )


def assert_same(html, options=OPTIONS[0]):
    read, expected = both(html, options)
    if read is not None:
        assert read == expected


@pytest.mark.parametrize("row", VECTORS, ids=lambda row: row["fact"])
def test_frozen_pages_are_read_natively_as_they_are_frozen(row):
    read, expected = both(row["html"])

    assert read == expected
    assert read.text == row["text"]


@pytest.mark.parametrize("row", SECTIONS, ids=lambda row: row["fact"])
def test_frozen_sections_are_read_natively_as_they_are_frozen(row):
    read, expected = both(row["html"], DistillOptions(outline=True, fragments=frozenset(row["cited"])))

    assert read == expected
    assert read.structure.outline


@pytest.mark.parametrize("options", OPTIONS, ids=range(len(OPTIONS)))
@pytest.mark.parametrize("html", SAMPLES, ids=lambda html: html[:40])
def test_pages_of_generators_are_read_alike(html, options):
    assert_same(html, options)


@pytest.mark.parametrize("fact", READ)
def test_hostile_pages_are_read_alike(fact):
    assert_same(READ[fact](50_000).decode(errors="replace"))


@pytest.mark.spec("TXT-7")
@pytest.mark.parametrize("options", OPTIONS, ids=range(len(OPTIONS)))
@pytest.mark.parametrize("fact", BEYOND)
def test_what_is_left_of_a_page_beyond_the_limits_is_read_alike(fact, options):
    html = BEYOND[fact](250_000).decode()
    read, expected = both(html, options)

    assert form_of(html)[1]
    assert read == expected


@pytest.mark.parametrize("piece", ["<i>a</i><b>b</b>", "<code>a</code> "])
def test_a_paragraph_of_more_pieces_than_there_are_codes_is_read_alike(piece):
    assert_same(f"<p>{piece * 66_000}")


@pytest.mark.parametrize("link", ['id=""', "id=x", "name=x", "href=/x"])
def test_a_link_around_a_term_that_is_a_heading_is_read_alike(link):
    assert_same(f"<a {link}><dl><dt>-<h2>~</h2></dt><dd>said</dd></dl></a>")


@given(st.integers(0, 2**32), st.sampled_from(OPTIONS))
def test_odd_pages_are_read_alike(seed, options):
    assert_same(odd_page(seed), options)


@given(st.integers(0, 2**32), st.sampled_from(SAMPLES))
def test_changed_pages_are_read_alike(seed, html):
    assert_same(mutated(html, seed))


@given(st.text(alphabet="<>/='\" abip&;\n\x1c-é\u017f1", max_size=300), st.integers(1, 400))
def test_only_pages_within_the_limits_are_harmless(text, times):
    html = text * times

    assert not rust_reader.READER.is_harmless(html) or breach(html) is None


PIECES = (
    "<b> <i> </b> <p> <br> <ſ> <script </Script> <title>é</title> <!-- --> = ' \" <b/x=1> <pé> > K </ text"
)


@settings(max_examples=40)
@given(st.lists(st.sampled_from(PIECES.split()), max_size=12), st.integers(1, 700))
def test_a_page_of_many_tags_is_harmless_only_within_the_limits(pieces, times):
    html = "".join(pieces) * times + "<br>" * 12_001

    assert not rust_reader.READER.is_harmless(html) or breach(html) is None


@pytest.mark.parametrize(
    "wrap", ["{}", "<!-- <b> -->{}<script>'<b>'</script>", "<svg><path d='M 1 2 > 3'/></svg>{}"]
)
def test_a_large_page_is_known_to_be_harmless_without_the_reference(wrap):
    assert rust_reader.READER.is_harmless(wrap.format("<p>words <b>and</b> <a href='x'>more</a>" * 4_000))


NAMED = st.sampled_from(
    ["<ScriPt>", "<iframe>", "<xmp>", "<style/", "<template", "<noſcript>", "<p>", "math/tex", "</"]
)


@given(st.lists(NAMED, max_size=8), st.integers(0, 2**32))
def test_a_normal_form_is_the_same_for_whoever_knows_what_is_in_the_page(pieces, seed):
    html = " x ".join([*pieces, odd_page(seed)])

    assert normal_form(html, rust_reader.READER.changed(html)) == normal_form(html)


@pytest.mark.parametrize("html", ["<h1 id=''>?</h1>", "<div id=a><h2 id=''>x</h2></div>"])
def test_a_heading_with_an_empty_id_has_none(html):
    read, expected = both(html)

    assert read == expected
    assert not any(heading.anchor == "" for heading in read.structure.headings)


TITLES = st.sampled_from(
    [
        "Words",
        "Words and more",
        "Čapek's words ¶",
        "\u200b",
        "",
        "fs.open(path)",
        "g_free ()",
        "static async def f(x) -> y",
        "Class: YARD::Tag",
        "Package installation",
        "Abstract Class Shape<T>",
        "Sealed Interface a.b.C",
        "#route",
        ".new",
        "std::vec Class Template Reference",
        "<code>os.path</code>",
        "<code>std::vec::Vec</code> (more)",
    ]
)
IDS = st.sampled_from(
    [
        "",
        " id=a",
        " id=a-2",
        " id=words",
        " id=method.new-1",
        " id=variant.A",
        " id='of(T)'",
        " id='&lt;init>(int)'",
    ]
)
TERM = (
    "<dl><dt class=sig id={0}><span class=sig-prename>{1}</span><span class=sig-name>{2}</span>"
    "<dd>words<pre>many words of code</pre></dl>"
)
TERMS = st.builds(
    TERM.format,
    st.sampled_from(["f", "a.f", "c.f", "cpp.f", "other", "''"]),
    st.sampled_from(["", "a.", "std::"]),
    st.sampled_from(["f", ".f", "#f", ""]),
)
HEADINGS = st.builds("<h{0}{1}>{2}</h{0}><p>words".format, st.integers(1, 4), IDS, TITLES)
ABOUT = st.sampled_from(
    [
        "",
        "<title>a::B Class Reference</title>",
        "<title>x</title><meta name=Description content='declaration: module: m, package: p.q, class: C'>",
    ]
)


@given(ABOUT, st.lists(st.one_of(HEADINGS, TERMS), max_size=8))
def test_sections_are_called_alike(about, pieces):
    html = about + "<main>" + "".join(pieces)
    read, expected = both(html)

    assert read.structure.outline == expected.structure.outline


@pytest.mark.parametrize(
    "text", ["<p>words", "<p>Čapek ’ 🔗", "\ufeff<p>\0x"], ids=["ascii", "other", "mark"]
)
def test_a_page_is_read_alike_from_its_bytes(text):
    whole = text * 50

    assert python_reader.read_page(whole, URL, OPTIONS[0], whole.encode()) == python_reader.read_page(
        whole, URL, OPTIONS[0]
    )
    assert rust_reader.READER.changed(whole.encode()) == rust_reader.READER.changed(whole)


def test_bytes_that_are_not_utf8_are_not_known_to_be_harmless():
    assert not rust_reader.READER.is_harmless(b"<p>\xff")
    assert set(rust_reader.READER.changed(b"<p>\xff")) == CHANGED


SAID = st.text(alphabet="ab 1-_/é\u0130ß\ud800Z\n", max_size=60)


@given(SAID, SAID, st.lists(SAID, max_size=3))
def test_a_page_has_the_gist_that_the_reference_gives_it(text, path, linked):
    url = URL._replace(path=f"/{path}")
    links = tuple(Link(URL, words, LinkKind.ANCHOR) for words in linked)
    page = Page("", "", text, "", RECIPE, "", links)

    assert page_gist(page, url) == gist_of(text, url, linked)


def test_most_odd_pages_are_not_declined():
    declined = sum(both(odd_page(seed))[0] is None for seed in range(100))

    assert declined < 10


@pytest.mark.parametrize("html", ["<p><a<b>x", '<p a"b=c>x'])
def test_what_is_declined_the_reference_reads(html):
    read, expected = both(html)

    assert read is None
    assert python_reader.read_page(html, URL, OPTIONS[0]) == expected


def test_an_error_of_python_is_not_swallowed(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(rust_reader, "parse_url", interrupted)
    with pytest.raises(KeyboardInterrupt):
        rust_reader.read_form(
            rust_reader.READER, normal_form("<a href='https://e.org/?q'>x</a>"), URL, OPTIONS[0]
        )


SAYS = """
import sys
from holdfast.adapters.workers import worker
from holdfast.core.page.distill_options import without_native
without_native({"HOLDFAST_NATIVE": sys.argv[1]}, sys.modules)
from holdfast.core.page import rust_reader
print(rust_reader.READER is not None)
"""


@pytest.mark.parametrize(("value", "may_read"), [("0", False), ("", True), ("1", True)])
def test_the_environment_switches_it_off(value, may_read):
    done = subprocess.run([sys.executable, "-c", SAYS, value], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == str(may_read)


def test_without_it_the_reference_reads(monkeypatch):
    monkeypatch.setattr(rust_reader, "READER", None)
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    capture = Capture(URL, URL, 200, (("content-type", "text/html"),), b"<p>words", moment)

    assert distill(capture, RECIPE).text == "words"
