"""Links in Markdown: examples from the rules of CommonMark and GFM, and two other parsers as judges."""

from __future__ import annotations

import html
import html.entities
import re
from urllib.parse import unquote

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from helpers.examples import examples
from holdfast.core.documents.document_kinds import DocumentFormat
from holdfast.core.documents.markdown_source import read_markdown
from holdfast.core.documents.readers import read_document, read_links
from holdfast.core.page.page import LinkKind

pytestmark = pytest.mark.spec("TRK-2")


def destinations(text):
    return [mention.raw for mention in read_links(text.encode(), DocumentFormat.MARKDOWN)]


INLINE = [
    ("[a](/u)", ["/u"]),
    ("[a](/u 'title')", ["/u"]),
    ('[a](/u "title")', ["/u"]),
    ("[a]()", [""]),
    ("[a](<>)", [""]),
    ("[](/u)", ["/u"]),
    ("[a](</u v>)", ["/u v"]),
    ("[a](/u v)", []),
    ("[a](/u\nv)", []),
    ("[a](</u\nv>)", []),
    ("[a](<b)c>)", ["b)c"]),
    ("[a](<b\\>)", []),
    (r"[a](\(u\))", ["(u)"]),
    ("[a](u(v(w)))", ["u(v(w))"]),
    ("[a](u(v)", []),
    (r"[a](u\(v)", ["u(v"]),
    ("[a](<u(v>)", ["u(v"]),
    (r"[a](u\)\:)", ["u):"]),
    ("[a](#f)", ["#f"]),
    (r"[a](u\v)", ["u%5Cv"]),
    ("[a](u%20&auml;)", ["u%20ä"]),
    ('[a]("t")', ['"t"']),
    ("[a](   /u\n  't'  )", ["/u"]),
    ("[a] (/u)", []),
    ("[a [b]](/u)", ["/u"]),
    ("[a] b](/u)", []),
    ("[a [b](/u)", ["/u"]),
    (r"[a \[b](/u)", ["/u"]),
    ("[a *b `c`*](/u)", ["/u"]),
    ("[![m](/i)](/u)", ["/i", "/u"]),
    ("[a [b](/u)](/v)", ["/u"]),
    ("![[[a](/u)](/v)](/w)", ["/w"]),
    ("*[a*](/u)", ["/u"]),
    ("[a `](/u)`", []),
    ("[a <b c='](/u)'>", []),
    ("[a<https://e.org/?q=](/u)>", ["https://e.org/?q=](/u)"]),
    ("[a](/u", []),
    ("    [a](/u)", []),
    ("```\n[a](/u)\n```", []),
    ("`[a](/u)`", []),
    ("\\[a](/u)", []),
]

REFERENCE = [
    ("[a][r]\n\n[r]: /u", ["/u"]),
    ("[a][R  x]\n\n[r X]: /u", ["/u"]),
    ("[r][]\n\n[r]: /u", ["/u"]),
    ("[r]\n\n[r]: /u", ["/u"]),
    ("[r]\n\n[r]:\n  </u v>\n  't'", ["/u v"]),
    ("[r]\n\n[r]: /u\n[r]: /v", ["/u"]),
    ("[r]\n\n[r]: /u 'title' rest", []),
    ("[r]: /u", []),
    ("a\n[r]: /u\n\n[r]", []),
    ("[r]\n\n> [r]: /u", ["/u"]),
    ("[r]: /u\n===\n\n[r]", ["/u"]),
    ("[a](/v)[r]\n\n[r]: /u", ["/v", "/u"]),
    ("[a][b][r]\n\n[r]: /u", ["/u"]),
    ("![r]\n\n[r]: /i", ["/i"]),
    ("![*a*][r]\n\n[r]: /i", ["/i"]),
    ("[ẞ]\n\n[ss]: /u", ["/u"]),
    ("[r\n]\n\n[r]: /u", ["/u"]),
    ("[\\!r]\n\n[r!]: /u", []),
]

AUTOLINK = [
    ("<https://e.org/?a=b&c>", ["https://e.org/?a=b&c"]),
    ("<MAILTO:A@b.c>", ["MAILTO:A@b.c"]),
    ("<a+b+c:d>", ["a+b+c:d"]),
    ("<https://e.org/a b>", ["https://e.org/a"]),
    (r"<https://e.org/\[\>", ["https://e.org/%5C[%5C"]),
    ("<>", []),
    ("< https://e.org >", ["https://e.org"]),
    ("<m:abc>", []),
    ("<e.org>", []),
]

BARE = [
    ("www.commonmark.org", ["http://www.commonmark.org"]),
    ("Visit www.e.org/help for more.", ["http://www.e.org/help"]),
    ("Visit www.e.org.", ["http://www.e.org"]),
    ("Visit www.e.org/a.b.", ["http://www.e.org/a.b"]),
    ("www.e.org/q=(business))+ok", ["http://www.e.org/q=(business))+ok"]),
    ("(www.e.org/q=(business))", ["http://www.e.org/q=(business)"]),
    ("www.e.org/q=(business)))", ["http://www.e.org/q=(business)"]),
    ("www.e.org/s?q=x&hl=en", ["http://www.e.org/s?q=x&hl=en"]),
    ("www.e.org/s?q=x&hl;", ["http://www.e.org/s?q=x"]),
    ("www.e.org/he<lp", ["http://www.e.org/he"]),
    ("http://e.org", ["http://e.org"]),
    ("(Visit https://e.org/s?q=Markup+(business))", ["https://e.org/s?q=Markup+(business)"]),
    ("ftp://e.org/f", ["ftp://e.org/f"]),
    ("http://localhost/x", ["http://localhost/x"]),
    ("*https://e.org/x*", ["https://e.org/x"]),
    ("**https://e.org/x**", ["https://e.org/x"]),
    ("~~https://e.org/x~~", ["https://e.org/x"]),
    ("https://e.org/a_b_c", ["https://e.org/a_b_c"]),
    ('"https://e.org/x"', ["https://e.org/x"]),
    ("xhttps://e.org", []),
    ("xwww.e.org", []),
    ("WWW.e.org", []),
    ("https://a_b.org", []),
    ("https://e.org/[x](https://f.org)", ["https://e.org/[x](https://f.org)"]),
    ("https://e.org/`x y `https://f.org`", ["https://e.org/`x"]),
    ("[https://e.org](/u)", ["/u"]),
    ("![https://e.org](/i)", ["/i"]),
    ("`https://e.org`", []),
    ("    https://e.org", []),
    ("~~~\nhttps://e.org\n~~~", []),
    ("\\https://e.org", ["https://e.org"]),
    ("- https://e.org/a\n- https://e.org/b", ["https://e.org/a", "https://e.org/b"]),
    ("| a |\n|---|\n| https://e.org/a |", ["https://e.org/a"]),
    ("> https://e.org/a\n> www.e.org/b", ["https://e.org/a", "http://www.e.org/b"]),
    ("# https://e.org/a #", ["https://e.org/a"]),
]

RAW = [
    ('<a href="https://e.org/?a&amp;b">x</a>', ["https://e.org/?a&b"]),
    ("<a href='https://e.org/x'>https://e.org/x</a>", ["https://e.org/x"]),
    ('<div>\n<img src="https://e.org/i.png" alt="x">\n</div>', ["https://e.org/i.png"]),
    ('> <div\n> ><a\n> href="https://e.org/q">x</a></div>', ["https://e.org/q"]),
    ('<script>\nvar a = "<a href=https://e.org>";\n</script>', []),
    ('<!-- <a href="https://e.org">x</a> -->', []),
    ("x <!-- https://e.org/c --> y", []),
    ("<b>https://e.org/x</b>", ["https://e.org/x"]),
]


@pytest.mark.parametrize(("text", "expected"), INLINE + REFERENCE + AUTOLINK + BARE + RAW)
def test_links_and_their_destinations_are_those_of_the_rules(text, expected):
    assert destinations(text) == expected


def test_a_footnote_holds_links_and_says_so():
    text = "See[^1].\n\n[^1]: [a](https://e.org/a), https://e.org/b\n"
    mentions = read_links(text.encode(), DocumentFormat.MARKDOWN)
    assert [(m.raw, m.kind) for m in mentions] == [
        ("https://e.org/a", LinkKind.FOOTNOTE),
        ("https://e.org/b", LinkKind.FOOTNOTE),
    ]


def test_a_reference_stands_at_its_definition_and_knows_its_use():
    data = b"One [use] and [more][use].\n\n[use]: https://e.org/x\n"
    mentions = read_links(data, DocumentFormat.MARKDOWN)
    assert [(m.span.line, m.span.column, m.used.line, m.used.column) for m in mentions] == [
        (3, 8, 1, 5),
        (3, 8, 1, 15),
    ]
    assert {data[m.span.start : m.span.end] for m in mentions} == {b"https://e.org/x"}


def test_columns_count_characters_and_utf16_units():
    data = "é😀 [x](https://e.org)".encode()
    (mention,) = read_links(data, DocumentFormat.MARKDOWN)
    span = mention.span
    assert (span.start, span.line, span.column, span.utf16_column) == (11, 1, 8, 9)
    assert data[span.start : span.end] == b"https://e.org"


def test_a_byte_order_mark_takes_no_column_and_keeps_its_bytes():
    (mention,) = read_links(b"\xef\xbb\xbfhttps://e.org/x\r\n", DocumentFormat.MARKDOWN)
    assert (mention.span.start, mention.span.line, mention.span.column) == (3, 1, 1)


def test_bytes_that_are_no_utf8_move_nothing():
    data = b"\xff\xfe caf\xe9 [x](https://e.org/x)\n"
    (mention,) = read_links(data, DocumentFormat.MARKDOWN)
    assert data[mention.span.start : mention.span.end] == b"https://e.org/x"


def test_front_matter_counts_at_the_start_and_only_as_a_mapping():
    with_head = b"---\nsource: https://e.org/src\nbid: x\n---\nhttps://e.org/body\n"
    reading = read_document(with_head, DocumentFormat.MARKDOWN)
    assert [m.raw for m in reading.mentions] == ["https://e.org/src", "https://e.org/body"]
    assert reading.metadata["bid"] == "x"
    assert with_head[reading.mentions[1].span.start :].startswith(b"https://e.org/body")
    no_head = b"---\nhttps://e.org/heading\n---\n"
    assert [m.raw for m in read_document(no_head, DocumentFormat.MARKDOWN).mentions] == [
        "https://e.org/heading"
    ]
    toml = b'+++\nsource = "https://e.org/t"\n+++\n'
    assert [m.raw for m in read_document(toml, DocumentFormat.MARKDOWN).mentions] == ["https://e.org/t"]


ATOMS = [
    "/u",
    "http://a.com",
    "https://b.org/x_y",
    "www.c.net",
    " ",
    "\n",
    "\n\n",
    "*",
    "_",
    "**",
    "`",
    "``",
    "[",
    "]",
    "(",
    ")",
    "![",
    "](",
    "](/l)",
    "](<a b>)",
    '](/x "t")',
    "<",
    ">",
    "<a:x1>",
    "<http://au.to>",
    "&amp;",
    "&copy;",
    "\\",
    "a",
    "b c",
    ".",
    ",",
    ";",
    ":",
    "!",
    "'",
    '"',
    "~",
    "~~",
    "é",
    "> ",
    "- ",
    "1. ",
    "# ",
    "\n> ",
    "\n- ",
    "    ",
    "<b>",
    "</b>",
    "<!-- x -->",
    "[r]",
    "[r][]",
    "[x][r]",
    '\n\n[r]: /ref "t"\n\n',
    "```\n",
    "\n```",
    "\t",
]
texts = st.lists(st.sampled_from(ATOMS), min_size=1, max_size=14).map("".join)


@settings(max_examples=examples(1500), deadline=None)
@given(texts)
def test_markdown_it_finds_the_same_links(text):
    if re.search(r"\][ \t]*\\\[|\n {4}|\|", text):
        return  # where the two parsers are known to read block structure differently
    if re.search(r"\]\(\s*(?:\n|\Z)", text):
        return  # at the end of a text it takes `[r](` for no reference; the rules and cmark do
    found = [f for f in read_markdown(text.encode())[0] if f.kind not in (LinkKind.BARE, LinkKind.HTML)]
    bare = [f for f in read_markdown(text.encode())[0] if f.kind is LinkKind.BARE]
    if bare:
        return  # it knows no bare URLs, and what they swallow is its markup
    expected: list[str] = []
    _walk(MarkdownIt("commonmark").enable("strikethrough").parse(text), expected)
    assert sorted(unquote(f.url) for f in found) == sorted(map(unquote, expected))


@settings(max_examples=examples(2500), deadline=None)
@given(texts)
@example("[[](/l)[r]](/l)")
def test_cmark_gfm_finds_the_same_links_bare_ones_included(text):
    # It follows CommonMark 0.29: declarations, definitions and parentheses in destinations were read
    # differently then; and it decodes entities in autolinks, which the text of the specification does not.
    if re.search(r"<!|<[a-z]+:[^>]*&|\]:|\]\(\s*[^)\s]*\(", text.replace("<!-- x -->", "")):
        return
    options = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_FOOTNOTES
    extensions = ["table", "autolink", "strikethrough", "tasklist"]
    page = cmarkgfm.markdown_to_html_with_extensions(text, options=options, extensions=extensions)
    if re.search(r"<a [^>]*>(?:(?!</a>).)*<a ", page, re.DOTALL):
        return  # `[[a](/l)[r]](/m)`: it lets a link hold another, which no version of CommonMark does
    expected = [html.unescape(m[1]) for m in re.finditer(r'<(?:a href|img src)="([^"]*)"', page)]
    found = [f.url for f in read_markdown(text.encode())[0]]
    assert sorted(map(unquote, found)) == sorted(map(unquote, expected))


ESCAPED = re.compile(
    r"\\([!-/:-@\[-`{-~])|&(?:#([0-9]{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]*));"
)


def unescaped(match):
    """What a backslash escape or a character reference stands for in CommonMark."""
    escaped, decimal, hexadecimal, name = match.groups()
    if escaped:
        return escaped
    if name:
        return html.entities.html5.get(name + ";", match[0])
    code = int(decimal) if decimal else int(hexadecimal, 16)
    return chr(code) if 0 < code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else "\ufffd"


@settings(max_examples=examples(800), deadline=None)
@given(texts)
def test_the_bytes_of_a_link_are_its_url_as_written(text):
    data = text.encode()
    for found in read_markdown(data)[0]:
        written = data[found.start : found.end].decode()
        meant = (
            written if found.kind in (LinkKind.BARE, LinkKind.AUTOLINK) else ESCAPED.sub(unescaped, written)
        )
        meant = meant.replace("\\", "%5C")  # as renderers write it
        assert found.url in (meant, f"http://{meant}")


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_read(data):
    for kind in DocumentFormat:
        if kind is not DocumentFormat.NOTEBOOK:
            for mention in read_document(data, kind).mentions:
                assert 0 <= mention.span.start <= mention.span.end <= len(data)


def _walk(tokens, found):
    for token in tokens:
        if token.type == "link_open":
            found.append(token.attrs["href"])
        elif token.type == "image":
            found.append(token.attrs["src"])
            continue
        if token.children:
            _walk(token.children, found)
