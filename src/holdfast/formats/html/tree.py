"""HTML to a small tree of our own, by way of lexbor: the one door to the parser.

1. lexbor builds the tree that the WHATWG standard specifies. Elements whose text is no text (`INVISIBLE`)
   are taken out of it; `xmp` and `plaintext`, whose text is written raw, become `pre`.
2. The tree is then serialized and read back as tokens with one regular expression. A serialized tree is
   regular: every attribute is ` name="value"`, every `<` of the text is escaped. This is four times as
   fast as walking the parser's nodes (docs/internals/decisions/0011-the-tree-by-tokens.md), and a test
   compares both ways.
3. The tokens are the tree in document order; `text_v1` reads them. `Element` is the tree for everything
   else: below `MAX_DEPTH` it is flat, so that whoever walks it may recurse. No text is lost by that.
"""

from __future__ import annotations

import re
from sys import intern
from typing import Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser

__all__ = [
    "COLLECTED",
    "INVISIBLE",
    "MAX_DEPTH",
    "VOID",
    "Document",
    "Element",
    "Node",
    "Place",
    "is_landmark",
    "parse_html",
    "unescape",
]

MAX_DEPTH: Final = 120
MAX_GROWTH: Final = 5
"""How many times as large as its page a tree may be: elements that are opened again are written again."""

INVISIBLE: Final = ["script", "style", "template", "noscript", "noembed", "noframes"]
"""Taken out before anything is read; an `iframe` is emptied. TeX in `script[type^="math/tex"]` stays as
`script-tex`, for the writer alone."""

COLLECTED: Final = frozenset(
    "a area img iframe frame video audio source embed input link meta base html title h1".split()
)
"""Elements that are collected while the tree is built, so that nobody needs to search for them."""

VOID: Final = frozenset(
    "area base basefont bgsound br col embed frame hr img input keygen link meta param source track "
    "wbr".split()
)

_TOKEN = re.compile(
    # White space is HTML's own; `\s` would know more of it.
    r"<(?:!--.*?--|\?[^>]*|(/?[a-zA-Z][^ \t\n\f\r/>]*)((?: =?[^ \t\n\f\r=/>]*=\"[^\"]*\")*))>([^<]*)",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r" (=?[^ \t\n\f\r=/>]*)=\"([^\"]*)\"")
_PRE = re.compile(r"<pre(?: [^>]*)?>.*?</pre>", re.DOTALL)
_HIGHLIGHT = re.compile(
    r"<span(?: class=\"(?!ln\"|lnt\")(?:[a-z][a-z0-9]{0,2}|hljs-[a-z_]+|token [a-z -]+|ident|macro|string|"
    r"comment|number|lifetime|self|attribute|keyword|operator|preprocessor|keywordtype|keywordflow|type|function|class)\")?>"
)
_TEX_SCRIPT: Final = "script[type^='math/tex']"


class Element:
    """An element: its name, its attributes, its class names and `#id`, its children in order."""

    __slots__ = ("attrs", "children", "names", "tag")

    def __init__(self, tag: str, attrs: dict[str, str], names: frozenset[str]) -> None:
        self.tag = tag
        self.attrs = attrs
        self.names = names
        self.children: list[Node] = []

    def __repr__(self) -> str:
        return f"<{self.tag} {self.attrs} {self.children}>"


Node = Element | str


class Place(NamedTuple):
    """An element that matters, and the tokens at which it opens and closes."""

    element: Element
    start: int
    end: int

    def holds(self, other: Place) -> bool:
        """Whether the other is inside this one."""
        return self.start < other.start and other.end <= self.end


class Document(NamedTuple):
    """A parsed page. Everything in it is in document order.

    The tokens are three columns: the name of each tag (`p`, `/p`, empty for a comment), the text after it as
    serialized, and the role of those that have one.
    `places` are the landmarks (`body`, `main`, `[role=main]`, `article`) and the elements whose id or class
    is one of the names that were asked for; `collected` holds the elements of `COLLECTED`; `attributes`
    the distinct attribute sets of the page.
    """

    root: Element
    tags: list[str]
    texts: list[str]
    roles: dict[int, str]
    places: list[Place]
    collected: list[Element]
    attributes: list[dict[str, str]]

    def landmarks(self) -> list[Place]:
        """The places that are landmarks."""
        return [place for place in self.places if is_landmark(place.element)]


def is_landmark(element: Element) -> bool:
    """Whether an element is the body, the main content or an article by its own word."""
    return element.tag in _LANDMARKS or element.attrs.get("role") == "main"


_Known = tuple[dict[str, str], frozenset[str], str]
_NO_ATTRS: Final[_Known] = ({}, frozenset(), "")
_LANDMARKS: Final = frozenset(("main", "article", "body"))


def parse_html(html: str, names: frozenset[str] = frozenset()) -> Document | None:
    """Parse a whole page; None where the tree is many times as large as the page.

    The caller has made sure that the page is within the limits (`guard`).
    """
    normal_form = _normal_form(html)
    if len(normal_form) > MAX_GROWTH * len(html) + 1_000_000:
        return None
    return _build(_without_highlighting(normal_form), names)


def unescape(text: str) -> str:
    """Serialized text or attribute value to what it means."""
    if "&" not in text:
        return text
    text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", "\xa0").replace("&quot;", '"')
    return text.replace("&amp;", "&")


def _normal_form(html: str) -> str:
    parser = LexborHTMLParser(html)
    for script in parser.css(_TEX_SCRIPT) if "math/tex" in html else ():
        tex = script.text()
        if "<" not in tex:  # written raw; a `<` would be read as a tag
            holder = parser.create_node("script-tex")
            holder.insert_child(tex)
            script.replace_with(holder)
    parser.strip_tags(INVISIBLE)
    for frame in parser.css("iframe"):
        while frame.child is not None:
            frame.child.decompose()
    for raw in parser.css("xmp, plaintext"):
        pre = parser.create_node("pre")
        pre.insert_child(raw.text())
        raw.replace_with(pre)
    root = parser.root
    return (root.html or "") if root is not None else ""


def _without_highlighting(html: str) -> str:
    """Take the spans of syntax highlighters out of code blocks: half of the tags of many pages.

    They have no meaning but colour. A block is left alone unless all its spans are such and they pair.
    """
    return _PRE.sub(_plain_block, html) if "<pre" in html else html


def _plain_block(block: re.Match[str]) -> str:
    plain, removed = _HIGHLIGHT.subn("", block[0])
    if removed != plain.count("</span>"):
        return block[0]
    return plain.replace("</span>", "")


def _build(normal_form: str, names: frozenset[str]) -> Document:  # noqa: C901, PLR0912, PLR0915 - hot
    root = Element("#document", _NO_ATTRS[0], _NO_ATTRS[1])
    open_elements = [root]
    children = root.children
    level = 0
    tags: list[str] = []
    texts: list[str] = []
    roles: dict[int, str] = {}
    opened: list[tuple[int, int, Element]] = []
    places: list[Place] = []
    collected: list[Element] = []
    interned = {"": _NO_ATTRS}
    for token in _TOKEN.finditer(normal_form):
        tag, raw, text = token.groups("")
        tag = intern(tag)
        tags.append(tag)
        texts.append(text)
        if tag and tag[0] != "/":
            known = interned.get(raw)
            if known is None:
                known = interned[raw] = _attributes(raw)
            element = Element(tag, known[0], known[1])
            children.append(element)
            if tag in COLLECTED:
                collected.append(element)
            if known[2]:
                roles[len(tags) - 1] = known[2]
            if tag not in VOID:
                level += 1
                if level <= MAX_DEPTH:
                    open_elements.append(element)
                    children = element.children
                if tag in _LANDMARKS or (raw and (known[2] == "main" or not names.isdisjoint(known[1]))):
                    opened.append((level, len(tags) - 1, element))
        elif tag and tag[1:] not in VOID:  # foreign elements with void names do have an end tag
            if opened and opened[-1][0] == level:
                _, start, place = opened.pop()
                places.append(Place(place, start, len(tags) - 1))
            if level <= MAX_DEPTH:
                open_elements.pop()
                children = open_elements[-1].children
            level -= 1
        if text:
            plain = unescape(text)
            if children and type(children[-1]) is str:
                children[-1] += plain  # a comment stood between two texts
            else:
                children.append(plain)
    places.sort(key=lambda place: place.start)
    return Document(root, tags, texts, roles, places, collected, [known[0] for known in interned.values()])


def _attributes(raw: str) -> _Known:
    """Attributes, class names and `#id`, and the role."""
    attrs = dict(_ATTRIBUTE.findall(raw))
    if "&" in raw:
        attrs = {name: unescape(value) for name, value in attrs.items()}
    names = attrs["class"].split() if "class" in attrs else []
    if "id" in attrs:
        names.append("#" + attrs["id"])
    return attrs, frozenset(names), attrs.get("role", "")
