"""A text that is read in parts says what it says when it is read whole, whatever was edited."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.growth import is_linear
from holdfast.core.documents.document_kinds import DocumentFormat
from holdfast.core.documents.editor_view import Viewer, segments_of
from holdfast.core.documents.readers import read_whole
from holdfast.core.url.policy import WEB

pytestmark = pytest.mark.spec("TRK-10")
TODAY = date(2026, 1, 1)
ROOT = Path(__file__).parents[3]
PIECES = (
    "Words with [a link](https://example.com/a) in them.\n", "More, über [größe](b.md#x).\n", "\n", "\n\n",
    "   \n", "# Title [t](https://example.com/t)\n", "Setext [s](https://example.com/s)\n====\n", "---\n",
    "***\n", "- - -\n", "- [item](https://example.com/item)\n", "* [star](c.md)\n",
    "- item\n\n  [inside](https://example.com/in)\n", "1. one [n](d.md)\n",
    "2. two\n\n   ```\n   [no](https://example.com/no)\n   ```\n", "   ```\n", "```\n", "~~~\n", "````md\n",
    "```py\n[code](https://example.com/code)\n\nwords\n```\n", "`` ` [x](https://example.com/q) ``\n",
    "> quote [q](e.md)\n", "> ```\n", "- ```\n", "<!-- comment\n", "-->\n",
    "<!-- [c](https://example.com/c) -->\n", "<div>\n", "</div>\n", "<pre>\n", "</pre>\n", "<script>\n",
    "</script>\n", "<p><a href='https://example.com/raw'>raw</a></p>\n", "<?php\n", "?>\n", "<![CDATA[\n",
    "]]>\n", "<!DOCTYPE html>\n", "| a | b |\n|---|---|\n| [t](f.md) | x |\n",
    "a | b\n- | -\n- [x](g.md) | z\n", "    indented [i](https://example.com/i)\n",
    "https://example.com/bare and <https://example.com/auto>\n", "[open link\n",
    "](https://example.com/late)\n", "![image](h.png)\n", "text[^1]\n",
    "Term\n: definition [d](https://example.com/d)\n", "\t- tab [t](i.md)\n", "*emph [e](j.md)*\n",
    "\\[not](https://example.com/esc)\n", "www.example.com/w\n", "[[Wiki]]\n",
    "a\r\nb [crlf](k.md)\r\n\r\n",
)  # fmt: skip
OF_OTHERS = (
    "[ref][label]\n",
    "[label]: https://example.com/ref\n",
    "[^1]: note [f](https://example.com/f)\n",
    "<!-- holdfast: ignore -->\n",
    "x\ry\n",
)
"""What speaks of other parts: nothing is cut then."""
texts = st.lists(st.sampled_from(PIECES), min_size=1, max_size=40).map("".join)
all_texts = st.lists(st.sampled_from((*PIECES, *OF_OTHERS)), min_size=1, max_size=20).map("".join)


def whole(text):
    return read_whole(text.encode(), DocumentFormat.MARKDOWN).mentions


def viewed(viewer, text, before=None):
    return viewer.view("a.md", DocumentFormat.MARKDOWN, text.encode(), TODAY, before)


def cut_everywhere(monkeypatch):
    monkeypatch.setattr("holdfast.core.documents.editor_view._ONE_IN", 1)


@settings(max_examples=400, deadline=None)
@given(texts)
def test_parts_say_what_the_whole_says(text):
    with pytest.MonkeyPatch.context() as patch:
        cut_everywhere(patch)
        view = viewed(Viewer(WEB), text)
        assert tuple(link.mention for link in view.links) == whole(text)
        parts = segments_of(text.encode())
        assert [start for start, _ in parts[1:]] == [end for _, end in parts[:-1]]


@settings(max_examples=150, deadline=None)
@given(
    texts, st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 40), st.sampled_from(PIECES)), max_size=5)
)
def test_an_edit_is_read_as_if_everything_were(text, edits):
    viewer, view = Viewer(WEB), None
    for start, length, new in [(0, 0, ""), *edits]:
        text = text[:start] + new + text[start + length :]
        view = viewed(viewer, text, view)
        assert tuple(link.mention for link in view.links) == whole(text)
        assert all(link.citation is None or link.citation.mention == link.mention for link in view.links)


def test_our_own_pages(monkeypatch):
    cut_everywhere(monkeypatch)
    for path in [*ROOT.glob("docs/**/*.md"), ROOT / "README.md", ROOT / "CHANGELOG.md"]:
        text = path.read_text(encoding="utf-8")
        assert tuple(link.mention for link in viewed(Viewer(WEB), text).links) == whole(text), path


def test_an_edit_reads_one_part_again():
    text = "".join(f"Words {n} and [a link](https://example.com/{n}).\n\n" for n in range(2000))
    viewer, read = Viewer(WEB), []
    before = viewed(viewer, text)
    viewer._read_part, reading = lambda part: (read.append(part), reading(part))[1], viewer._read_part
    viewed(viewer, text.replace("Words 1000 ", "Words and more 1000 "), before)
    assert len(before.parts) > 100
    assert len(read) <= 2
    assert sum(map(len, read)) < len(text) / 20


@pytest.mark.spec("SEC-8")
@pytest.mark.parametrize(
    "piece", ["```\n", "<!--\n", "- [a\n", "a\n\n", "   ```\n\n", "\n \n", "`" * 9, "# \n- [a]\n"]
)
def test_cutting_is_linear(piece):
    assert is_linear(lambda n: segments_of(piece.encode() * n), 4_000)
