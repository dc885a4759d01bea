"""A page as a sequence of sections: what the frozen file says, and ids that stay (SCT-1)."""

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.growth import is_linear
from holdfast.core.page.distill_options import DistillOptions, distill
from holdfast.core.page.fragment import section_hash
from holdfast.core.page.html.cited_section import page_sections
from holdfast.core.page.html.section_list import facts_of, listed_sections
from holdfast.core.page.html.section_outline import Outline
from holdfast.core.page.html.text_v1 import page_text
from holdfast.core.page.html.tree import parse_html
from holdfast.core.page.section import Outlined, SectionKind, anchors_for, section_id
from holdfast.core.page.text_sections import text_outline, text_sections
from holdfast.core.url.policy import Recipe
from holdfast.core.url.url import parse_url
from holdfast.core.web.capture import Capture
from holdfast.core.web.headers import BodyKind

# ruff: noqa: E501, ISC004 - markup reads best unbroken

pytestmark = pytest.mark.spec("SCT-1")

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "section_v1.json").read_text(encoding="utf-8"))
URL = parse_url("https://docs.example/guide/page.html")
RECIPE = Recipe.parse("http_snapshot_url_v1_text_v1")


def listed(html, title="Title"):
    return [entry.section for entry in listed_sections(facts_of(Outline(parse_html(html))), title, "en")]


def distilled(html):
    headers = (("content-type", "text/html"),)
    capture = Capture(URL, URL, 200, headers, html.encode(), datetime(2026, 1, 1, tzinfo=UTC))
    return distill(capture, RECIPE, DistillOptions(outline=True))


@pytest.mark.parametrize("row", VECTORS, ids=[row["fact"] for row in VECTORS])
def test_sections_are_what_was_frozen(row):
    if "html" in row:
        outline = Outline(parse_html(row["html"]))
        sections = [entry.section for entry in listed_sections(facts_of(outline), "Title", None)]
        cited = page_sections(outline, row["cited"])
    else:
        sections = text_outline(row["markdown"], BodyKind.MARKDOWN)
        cited = text_sections(row["markdown"], BodyKind.MARKDOWN, row["cited"])
    fields = ("anchor", "level", "kind", "name", "text", "content")

    assert [{name: getattr(section, name) for name in fields} for section in sections] == [
        {name: said[name] for name in fields} for said in row["sections"]
    ]
    assert [list(section.path) for section in sections] == [said["path"] for said in row["sections"]]
    assert {section.fragment: section.content for section in cited} == row["cited"]


def test_an_id_is_the_page_and_the_anchor():
    assert section_id("k", "a") == "k#a"
    assert section_id("k", "") == "k"


IDS = {"Notes": "notes-of-it", "Install": "", "Parameters": "", "Über uns": "", "!": ""}
TITLES = st.sampled_from(list(IDS))
HEADINGS = st.tuples(st.integers(1, 4), TITLES)
BODIES = st.sampled_from(
    ["", "<p>words", "<p>other words", "<pre>code here</pre>", "<table><tr><td>cell</table>"]
)
PAGES = st.lists(st.tuples(HEADINGS, BODIES), max_size=8)


def page_of(sections):
    parts = [
        f"<h{level}{f' id={IDS[title]}' if IDS[title] else ''}>{title}</h{level}>{body}"
        for (level, title), body in sections
    ]
    return f"<main><h1 id=title>Title</h1>{''.join(parts)}</main>"


def by_path(html):
    """The anchors of sections whose path no other section has, nor their ids."""
    sections = listed(html)
    counts = Counter(section.path for section in sections)
    doubled = {
        title
        for title, number in Counter(s.path[-1] for s in sections).items()
        if number > 1 and IDS.get(title)
    }
    return {
        section.path: section.anchor
        for section in sections
        if counts[section.path] == 1 and doubled.isdisjoint(section.path)
    }


@settings(deadline=None)
@given(PAGES, st.data())
def test_an_edit_elsewhere_moves_no_id(sections, data):
    before = by_path(page_of(sections))
    at = data.draw(st.integers(0, len(sections)))
    added = ((data.draw(st.integers(1, 4)), data.draw(TITLES)), data.draw(BODIES))
    edited = (
        [*sections[:at], added, *sections[at:]],
        sections[:at] + sections[at + 1 :],
        [(heading, f"{body}<p>new words") for heading, body in sections],
    )
    for now in edited:
        after = by_path(page_of(now))
        common = before.keys() & after.keys()
        assert {path: after[path] for path in common} == {path: before[path] for path in common}


@given(PAGES)
def test_no_two_sections_of_a_page_have_one_id(sections):
    anchors = [section.anchor for section in listed(page_of(sections))]

    assert len(anchors) == len(set(anchors))


def test_equal_headings_are_told_apart_by_their_path_and_only_then_by_number():
    sections = [
        Outlined("", "Guide", -1),
        Outlined("", "Linux", 0),
        Outlined("", "Steps", 1),
        Outlined("mac", "Mac", 0),
        Outlined("", "Steps", 3),
        Outlined("", "Steps", 3),
        Outlined("mac", "Again", 0),
    ]

    assert anchors_for(sections, 0) == [
        "guide",
        "linux",
        "linux/steps",
        "mac",
        "mac/steps",
        "mac/steps-2",
        "mac-2",
    ]


PIECES = [
    "<div id=a>", "</div>", "<a name=b>", "</a>", "<h1>", "<h2 id=c>", "</h2>", "<h3>", "<p>", "words ", "<br id=d>",
    "<table>", "<td id=e>", "</table>", "<dl>", "<dt id=f>", "<dd>", "</dl>", "<nav id=h>", "</nav>", "<b>", "<main>",
    "</main>", "<article>", "</article>", "<footer id=k>", "</footer>", "<pre>", "</pre>", "more ", "<dt>", "<h2>",
    "<a href=#c>#</a>", "<section id=s>", "</section>", "<ul><li>", "</ul>", "<blockquote>", "</blockquote>",
]  # fmt: skip


@settings(deadline=None, max_examples=300)
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_every_word_of_the_page_is_in_one_section_and_a_cited_one_is_the_same(html):
    document = parse_html(html)
    outline = Outline(document)
    entries = listed_sections(facts_of(outline), "Title", None)
    words = Counter(word for entry in entries for word in entry.section.text.split())
    bounds = {each.start: each for each in outline.listed()}
    named = outline.by_name()
    parents = {entry.parent for entry in entries}
    (*cited,) = page_sections(outline, [entry.section.anchor for entry in entries if entry.section.anchor])
    said = {section.fragment: section.content for section in cited}

    assert words == Counter(page_text(document).split())
    for number, (section, start, _) in enumerate(entries):
        if start >= 0 and section.anchor in named and named[section.anchor].start == start:
            text = outline.text(bounds[start].start, bounds[start].end)
            assert said[section.anchor] == (section_hash(text) if text else None)
            if number not in parents and text:
                assert said[section.anchor] == section.content


@settings(deadline=None, max_examples=300)
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_the_bytes_of_sections_are_whole_lines_that_make_up_the_markdown(html):
    page = distilled(html)
    data = page.markdown.encode()
    spans = sorted(span for section in page.structure.outline for span in section.spans)

    assert b"\0" not in data
    assert [span[0] for span in spans[1:]] == [span[1] for span in spans[:-1]]
    assert (spans[0][0], spans[-1][1]) == (0, len(data)) if data else not spans
    assert all(start == 0 or data[start - 1 : start] == b"\n" for start, _ in spans)


def test_a_section_s_bytes_are_what_it_says():
    page = distilled(
        "<main><h1>Guide</h1><p>Lead.<h2 id=x>Größe</h2><p>ü.<ul><li>a</ul><dl><dt class=sig id=m.f>"
        "<span class=sig-name>f</span>()<dd><p>Runs.<dt id=t>t<dd>u</dl><p>After."
    )
    data = page.markdown.encode()
    said = {
        section.anchor: [data[start:end].decode() for start, end in section.spans]
        for section in page.structure.outline
    }

    assert said == {
        "guide": ["# Guide\n\nLead.\n\n"],
        "x": ['## <a id="x"></a>Größe\n\nü.\n\n- a\n\n', "After.\n"],
        "m.f": ['* <a id="m.f"></a>`f()`\n\n  Runs.\n\n'],
        "t": ['* <a id="t"></a>**t**\n\n  u\n\n'],
    }
    assert [(section.kind, section.name) for section in page.structure.outline][2] == (SectionKind.API, "m.f")


API = [
    ('<dl><dt class="sig sig-object py" id="flask.Flask"><span class="sig-prename descclassname"><span>flask.</span></span>'
     '<span class="sig-name descname"><span>Flask</span></span>()<dd><dl><dt class="sig" id="flask.Flask.route">'
     '<span class="sig-name">route</span>(rule)<dd>x</dl></dl>', ["flask.Flask", "flask.Flask.route"]),
    ('<dl><dt class="sig" id="c.PyObject_Call"><span class="sig-name">PyObject_Call</span>()<dd>x</dl>', ["PyObject_Call"]),
    ('<h1>Struct std::vec::Vec</h1><section id="method.new"><span>source</span><a href="#method.new" class="anchor"></a>'
     "<h4>pub fn new() -> Vec&lt;T></h4></section>", ["std::vec::Vec", "std::vec::Vec::new"]),
    ('<meta name="description" content="declaration: module: java.base, package: java.util, class: Optional">'
     '<h1>Class Optional&lt;T></h1><h2>Method Details</h2><section id="of(T)"><h3>of</h3></section>',
     ["java.util.Optional", None, "java.util.Optional.of"]),
    ('<h2>File system</h2><h3><code>fs.open(path[, flags])</code></h3><h3><code>path.delimiter</code></h3>',
     [None, "fs.open", "path.delimiter"]),
    ('<h3><a name="g-free"></a>g_free ()</h3>', ["g_free"]),
    ('<h1>Class: YARD::Tag</h1><h3 id="all-instance_method">#all ⇒ Object</h3>', ["YARD::Tag", "YARD::Tag#all"]),
    ("<h1>Class Reference</h1><h2>Package installation</h2><h2>Using f() and g()</h2><h2>Node.js</h2>", [None] * 4),
]  # fmt: skip


@pytest.mark.parametrize(("html", "names"), API, ids=[str(names) for _, names in API])
def test_an_api_entry_has_its_qualified_name(html, names):
    assert [section.name for section in listed(html)] == names


@pytest.mark.parametrize(
    ("heading", "title", "name"),
    [
        ("Exception Handling", "Exception Handling — Click Documentation", None),
        ("Function Documentation", "sigc::mem_fun", None),
        ("Module Contents", "datetime — Basic date and time types", None),
        ("Enum HOWTO", "Enum HOWTO", None),
        ("Module APIs", "Modules", None),
        ("Type Objects", "Objectives", None),
        ("Class Node", "Nodes", None),
        ("Class Node", "Node (Trees 1.0 API)", "Node"),
        ("Struct Vec", "Vec in std::vec - Rust", "Vec"),
        ("Interface List<E>", "Title", "List"),
        ("Class ByteBuffer", "Title", "ByteBuffer"),
        ("Class JSONDecoder", "Title", "JSONDecoder"),
        ("Macro BOOST_VERSION", "Title", "BOOST_VERSION"),
        ("Class: Node", "Title", "Node"),
        ("Module os.path", "Title", "os.path"),
    ],
)
def test_a_heading_of_prose_is_no_api_entry(heading, title, name):
    html = f"<h2>{heading.replace('<', '&lt;')}</h2><p>Words.</p>"
    assert [section.name for section in listed(html, title)] == [name]
    assert [section.name for section in distilled(f"<title>{title}</title>{html}").structure.outline] == [
        name
    ]


@pytest.mark.parametrize(
    "piece",
    [
        "<h2>a</h2>x",
        "<dl><dt id=a>b<dd>c",
        "<nav><h2>x</h2></nav>",
        "<article><h2>a</h2></article>",
        "<h1 role=x>a</h1>",
    ],
)
def test_listing_costs_as_much_as_the_page_is_long(piece):
    assert is_linear(lambda size: listed(piece * (size // len(piece))), 10_000)
