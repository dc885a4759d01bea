"""`text_v1` is what the frozen file says, on every Python and every machine (TXT-2, TXT-4)."""

import hashlib
import json
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.base.hashing import content_hash
from holdfast.core.base.unicode14 import UNASSIGNED, nfc
from holdfast.core.page.html.text_v1 import WHITE_SPACE, collapse, page_text
from holdfast.core.page.html.tree import build_tree, parse_html
from holdfast.core.page.python_reader import form_of

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "text_v1.json").read_text(encoding="utf-8"))


def text_of(html):
    return page_text(parse_html(html))


@pytest.mark.spec("TXT-2", "TXT-4")
@pytest.mark.parametrize("row", VECTORS, ids=lambda row: row["fact"])
def test_pages_have_the_text_they_were_frozen_with(row):
    form, _ = form_of(row["html"])

    assert page_text(build_tree(form)) == row["text"]
    assert content_hash(row["text"]) == row["content_sha256"]


PAGE = """<!doctype html><html lang=en><head><meta name=csrf content="{token}"><script nonce="{nonce}">
{script}</script></head><body class="{token}"><nav>{nav}</nav><!-- {comment} --><main id="{token}">
<h1>Title</h1><p>Some {word}
here.</p><script>{script}</script></main><footer>{nav}</footer></body></html>"""
SAME = {
    "token": "t1",
    "nonce": "n1",
    "script": "let a",
    "nav": "Home",
    "comment": "built at 1",
    "word": "words",
}


@pytest.mark.spec("TXT-4")
@pytest.mark.parametrize("part", ["token", "nonce", "script", "nav", "comment"])
def test_what_is_no_content_moves_no_hash(part):
    assert text_of(PAGE.format(**SAME)) == text_of(PAGE.format(**SAME | {part: "other"}))


@pytest.mark.spec("TXT-4")
def test_a_changed_word_moves_the_hash():
    assert text_of(PAGE.format(**SAME)) != text_of(PAGE.format(**SAME | {"word": "other"}))


@pytest.mark.spec("TXT-2")
def test_a_highlighter_that_marks_code_anew_moves_no_hash():
    plain = "<main><pre>def f(x): pass</pre></main>"
    marked = "<main><pre><span class=k>def</span> <span>f</span>(<b>x</b>): pass</pre></main>"

    assert text_of(plain) == text_of(marked)


@given(st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=60))
def test_normalizing_twice_is_normalizing_once(text):
    once = collapse(nfc(text))

    assert collapse(nfc(once)) == once
    assert not re.search(f"[{WHITE_SPACE}]{{2,}}", once)


@pytest.mark.spec("ID-6", "TXT-2")
def test_the_table_of_unassigned_code_points_is_frozen():
    digest = hashlib.sha256(" ".join(UNASSIGNED.split()).encode()).hexdigest()

    assert digest == "df2389b291a69b76e3b01cb00ee05e2f652af9e7ee53890972728d5e80311890"


@pytest.mark.spec("ID-6", "TXT-2")
def test_a_later_unicode_cannot_change_what_is_composed():
    """U+10EFD got combining class 220 in Unicode 15: there `a` and the acute would meet across it."""
    assert nfc("a\U00010efd\u0301") == "a\U00010efd\u0301"


@given(st.text(alphabet=st.characters(max_codepoint=0x2FFF, exclude_categories=("Cs", "Cn")), max_size=40))
def test_assigned_text_is_plain_nfc(text):
    assert nfc(text) == unicodedata.normalize("NFC", text)
