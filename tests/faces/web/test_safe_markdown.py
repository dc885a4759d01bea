"""Markdown of the outside becomes HTML that can do nothing but be read (SEC-5)."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.faces.web.safe_markdown import safe_page

pytestmark = pytest.mark.spec("SEC-5")
BASE = "https://example.com/page"
TAGS = frozenset(
    "a abbr blockquote br cite code del dfn div em h1 h2 h3 h4 h5 h6 hr ins kbd li mark ol p pre q s samp "
    "span strong sub sup table tbody td th thead tr ul var wbr".split()
)
ATTRIBUTES = frozenset("class data-language dir href id rel start tabindex target".split())
ATTACKS = [
    "<script>alert(1)</script>", "<style>*{display:none}</style>", "<img src=x onerror=alert(1)>",
    "[a](javascript:alert(1))", "[a](JAVASCRIPT&colon;alert(1))", "[a](data:text/html,x)",
    "<svg/onload=alert(1)>", "<div style='position:fixed'>", "<a href=javascript:x>",
    "![x](javascript:y)", "<kbd>", "</article>", "<sup onclick=x>a</sup>",
    "<sub><kbd></sub></kbd>", "\u202e", "[a](//evil.example)", "`</code><script>`",
    "```\"onclick=x\n</code><script>\n```", "<a id='\"><script>'></a>",
    "<https://a.example/\"onx=y>", "[a](https://a.example/'\"><script>)", "<!-- --><b>",
    "<table><tr><td>", "&lt;script&gt;", "[x]: javascript:a",
]  # fmt: skip


class Tags(HTMLParser):
    """Every tag and attribute, and whether all is closed in its order."""

    def __init__(self):
        super().__init__()
        self.found, self.open, self.is_closed = [], [], True

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag not in ("br", "wbr", "hr"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        self.is_closed &= bool(self.open) and self.open.pop() == tag


def judged(markdown):
    html = safe_page(markdown, BASE).html
    tags = Tags()
    tags.feed(html)
    tags.close()
    assert tags.is_closed, html
    assert tags.open == [], html
    for tag, attributes in tags.found:
        assert tag in TAGS, html
        assert set(attributes) <= ATTRIBUTES, html
        href = attributes.get("href", "#")
        assert re.match(r"#s-|https?://|mailto:", href) or href == "#", html
        assert attributes.get("id", "s-").startswith("s-")
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", html)
    return html


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_is_text(attack):
    judged(attack)
    judged(f"words {attack} words **bold {attack}** | `x`\n\n# {attack}\n\n- {attack}\n\n> {attack}")


@given(
    st.lists(
        st.sampled_from([*ATTACKS, " ", "\n", "\n\n", "word", "# ", "| a |\n|--|\n", "**", "> "]), max_size=12
    )
)
def test_attacks_put_together_are_text(parts):
    judged("".join(parts))


@given(st.text(alphabet="<>/abikdsu \n`*_[]()!#&;:'\"=|-\\\u202e\x00", max_size=80))
def test_any_text_becomes_known_tags_that_are_closed(text):
    judged(text)


def test_what_is_meant_to_be_read_is_kept():
    html = judged(
        "H<sub>2</sub>O, <kbd>Ctrl</kbd>\n\n| a | b |\n|:-|-:|\n| 1 | 2 |\n\n"
        "```python\nx < 1\n```\n\n3. three"
    )
    assert "H<sub>2</sub>O, <kbd>Ctrl</kbd>" in html
    assert '<td class="right"' in html
    assert 'data-language="python"><code>x &lt; 1' in html
    assert '<ol start="3"' in html


def test_headings_have_an_outline_and_ids_of_their_own():
    page = safe_page("# One\n\n## Two\n\n## Two\n\n[to](#its-two)", BASE, [("Two", "its-two")])
    assert [(one.level, one.text, one.element) for one in page.outline] == [
        (1, "One", "s-one"), (2, "Two", "s-its-two"), (2, "Two", "s-two"),
    ]  # fmt: skip
    assert 'href="#s-its-two"' in page.html


def test_a_link_leads_to_the_kept_page_and_is_marked_where_it_leaves():
    page = safe_page(
        "[in](/b#part) [out](https://other.example/)", BASE,
        leads=lambda url: "/kept" if url == "https://example.com/b" else None,
    )  # fmt: skip
    assert '<a href="/kept#s-part">in</a>' in page.html
    assert 'href="https://other.example/" class=leaves rel="noopener noreferrer nofollow"' in page.html


def test_a_page_without_end_is_cut_and_says_so():
    page = safe_page("word " * 500_000, BASE)
    assert page.was_cut
