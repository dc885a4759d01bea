"""Links in HTML, reStructuredText, AsciiDoc, notebooks and plain text."""

from __future__ import annotations

import json
import re

import docutils.core
import docutils.nodes
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.examples import examples
from holdfast.core.base.errors import FormatError
from holdfast.core.documents.document_kinds import DocumentFormat, format_of
from holdfast.core.documents.found import is_external
from holdfast.core.documents.readers import read_document, read_links
from holdfast.core.page.page import LinkKind

pytestmark = pytest.mark.spec("TRK-2")


def urls(text, kind):
    return [mention.raw for mention in read_document(text.encode(), kind).mentions]


def cut(data, kind):
    return [data[m.span.start : m.span.end] for m in read_document(data, kind).mentions]


HTML = [
    ('<a href="https://e.org/a">x</a>', ["https://e.org/a"]),
    ("<A HREF='https://e.org/a'>x</A>", ["https://e.org/a"]),
    ("<a href=https://e.org/a>x</a>", ["https://e.org/a"]),
    ('<a class="x" href = "https://e.org/?a=1&amp;b=2&copy=3">', ["https://e.org/?a=1&b=2&copy=3"]),
    ('<a href="https://e.org/1" href="https://e.org/2">', ["https://e.org/1"]),
    ('<a href=" https://e.org/a\n">', ["https://e.org/a"]),
    (
        '<img src=//e.org/i srcset="https://e.org/1 1x, https://e.org/2 2x">',
        ["//e.org/i", "https://e.org/1", "https://e.org/2"],
    ),
    ("<iframe src=https://e.org/f><a href=https://e.org/no></iframe>", ["https://e.org/f"]),
    (
        '<link rel=preconnect href="https://e.org"><link rel=license href="https://e.org/l">',
        ["https://e.org/l"],
    ),
    ('<base href="https://e.org/d/"><a href="x?y">', ["https://e.org/d/x?y"]),
    ("<!-- <a href=https://e.org> --><a href=https://e.org/b>", ["https://e.org/b"]),
    ("<!--><a href=https://e.org/b>", ["https://e.org/b"]),
    (
        '<script>"<a href=https://e.org>"</script><style>a{}</style><a href=https://e.org/b>',
        ["https://e.org/b"],
    ),
    ("<title><a href=https://e.org></title>", []),
    ("<textarea><a href=https://e.org></TEXTAREA ><a href=https://e.org/b>", ["https://e.org/b"]),
    ('<a title="a > b" href="https://e.org/b">', ["https://e.org/b"]),
    ("https://e.org is text", []),
    ('<a href="https://e.org/never closed', []),
    ('<a href="/relative"><a href="mailto:a@b.c"><a href="javascript:void(0)">', []),
    ("<blockquote cite=https://e.org/q>", ["https://e.org/q"]),
]

RST = [
    (
        "https://e.org/a, (https://e.org/b). https://e.org/c?",
        ["https://e.org/a", "https://e.org/b", "https://e.org/c"],
    ),
    ("`text <https://e.org/a>`_ and `<https://e.org/b>`__", ["https://e.org/a", "https://e.org/b"]),
    (
        "See Name_ and `a b`_.\n\n.. _name: https://e.org/n\n.. _a b: https://e.org/ab\n",
        ["https://e.org/n", "https://e.org/ab"],
    ),
    (
        "See `x`__ and `y`__.\n\n__ https://e.org/1\n.. __: https://e.org/2\n",
        ["https://e.org/1", "https://e.org/2"],
    ),
    ("See a_.\n\n.. _a: b_\n.. _b: https://e.org/b\n", ["https://e.org/b"]),
    ("See a_ b_.\n\n.. _a:\n.. _b: https://e.org/b\n", ["https://e.org/b", "https://e.org/b"]),
    (
        ".. image:: https://e.org/i.png\n   :target: https://e.org/t\n",
        ["https://e.org/i.png", "https://e.org/t"],
    ),
    (".. |s| image:: https://e.org/s.png\n", ["https://e.org/s.png"]),
    ("``https://e.org/no`` :code:`https://e.org/no`", []),
    ("Look::\n\n    https://e.org/no\n\nhttps://e.org/yes", ["https://e.org/yes"]),
    (
        ".. code-block:: sh\n\n   curl https://e.org/no\n\n.. note:: https://e.org/yes\n",
        ["https://e.org/yes"],
    ),
    (">>> get('https://e.org/no')\n\nx", []),
    ("*https://e.org/no* and **https://e.org/no** and https://e.org/yes", ["https://e.org/yes"]),
    (".. a comment https://e.org/no\n   more https://e.org/no\n", []),
    (".. [1] https://e.org/footnote\n", ["https://e.org/footnote"]),
    (".. raw:: html\n\n   <a href='https://e.org/h'>x</a>\n", ["https://e.org/h"]),
    (".. _never used: https://e.org/no\n", []),
    ("`split\n<https://e.org/\nlong>`_", ["https://e.org/long"]),
    ("* item https://e.org/1\n* item\n\n  https://e.org/2\n", ["https://e.org/1", "https://e.org/2"]),
]

ASCIIDOC = [
    ("https://e.org/a[Text] https://e.org/b.", ["https://e.org/a", "https://e.org/b"]),
    ("link:https://e.org/a[x] link:++https://e.org/b c++[y]", ["https://e.org/a", "https://e.org/b c"]),
    (
        "image::https://e.org/i.png[Alt]\n\nimage:https://e.org/j.png[]",
        ["https://e.org/i.png", "https://e.org/j.png"],
    ),
    (
        "<https://e.org/a>, (https://e.org/b); https://e.org/c:",
        ["https://e.org/a", "https://e.org/b", "https://e.org/c"],
    ),
    ("\\https://e.org/no and +https://e.org/no+ and +++https://e.org/no+++", []),
    (
        "----\nhttps://e.org/no\n----\n\n....\nhttps://e.org/no\n....\n\nhttps://e.org/yes",
        ["https://e.org/yes"],
    ),
    ("[source,sh]\ncurl https://e.org/no\n\nhttps://e.org/yes", ["https://e.org/yes"]),
    ("text\n\n literal https://e.org/no\n\nhttps://e.org/yes", ["https://e.org/yes"]),
    ("// https://e.org/no\n////\nhttps://e.org/no\n////\nhttps://e.org/yes", ["https://e.org/yes"]),
    (":site: https://e.org\n\n{site}/a[A] and {site}/b", ["https://e.org/a", "https://e.org/b"]),
    ("* https://e.org/1\n** https://e.org/2[x]", ["https://e.org/1", "https://e.org/2"]),
    ("++++\n<a href='https://e.org/h'>x</a>\n++++", ["https://e.org/h"]),
    ("Name\n----\nhttps://e.org/a\n\nMore\n~~~~\n\nhttps://e.org/b", ["https://e.org/a", "https://e.org/b"]),
    ("long text\n----\nhttps://e.org/no\n----\n\n[source]\n[.role]\nhttps://e.org/no", []),
    (
        "[source]\n--\nhttps://e.org/no\n--\n\n[source]\n\nhttps://e.org/no\n\nhttps://e.org/a",
        ["https://e.org/a"],
    ),
    ("term::\n\n\thttps://e.org/a[x]\n\n\thttps://e.org/no", ["https://e.org/a"]),
    ("|===\n|https://e.org/a|https://e.org/b\n|===", ["https://e.org/a", "https://e.org/b"]),
    ("\"https://e.org/no\" 'https://e.org/no' [https://e.org/a]", ["https://e.org/a"]),
    (
        "[https://e.org/no]\n\nhttps://e.org/a.) https://e.org/b); https://e.org/(c)",
        ["https://e.org/a", "https://e.org/b", "https://e.org/(c"],
    ),
    (
        "`https://e.org/a` *https://e.org/b* _https://e.org/c_d_",
        ["https://e.org/a", "https://e.org/b", "https://e.org/c_d"],
    ),
    (
        "The Title\n=========\n\n`https://e.org/no` +https://e.org/a+ 'https://e.org/b'",
        ["https://e.org/a", "https://e.org/b"],
    ),
    ("= Title\n\n`https://e.org/a` +https://e.org/no+ 'https://e.org/no'", ["https://e.org/a"]),
]

TEXT = [
    ("See https://e.org/a.", ["https://e.org/a"]),
    (
        "(https://e.org/a_(b)) <https://e.org/c> [https://e.org/d]",
        ["https://e.org/a_(b)", "https://e.org/c", "https://e.org/d"],
    ),
    ('"https://e.org/a", “https://e.org/b”', ["https://e.org/a", "https://e.org/b"]),
    ("www.e.org/x; ftp://e.org/f", ["http://www.e.org/x", "ftp://e.org/f"]),
    ("xhttps://e.org https:// http://", []),
    ("https://e.org/ä/ö?x=1#y!", ["https://e.org/ä/ö?x=1#y"]),
]


@pytest.mark.parametrize(("text", "expected"), HTML)
def test_html(text, expected):
    assert urls(text, DocumentFormat.HTML) == expected


@pytest.mark.parametrize(("text", "expected"), RST)
def test_restructuredtext(text, expected):
    assert urls(text, DocumentFormat.RST) == expected


@pytest.mark.parametrize(("text", "expected"), ASCIIDOC)
def test_asciidoc(text, expected):
    assert urls(text, DocumentFormat.ASCIIDOC) == expected


@pytest.mark.parametrize(("text", "expected"), TEXT)
def test_plain_text(text, expected):
    assert urls(text, DocumentFormat.TEXT) == expected


RST_ATOMS = [
    "word",
    " ",
    "\n",
    "\n\n",
    "https://e.org/a",
    "https://e.org/b_(c)",
    "`x <https://e.org/p>`_",
    "`y <https://e.org/q>`__",
    "``lit https://e.org/no``",
    "ref_",
    "`ref`_",
    "(",
    ")",
    ".",
    ",",
    '"',
    "::\n\n   ",
    "\n.. _ref: https://e.org/r\n\n",
    "\n* ",
    "   ",
    "-",
    ":",
    "\n.. note:: ",
    "\n.. image:: https://e.org/i\n\n",
    "\n.. comment https://e.org/no\n\n",
]


@settings(max_examples=examples(500), deadline=None)
@given(st.lists(st.sampled_from(RST_ATOMS), min_size=1, max_size=8).map("".join))
def test_docutils_finds_the_same_links_where_it_finds_no_error(text):
    tree = docutils.core.publish_doctree(
        text, settings_overrides={"report_level": 5, "halt_level": 6, "file_insertion_enabled": False}
    )
    if list(tree.findall(docutils.nodes.system_message)) or list(tree.findall(docutils.nodes.problematic)):
        return
    expected = [node["refuri"] for node in tree.findall(docutils.nodes.reference) if "refuri" in node]
    expected += [node["uri"] for node in tree.findall(docutils.nodes.image)]
    if re.search(r"`_*[\w`]|[\w_]`|\w[:.\-]*https", text):
        return  # markup that runs into markup, and words that docutils takes for a scheme
    assert sorted(urls(text, DocumentFormat.RST)) == sorted(url for url in expected if "://" in url)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (DocumentFormat.HTML, '<p>é <a href="https://e.org/ü">x</a>'.encode()),
        (DocumentFormat.RST, "é `x <https://e.org/ü>`_ and https://e.org/b".encode()),
        (DocumentFormat.ASCIIDOC, "é https://e.org/ü[x] link:https://e.org/b[y]".encode()),
        (DocumentFormat.TEXT, "é https://e.org/ü, https://e.org/b".encode()),
    ],
)
def test_the_bytes_of_a_link_are_the_url(kind, data):
    assert cut(data, kind) == [m.raw.encode() for m in read_document(data, kind).mentions]


def test_a_link_has_its_words():
    cases = {
        DocumentFormat.HTML: '<a href="https://e.org"><b>The</b>  words<img alt=" and"></a>',
        DocumentFormat.RST: "`The words and <https://e.org>`_",
        DocumentFormat.ASCIIDOC: "https://e.org[The words and]",
        DocumentFormat.MARKDOWN: "[The *words* `and`](https://e.org)",
    }
    for kind, text in cases.items():
        (mention,) = read_document(text.encode(), kind).mentions
        assert mention.text == "The words and", kind


def notebook(*sources, kind="markdown"):
    cells = [{"cell_type": kind, "metadata": {}, "source": source} for source in sources]
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


@pytest.mark.parametrize("ascii_only", [True, False])
def test_a_notebooks_markdown_cells_are_read_in_place(ascii_only):
    document = notebook(
        ['# é "q" 😀\n', "[x](https://e.org/ü/a) and\n", "https://e.org/b\n"], "[r]\n\n[r]: https://e.org/c"
    )
    document["cells"].append({"cell_type": "code", "source": "get('https://e.org/no')", "outputs": []})
    data = json.dumps(document, indent=1, ensure_ascii=ascii_only).encode()
    reading = read_document(data, DocumentFormat.NOTEBOOK)
    assert [m.raw for m in reading.mentions] == ["https://e.org/ü/a", "https://e.org/b", "https://e.org/c"]
    written = [json.loads(b'"' + piece + b'"') for piece in cut(data, DocumentFormat.NOTEBOOK)]
    assert written == [m.raw for m in reading.mentions]
    lines = data.decode().splitlines()
    for mention in reading.mentions:
        assert lines[mention.span.line - 1][mention.span.column - 1 :].startswith("https://e.org/")


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"cells": [}', b"[" * 1000, b'{"cells": []} x'])
def test_a_notebook_that_is_none_is_an_error(data):
    with pytest.raises(FormatError):
        read_document(data, DocumentFormat.NOTEBOOK)


@settings(max_examples=200, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(),
        lambda x: st.lists(x) | st.dictionaries(st.text(), x),
    )
)
def test_any_json_object_is_a_notebook_without_links_or_with(value):
    data = json.dumps({"cells": value, "x": value}).encode()
    assert read_document(data, DocumentFormat.NOTEBOOK).mentions is not None


def test_formats_are_known_by_name():
    assert format_of("a/b.MD") is DocumentFormat.MARKDOWN
    assert format_of("a.b/x.rst") is DocumentFormat.RST
    assert format_of("README") is DocumentFormat.TEXT
    assert format_of("a/b.py") is None
    assert format_of("LICENSE") is None


@pytest.mark.parametrize(
    ("url", "external"),
    [
        ("https://e.org", True),
        ("HTTP://e.org", True),
        ("//e.org/x", True),
        ("ftp://e.org/x", True),
        ("https:e.org", False),
        ("/x", False),
        ("x", False),
        ("#x", False),
        ("mailto:a@b.c", False),
        ("tel:1", False),
        ("data:text/plain,x", False),
        ("file:///x", False),
        ("javascript:x", False),
        ("//", False),
    ],
)
def test_external_is_what_names_a_host(url, external):
    assert is_external(url) is external


def test_raw_html_in_markdown_says_so():
    (mention,) = read_links(b'<a href="https://e.org">x</a>', DocumentFormat.MARKDOWN)
    assert (mention.kind, mention.text) == (LinkKind.HTML, "x")
