"""The tree by tokens is the parser's tree: three parsers, three ways to read it."""

import random

import pytest
import turbohtml
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from holdfast.core.page.html import tokens
from holdfast.core.page.html.tokens import INVISIBLE
from holdfast.core.page.html.tree import MAX_DEPTH, Element, parse_html, raw_text

TAGS = (
    "div p b i a em table tr td ul li pre code svg math script style template select option xmp br img h1"
).split()  # no span: inside pre they are taken out on purpose, see below
PIECES = [
    *(f"<{tag}>" for tag in TAGS), *(f"</{tag}>" for tag in TAGS), "<a href='x\"y'>", '<p a"b=1 =c \x85d>',
    "<!-- c -->", "<!--a--!>", "text", " ", "\n", "&amp;", "&lt;b&gt;", "&nbsp;", "é", "\x85", "\xa0",
    "<x\x85y>", "<a\xa0b>", "\x00", "<math><annotation-xml encoding='text/html'>", "<svg><link>", "</link>",
    "<![CDATA[x]]>", "<?pi?>", "<?a b>c?>", "<!foo>", "<", "</", ">",
]  # fmt: skip
markup = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


def by_walking(html):
    """The parser's tree node by node: slow, and free of our regular expressions."""
    parser = LexborHTMLParser(html)
    parser.strip_tags([*INVISIBLE, "iframe", "xmp", "plaintext"])

    def walk(node):
        found = []
        child = node.child
        while child is not None:
            if child.tag == "-text":
                if found and isinstance(found[-1], str):
                    found[-1] += child.text_content
                elif child.text_content:
                    found.append(child.text_content)
            elif child.tag is not None and not child.is_comment_node:
                found.append((child.tag, {k: v or "" for k, v in child.attributes.items()}, walk(child)))
            child = child.next
        return found

    return [(parser.root.tag, {k: v or "" for k, v in parser.root.attributes.items()}, walk(parser.root))]


def by_tokens(html):
    def walk(element):
        found = []
        for child in element.children:
            if isinstance(child, Element):
                found.append((child.tag, child.attrs, walk(child)))
            elif found and isinstance(found[-1], str):
                found[-1] += child
            else:
                found.append(child)
        return found

    return walk(parse_html(html).root)


@settings(max_examples=150, deadline=None)
@given(markup.filter(lambda html: "xmp" not in html and "<svg><link>" not in html and "</link>" not in html))
def test_tokens_and_nodes_are_one_tree(html):
    assert by_tokens(html) == by_walking(html)


@settings(max_examples=100, deadline=None)
@given(markup.filter(lambda html: "template" not in html and "script" not in html and "style" not in html))
def test_another_parser_reads_the_same_text(html):
    """turbohtml builds the standard's tree too. NUL and CDATA apart, both have the same text."""
    html = html.replace("\x00", "").replace("<![CDATA[x]]>", "")
    body = turbohtml.parse(html).select("body")

    ours = "".join(raw_text(parse_html(html).places[0].element).split())
    assert ours == "".join(body[0].text.split())


@settings(max_examples=150, deadline=None)
@given(markup)
def test_the_tokens_are_the_whole_serialization(html):
    """What no token matches would be lost without a word."""
    normal_form = tokens.normal_form(html)

    assert "".join(token[0] for token in tokens._TOKEN.finditer(normal_form)) == normal_form


@pytest.mark.parametrize(
    "html",
    [
        '<pre><span class="k"><!--</span>--><pre>x</pre></span>y</pre>z',
        '<pre><!--<span>--><i></i><span class="other">x</span>y</pre>z',
        '<pre><span class="k">x<?a <span></span>y</pre>z',
    ],
)
def test_colour_of_code_goes_only_where_its_tags_pair(html):
    """Tags in comments do not count, nor does a span that reaches beyond the block."""
    body = parse_html(html).places[0].element

    assert body.children[-1] == "z"
    assert raw_text(body) == "xyz"


def test_deep_pages_are_flat_below_the_limit_and_lose_no_text():
    html = "".join(f"<div>{n} " for n in range(300)) + "</div>" * 300
    body = parse_html(html).places[0].element
    depth, element = 0, body
    while element.children and isinstance(element.children[-1], Element):
        depth, element = depth + 1, element.children[-1]

    assert depth <= MAX_DEPTH
    assert raw_text(body).split() == [str(n) for n in range(300)]


@pytest.mark.parametrize("seed", range(6))
def test_random_bytes_have_a_tree(seed):
    body = random.Random(seed).randbytes(20_000).decode("windows-1252", "replace")

    assert parse_html(body) is not None


def test_the_spans_of_highlighters_go_and_their_text_stays():
    html = '<pre><span class="k">def</span> <span>f</span>():\n    <b>x</b></pre>'
    plain = by_tokens("<pre>def f():\n    <b>x</b></pre>")

    assert by_tokens(html) == plain
