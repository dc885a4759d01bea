"""Anchors in the Markdown: a link to `page#x` lands (SCT-3)."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.rendering import markdown_of, rendered
from holdfast.core.page.html.tree import parse_html
from holdfast.core.page.markdown.writer import write_markdown
from holdfast.core.page.section import heading_slug

# ruff: noqa: E501 - markup reads best unbroken

pytestmark = pytest.mark.spec("SCT-3")

LANDING = [
    ("a heading whose id a renderer makes anyway has none", '<h2 id="set-up-it">Set up it!</h2>', "## Set up it!"),
    ("any other heading has its own", '<h2 id="x">A</h2>', '## <a id="x"></a>A'),
    ("the second heading of a name", '<h2 id="a">A</h2><h2 id="a-1">A</h2>', "## A\n\n## A"),
    ("a box around a heading (Sphinx)", '<section id="s"><h2>A</h2><p>b</section>', '## <a id="s"></a>A\n\nb'),
    ("an empty target before a heading (Doxygen)", '<a id="g1" name="g1"></a><h2>f()</h2>', '## <a id="g1"></a>f()'),
    ("a name in a heading (gtk-doc)", '<h3><a name="g-new"></a>g_new ()</h3>', '### <a id="g-new"></a>g_new ()'),
    ("a permalink that is the target itself (node)",
     '<h3>f()<span><a class="mark" href="#f" id="fs_f">#</a></span></h3>', '### <a id="fs_f"></a>f()'),
    ("GitHub's prefix is not linked to", '<h2>A</h2><a id="user-content-x" href="#x"></a><p>b', '## A\n\n<a id="x"></a>b'),
    ("a name with spaces (Java)", '<a name="call(int, int)"></a><h4>call</h4><a name=" x"></a>', '#### <a id="call(int, int)"></a>call'),
    ("a term", '<dl><dt id="t">t<dd>d</dl>', '- <a id="t"></a>**t**\n\n  d'),
    ("a signature", '<dl><dt class="sig" id="m.f">f(<em id=y>x</em>)<dd>d</dl>',
     '- <a id="m.f"></a><a id="y"></a>`f(x)`\n\n  d'),
    ("a paragraph and an item", '<p id=p>a<ul><li id=i>b</ul>', '<a id="p"></a>a\n\n- <a id="i"></a>b'),
    ("a place in a line", '<p>a <span id=s>b</span> c', 'a <a id="s"></a>b c'),
    ("a place in what is marked stands before it", '<p>a <b>b <a name=n></a>c</b>', 'a <a id="n"></a>**b c**'),
    ("a link that is a target", '<p>a <a name=n href=x>b</a>', 'a <a id="n"></a>[b](https://docs.example/guide/x)'),
    ("a row and a cell", '<table><tr id=r><th>a<th id=c>b<tr><td>1<td>2</table>',
     '| <a id="r"></a>a | <a id="c"></a>b |\n| --- | --- |\n| 1 | 2 |'),
    ("a table", '<table id=t><tr><td>1<td>2</table>', '<a id="t"></a>\n\n|  |  |\n| --- | --- |\n| 1 | 2 |'),
    ("code, and a name in it", '<pre id=c>a <a name=n>b</a></pre>', '<a id="c"></a><a id="n"></a>\n\n```\na b\n```'),
    ("numbered lines are not places", '<pre><a id="__codelineno-0-1" href="#__codelineno-0-1"></a>a</pre>', "```\na\n```"),
    ("where a link leads that skips the menu", '<h1 id=__skip>A</h1><a name="skip-navbar_top"></a><p>b', "# A\n\nb"),
    ("a place at the end", '<p>a</p><a id=end></a>', 'a\n\n<a id="end"></a>'),
    ("an id twice", '<p id=a>a<p id=a>b', '<a id="a"></a>a\n\nb'),
    ("an odd id", '<p id=\'a"&lt;b\'>a<p id="a\nb">b', '<a id="a&quot;&lt;b"></a>a\n\nb'),
    ("what lays the page out", '<div id=content><p>a</div>', "a"),
]  # fmt: skip


@pytest.mark.parametrize(("fact", "html", "markdown"), LANDING, ids=[case[0] for case in LANDING])
def test_where_an_anchor_stands(fact, html, markdown):
    assert markdown_of(f"<body>{html}") == markdown + "\n"


class _Nowhere:
    def destination(self, reference):
        return reference


def written(html, anchors):
    body = parse_html(html).places[0].element
    return write_markdown((body,), _Nowhere(), anchors).markdown


def test_anchors_are_attributes_of_headings_or_none_if_one_wishes():
    page = "<body><section id=s><h2 id=x>A</h2></section><p id=p>b"

    assert written(page, "attributes") == '## <a id="x"></a>A {#s}\n\n<a id="p"></a>b\n'
    assert written(page, "none") == "## A\n\nb\n"


@pytest.mark.parametrize(
    ("heading", "slug"),
    [
        ("Set up: it's 1.2", "set-up-its-12"),
        ("snake_case-kebab", "snake_case-kebab"),
        ("Größe 安装", "größe-安装"),
        ("\U0001f600 x", "-x"),
    ],
)
def test_a_heading_s_id_is_github_s_and_hangs_on_no_version_of_unicode(heading, slug):
    assert heading_slug(heading) == slug


PIECES = [
    "<h2 id=a>", "</h2>", "<p id=b>", "</p>", "<b id=c>", "</b>", "<a name=d>", "</a>", "<a href=x id=e>",
    "<ul id=f>", "<li id=g>", "</ul>", "<dl>", "<dt id=h>", "<dd id=i>", "</dl>", "<table id=j>", "<tr id=k>",
    "<td id=l>", "</table>", "<code id=m>", "</code>", "<blockquote id=n>", "</blockquote>", "<img id=o src=y>",
    "<br>", "<hr id=p>", "words ", "- ", "<sup id=q>", "</sup>", "<div id=r>", "</div>", "<details id=s>",
    "<summary>", "</details>", "<ol id=t>", "</ol>", "<span id=u>", "</span>", "<em>", "</em>",
]  # fmt: skip


@settings(deadline=None, max_examples=300)
@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_every_place_of_a_page_is_in_its_markdown_once(html):
    page = f"<body>{html}<p>end"
    places = {attrs["id"] for attrs in parse_html(page).attributes if "id" in attrs}
    places |= {attrs["name"] for attrs in parse_html(page).attributes if "name" in attrs}
    shown = rendered(markdown_of(page))
    found = re.findall(r'<a id="(\w)"></a>', shown)

    assert len(found) == len(set(found))
    assert set(found) <= places
    # what is hidden, empty or says the same as its heading may be left out; nothing else
    missing = places - set(found)
    assert all(_may_be_left_out(name, page, shown) for name in missing), (missing, shown)


def _may_be_left_out(name, page, shown):
    return f">{name}</h2>" in shown or (name == "o")
