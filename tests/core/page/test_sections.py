"""The section that a fragment names, and its own hash."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.core.page.fragment import (
    ElementTarget,
    Opaque,
    TextQuote,
    Whole,
    Words,
    passage,
    read_fragment,
    section_hash,
)
from holdfast.core.page.html.cited_section import page_sections
from holdfast.core.page.html.head import anchors_of
from holdfast.core.page.html.section_outline import Outline
from holdfast.core.page.html.tree import parse_html
from holdfast.core.page.text_sections import text_sections
from holdfast.core.web.headers import BodyKind

PAGE = """<!doctype html><title>t</title><body>
<nav><a href="#intro">Intro</a></nav>
<h1>Guide</h1>
<h2 id="intro">Intro</h2> <p>First words.</p> <h3 id="deep">Deep</h3> <p>Deeper words.</p>
<div class="markdown-heading"><h2>Set up</h2><a id="user-content-set-up" href="#set-up"><svg></svg></a></div>
<p>Set it up.</p>
<a name="old-style"></a><h2>Old style</h2><p>Old words.</p>
<section id="boxed"><h2>Boxed<a href="#boxed">¶</a></h2><p>In the box.</p></section>
<h2>No id here</h2><p>Generated words.</p><h2>No id here</h2><p>Twice.</p>
<dl><dt id="one">one()</dt><dd>First function.</dd><dt id="two">two()</dt><dt>zwei()</dt><dd>Second.</dd>
<dt id="three">three()</dt><dd>Third.</dd></dl>
<p>Before <span id="inline">the words</span> after.</p>
<span id="empty"></span><p>Next paragraph.</p>
<footer>Footer words.</footer></body>"""


def hashes(html, *fragments):
    return {section.fragment: section for section in page_sections(Outline(parse_html(html)), fragments)}


@pytest.mark.parametrize(
    ("fragment", "text"),
    [
        ("intro", "Intro First words. Deep Deeper words."),
        ("deep", "Deep Deeper words."),
        ("set-up", "Set up Set it up."),
        ("user-content-set-up", "Set up Set it up."),
        ("old-style", "Old style Old words."),
        ("boxed", "Boxed¶ In the box."),
        ("no-id-here", "No id here Generated words."),
        ("one", "one() First function."),
        ("two", "two() zwei() Second."),
        ("three", "three() Third."),
        ("inline", "Before the words after."),
        ("empty", "Next paragraph."),
        ("int%72o", "Intro First words. Deep Deeper words."),
    ],
)
def test_a_section_is_what_a_reader_would_call_it(fragment, text):
    section = hashes(PAGE, fragment)[fragment]

    assert section.is_there
    assert section.content == section_hash(text)


def test_the_second_heading_of_a_name_has_a_number_and_no_footer_belongs_to_a_section():
    page = "<body><h2>A</h2><p>x</p><h2>A</h2><p>y</p><footer>f</footer></body>"

    assert hashes(page, "a-1")["a-1"].content == section_hash("A y")


@pytest.mark.parametrize("fragment", ["nothing", "Intro", "boxe", "no-id-here-9", ":~:text=never%20said"])
def test_what_is_not_there_is_missing(fragment):
    assert hashes(PAGE, fragment)[fragment].is_there is False


def test_a_heading_with_an_id_of_its_own_has_no_generated_one():
    assert hashes('<body><h2 id="x">Install</h2></body>', "install")["install"].is_there is False


@pytest.mark.parametrize("fragment", ["!/route", "/route", "L12", "L12-L20", "tab=2", "a=b&c=d"])
def test_routes_lines_and_states_are_not_judged(fragment):
    assert hashes(PAGE, fragment)[fragment].is_there is None


def test_top_and_nothing_are_always_there():
    assert hashes("<body></body>", "top", "")["top"].is_there


@pytest.mark.parametrize(
    ("fragment", "words"),
    [
        (":~:text=first%20words", "first words"),
        (":~:text=intro-,first,deeper%20words,-.", "first words. deep deeper words"),
        ("intro:~:text=Set%20it,up.", "set it up."),
        (":~:text=deeper%20words&text=old%20words", "deeper words\nold words"),
    ],
)
def test_quoted_words_are_found_in_the_text(fragment, words):
    section = hashes(PAGE, fragment)[fragment]

    assert section.is_there
    assert section.content == section_hash(words)


def test_a_quote_needs_its_context():
    assert passage("a b c a d", TextQuote("a", suffix="d")) == "a"
    assert passage("a b c", TextQuote("a", suffix="d")) is None
    assert passage("one two three", TextQuote("one", "three")) == "one two three"
    assert passage("one two", TextQuote("two", "one")) is None


def test_a_change_elsewhere_leaves_a_section_as_it_was_and_a_change_in_it_does_not():
    fragments = ("intro", "deep", "set-up", ":~:text=old%20words")
    before = hashes(PAGE, *fragments)
    elsewhere = hashes(
        PAGE.replace("Third.", "Other.").replace('<h2 id="intro"', '<p>New.</p><h2 id="intro"'), *fragments
    )
    inside = hashes(PAGE.replace("Deeper words", "Other words"), *fragments)

    assert elsewhere == before
    assert {name for name in fragments if inside[name] != before[name]} == {"intro", "deep"}


def test_fragments_are_read_as_what_they_name():
    assert read_fragment("") == read_fragment("top") == Whole()
    assert read_fragment("L3") == Opaque()
    assert read_fragment("a") == ElementTarget(("a", "user-content-a"))
    assert read_fragment(":~:text=a-,b,c,-d") == Words((TextQuote("b", "c", "a", "d"),))
    assert read_fragment(":~:text=x%2Cy") == Words((TextQuote("x,y"),))
    assert read_fragment("a:~:selector=b") == ElementTarget(("a", "user-content-a"))


MARKDOWN = """# Title

## Set `up` it

words
```
# no heading
```
### Deep

more

Underlined
----------
<a id="here"></a>

last
"""


@pytest.mark.parametrize(
    ("fragment", "text"),
    [
        ("set-up-it", "## Set `up` it words ``` # no heading ``` ### Deep more"),
        ("deep", "### Deep more"),
        ("underlined", 'Underlined ---------- <a id="here"></a> last'),
        (":~:text=more", "more"),
    ],
)
def test_markdown_has_the_ids_of_its_headings(fragment, text):
    (section,) = text_sections(MARKDOWN, BodyKind.MARKDOWN, [fragment])

    assert section.content == section_hash(text)


def test_what_a_text_cannot_say_is_not_judged():
    (missing,) = text_sections(MARKDOWN, BodyKind.MARKDOWN, ["no-heading"])
    (unknown,) = text_sections("words", BodyKind.PLAIN, ["section"])
    (quoted,) = text_sections("some words", BodyKind.PLAIN, [":~:text=other"])

    assert (missing.is_there, unknown.is_there, quoted.is_there) == (False, None, False)


PIECES = [
    "<div id=a>", "</div>", "<a name=b>", "</a>", "<h1>", "<h2 id=c>", "</h2>", "<p>", "words ", "<br id=d>",
    "<table>", "<td id=e>", "</table>", "<dl>", "<dt id=f>", "<dd>", "<svg id=g>", "<title>", "<!-- x -->",
    "<nav id=h>", "</nav>", "<template id=i>", "<b>", "<li id=j>", "<main>", "<footer id=k>", "&lt;",
    "<pre><span class=k id=l>", "</pre>",
]  # fmt: skip


@settings(deadline=None, max_examples=300)
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_any_markup_has_sections_and_those_that_are_there_are_found(html):
    document = parse_html(html)
    anchors = anchors_of(document)
    names = [*"abcdefghijkl", ":~:text=words", "words"]
    found = {section.fragment: section for section in page_sections(Outline(document), names)}

    assert set(found) == set(names)
    assert all(found[name].is_there for name in anchors)
    assert not any(found[name].is_there for name in set("abcdefghijkl") - anchors)
