"""Markdown of the outside as HTML that can do nothing but be read. An allow-list: what is not named here is
shown as the text it is.

1. Raw HTML is text, but for a few words without attributes (`<sub>`, `<kbd>`, …), and these only where they
   are closed in the same paragraph: nothing reaches beyond the text. `<a id="x"></a>` is a place to link to.
2. A link leads to http, https or mail, or into this page; any other is its text alone. The caller says where
   a link of the web leads (`Leads`), and a link that leaves is marked so.
3. Nothing is loaded: an image is a link to it, with its words.
4. Ids begin with `s-`, so that no text can take the name of anything around it.
5. Control characters and those that turn the direction of writing are taken out; every block finds its own
   direction.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from html import escape
from itertools import pairwise
from typing import Any, Final, NamedTuple
from urllib.parse import unquote, urljoin

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from holdfast.core.page.section import heading_slug

ID_PREFIX: Final = "s-"
LARGEST: Final = 2_000_000
_UNSEEN: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_PAIRS: Final = frozenset(
    {"sub", "sup", "kbd", "mark", "ins", "del", "abbr", "var", "samp", "cite", "dfn", "q"}
)
_ALONE: Final = frozenset({"br", "wbr"})
_TAG: Final = re.compile(r"<(/?)([a-z]+)\s*(/?)>\Z")
_ANCHOR: Final = re.compile(r"<a\s+(?:id|name)=[\"']([^\"'<>]{1,200})[\"']\s*(?:/>|>\Z)", re.IGNORECASE)
_NOT_SLUG: Final = re.compile(r"[^\w-]+")
_WEB: Final = ("http://", "https://")

Leads = Callable[[str], str | None]
"""Where a link of the web leads here; None where it leaves."""


class OutlineEntry(NamedTuple):
    """A heading: how deep, its words, the id of its element, and its own anchor."""

    level: int
    text: str
    element: str
    anchor: str | None = None


Beneath = Callable[[OutlineEntry], str]
"""HTML of one's own that stands beneath a heading; empty where nothing does."""


class SafePage(NamedTuple):
    """HTML that is safe to put on a page of one's own, and its headings."""

    html: str
    outline: tuple[OutlineEntry, ...]
    was_cut: bool = False


def quiet(text: str) -> str:
    """A text without characters that control a screen or turn the direction of writing."""
    return _UNSEEN.sub("", text)


def slug(text: str) -> str:
    """The id that a heading's words make."""
    return _NOT_SLUG.sub("-", text.strip().lower()).strip("-") or "section"


def safe_page(
    markdown: str,
    base: str,
    anchors: Sequence[tuple[str, str | None]] = (),
    leads: Leads = lambda _: None,
    beneath: Beneath = lambda _: "",
) -> SafePage:
    """The page; `base` is its URL, `anchors` are its headings in their order with what each is called by,
    `beneath` says what stands beneath a heading that is not the page's.
    """
    parser = MarkdownIt("commonmark", {"html": True}, renderer_cls=_Renderer).enable(
        ["table", "strikethrough"]
    )
    text = quiet(markdown)
    env = _Env(base, anchors, leads, beneath)
    tokens = parser.parse(text[:LARGEST])
    env.name_headings(tokens)
    html = parser.renderer.render(tokens, parser.options, {"page": env})
    return SafePage(html, tuple(env.outline), len(text) > LARGEST)


def plain_page(text: str) -> SafePage:
    """A text that is no Markdown, line by line as it is."""
    shown = quiet(text)
    html = f"<pre tabindex=0>{escape(shown[:LARGEST])}</pre>\n" if shown.strip() else ""
    return SafePage(html, (), len(shown) > LARGEST)


class _Env:
    """What the renderer knows of the page."""

    def __init__(
        self, base: str, anchors: Sequence[tuple[str, str | None]], leads: Leads, beneath: Beneath
    ) -> None:
        self.base = base
        self.leads = leads
        self._beneath = beneath
        self._ended = 0
        self.outline: list[OutlineEntry] = []
        self.open_links: list[bool] = []
        self._anchors: dict[str, deque[str | None]] = {}
        for words, anchor in anchors:
            self._anchors.setdefault(words, deque()).append(anchor)
        self._taken: set[str] = set()

    def name_headings(self, tokens: Sequence[Token]) -> None:
        """Give every heading an id, and write the outline. Where the Markdown relies on the id that a
        renderer makes of the words, that leads to the heading, too.
        """
        opened = [(token, inline) for token, inline in pairwise(tokens) if token.type == "heading_open"]
        for token, inline in opened:
            words = _words(inline.children or [])
            anchors = self._anchors.get(words)
            anchor = anchors.popleft() if anchors else None
            name = self._free(slug(anchor or words))
            token.attrs["id"] = name
            _drop_place(inline.children or [], name)
            self.outline.append(OutlineEntry(int(token.tag[1]), words, name, anchor))
        self._taken.update(_places(tokens))
        counts: Counter[str] = Counter()
        for (token, _), entry in zip(opened, self.outline, strict=True):
            made = heading_slug(entry.text)
            numbered = f"{made}-{counts[made]}" if counts[made] else made
            counts[made] += 1
            also = f"{ID_PREFIX}{slug(numbered)}"
            if also not in self._taken:
                token.meta["also"] = also
                self._taken.add(also)

    def end_heading(self) -> str:
        """What stands beneath the heading that ends now."""
        self._ended += 1
        return self._beneath(self.outline[self._ended - 1])

    def _free(self, name: str) -> str:
        wanted, number = f"{ID_PREFIX}{name}", 1
        while wanted in self._taken:
            number += 1
            wanted = f"{ID_PREFIX}{name}-{number}"
        self._taken.add(wanted)
        return wanted

    def target(self, href: str) -> tuple[str, bool] | None:
        """Where a link leads, and whether it leaves; None where it may not be one."""
        if href.startswith("#"):
            return f"#{ID_PREFIX}{slug(unquote(href[1:]))}", False
        try:
            whole = urljoin(self.base, href.strip())
        except ValueError:
            return None
        if whole.lower().startswith("mailto:"):
            return whole, True
        if not whole.lower().startswith(_WEB):
            return None
        page, mark, fragment = whole.partition("#")
        if mark and page == self.base.partition("#")[0]:
            return f"#{ID_PREFIX}{slug(unquote(fragment))}", False
        here = self.leads(page)
        if here is None:
            return whole, True
        return here + (f"#{ID_PREFIX}{slug(unquote(fragment))}" if mark else ""), False


def _places(tokens: Sequence[Token]) -> Iterator[str]:
    """The ids of the places to link to."""
    for token in tokens:
        yield from _places(token.children or ())
        if token.type.startswith("html_") and (found := _ANCHOR.match(token.content.strip())):
            yield f"{ID_PREFIX}{slug(found[1])}"


def _drop_place(children: Sequence[Token], name: str) -> None:
    """The place in a heading that the heading itself is: an id is there once."""
    for token in children:
        found = _ANCHOR.match(token.content) if token.type == "html_inline" else None
        if found and _element(found[1]) == escape(name):
            token.content = ""


def _words(children: Sequence[Token]) -> str:
    text = "".join(
        token.content for token in children if token.type in ("text", "code_inline", "text_special")
    )
    return " ".join(text.split())


class _Renderer(RendererHTML):
    """The allow-list."""

    def renderInline(self, tokens: Sequence[Token], options: OptionsDict, env: EnvType) -> str:  # noqa: N802 # the library's name
        """A paragraph's own: raw tags that are not closed in it become text."""
        _escape_unmatched(tokens)
        return super().renderInline(tokens, options, env)

    def html_inline(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """A raw tag."""
        return _raw(tokens[idx])

    def html_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Raw HTML of its own: text, or a place to link to."""
        content = tokens[idx].content.strip()
        if anchor := _ANCHOR.match(content):
            return f'<span id="{_element(anchor[1])}"></span>\n'
        if content.startswith("<!--"):
            return ""
        return f"<pre class=raw>{escape(content)}</pre>\n"

    def link_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """A link, or only its words."""
        page: _Env = env["page"]
        found = page.target(str(tokens[idx].attrs.get("href", "")))
        page.open_links.append(found is not None)
        if found is None:
            return ""
        href, leaves = found
        how = ' class=leaves rel="noopener noreferrer nofollow" target=_blank' if leaves else ""
        return f'<a href="{escape(href)}"{how}>'

    def link_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """The end of it."""
        page: _Env = env["page"]
        return "</a>" if page.open_links and page.open_links.pop() else ""

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """An image: its words, and a link to it unless it stands in one."""
        page: _Env = env["page"]
        token = tokens[idx]
        words = escape(_words(token.children or []) or "image")
        found = page.target(str(token.attrs.get("src", "")))
        if found is None or any(page.open_links):
            return f"<span class=image>{words}</span>"
        how = 'class="image leaves" rel="noopener noreferrer nofollow" target=_blank'
        return f'<a {how} href="{escape(found[0])}">{words}</a>'

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Code, with its language as a word."""
        token = tokens[idx]
        language = token.info.split()[0] if token.info.split() else ""
        name = f' data-language="{escape(language[:40])}"' if language else ""
        return f"<pre tabindex=0{name}><code>{escape(token.content)}</code></pre>\n"

    def code_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Code that is indented."""
        return f"<pre tabindex=0><code>{escape(tokens[idx].content)}</code></pre>\n"

    def renderToken(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:  # noqa: N802 # the library's name
        """Everything else: the tag, its id where it is a heading, the alignment of a cell as a class."""
        token = tokens[idx]
        attributes: dict[str, Any] = {}
        if token.type == "heading_open":
            attributes["id"] = token.attrs.get("id", "")
        elif token.type == "ordered_list_open" and str(token.attrs.get("start", "")).isdigit():
            attributes["start"] = token.attrs["start"]
        elif token.type in ("th_open", "td_open") and (style := str(token.attrs.get("style", ""))):
            attributes["class"] = style.removeprefix("text-align:")
        token.attrs = attributes
        if token.nesting == 1 and token.block and not token.hidden:
            token.attrs["dir"] = "auto"
        if token.type == "table_open":
            return '<div class=wide tabindex=0><table dir="auto">\n'
        if token.type == "table_close":
            return "</table></div>\n"
        if token.type == "heading_open" and (also := token.meta.get("also")):
            return super().renderToken(tokens, idx, options, env) + f'<span id="{escape(also)}"></span>'
        if token.type == "heading_close":
            page: _Env = env["page"]
            return super().renderToken(tokens, idx, options, env) + page.end_heading()
        return super().renderToken(tokens, idx, options, env)


def _element(anchor: str) -> str:
    return escape(f"{ID_PREFIX}{slug(anchor)}")


def _raw(token: Token) -> str:
    if token.meta.get("allowed"):
        return token.content
    if anchor := _ANCHOR.match(token.content):
        return f'<span id="{_element(anchor[1])}"></span>'
    if token.content.startswith("<!--") or token.content.lower() == "</a>":
        return ""
    return escape(token.content)


def _escape_unmatched(tokens: Sequence[Token]) -> None:
    """Allow the tags that are known and closed in their order."""
    open_tags: list[Token] = []
    for token in tokens:
        tag = _TAG.match(token.content.lower()) if token.type == "html_inline" else None
        if tag is None:
            continue
        name = tag[2]
        if name in _ALONE and not tag[1]:
            token.content, token.meta["allowed"] = f"<{name}>", True
        elif name in _PAIRS and not tag[1] and not tag[3]:
            open_tags.append(token)
        elif name in _PAIRS and tag[1] and open_tags and open_tags[-1].content.lower().startswith(f"<{name}"):
            opening = open_tags.pop()
            opening.content, opening.meta["allowed"] = f"<{name}>", True
            token.content, token.meta["allowed"] = f"</{name}>", True
