"""HTML to a small tree of our own, by way of lexbor: the one door to the parser.

1. lexbor builds the tree that the WHATWG standard specifies. Elements whose text is no text (`INVISIBLE`)
   are taken out of it; `xmp` and `plaintext`, whose text is written raw, become `pre`.
2. The tree is then serialized and read back as tokens with one regular expression. A serialized tree is
   regular: every attribute is ` name="value"`, every `<` of the text is escaped. This is four times as
   fast as walking the parser's nodes (docs/internals/decisions/0020-tree-by-tokens.md), and a test
   compares both ways.
3. The tokens are the tree in document order; `text_v1` reads them. `Element` is the tree for everything
   else: below `MAX_DEPTH` it is flat, so that whoever walks it may recurse. No text is lost by that.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser

__all__ = [
    "INVISIBLE",
    "MAX_DEPTH",
    "Document",
    "Element",
    "Landmark",
    "Node",
    "Token",
    "parse_html",
    "unescape",
]

MAX_DEPTH: Final = 120

INVISIBLE: Final = ["script", "style", "template", "noscript", "noembed", "noframes"]
"""Taken out before anything is read; an `iframe` is emptied. TeX in `script[type^="math/tex"]` stays as
`script-tex`, for the writer alone."""

LINKING: Final = frozenset(
    "a area img iframe frame video audio source embed track input form link meta base html title h1".split()
)
"""Elements that are collected while the tree is built, so that nobody needs to search for them."""

VOID: Final = frozenset(
    "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr".split()
)

Token = tuple[str, str, str]
"""A tag's name (`p`, `/p`, empty for a comment), its attributes as serialized, the text after it, escaped."""

_TOKEN = re.compile(
    r"<(?:!--.*?--|(/?[a-zA-Z][^\s/>]*)((?: =?[^\s=/>]*=\"[^\"]*\")*))>([^<]*)",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r" (=?[^\s=/>]*)=\"([^\"]*)\"")
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


class Landmark(NamedTuple):
    """`body`, `main`, `[role=main]` or `article`, and where in the tokens it opens and closes."""

    element: Element
    start: int
    end: int


class Document(NamedTuple):
    """A parsed page. Everything in it is in document order.

    `collected` holds the elements of `LINKING` that have attributes; `marked` those whose id or class is
    one of the names that were asked for; `attributes` the distinct attribute sets of the page.
    """

    root: Element
    tokens: list[Token]
    landmarks: list[Landmark]
    collected: list[Element]
    marked: list[Element]
    attributes: list[dict[str, str]]


_NO_ATTRS: Final[tuple[dict[str, str], frozenset[str]]] = ({}, frozenset())
_LANDMARKS: Final = frozenset(("main", "article", "body"))


def parse_html(html: str, names: frozenset[str] = frozenset()) -> Document:
    """Parse a whole page. The caller has made sure that it is within the limits (`guard`)."""
    return _build(_TOKEN.findall(_normal_form(html)), names)


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


def _build(  # noqa: C901, PLR0912, PLR0915 - one loop over all tokens: the hot path
    tokens: list[Token], names: frozenset[str]
) -> Document:
    root = Element("#document", *_NO_ATTRS)
    open_elements = [root]
    children = root.children
    open_landmarks: list[tuple[Element, int]] = []
    landmarks: list[Landmark] = []
    collected: list[Element] = []
    marked: list[Element] = []
    interned = {"": _NO_ATTRS}
    beyond = 0
    for index, (tag, raw, text) in enumerate(tokens):
        if not tag:
            pass
        elif tag[0] != "/":
            known = interned.get(raw)
            if known is None:
                known = interned[raw] = _attributes(raw)
            element = Element(tag, *known)
            children.append(element)
            if tag in LINKING:
                collected.append(element)
            if known[1] and not names.isdisjoint(known[1]):
                marked.append(element)
            if tag not in VOID:
                if len(open_elements) <= MAX_DEPTH:
                    open_elements.append(element)
                    children = element.children
                    if tag in _LANDMARKS or (raw and known[0].get("role") == "main"):
                        open_landmarks.append((element, index))
                else:
                    beyond += 1
        elif beyond and tag[1:] not in VOID:
            beyond -= 1
        elif open_elements[-1].tag == tag[1:]:
            closed = open_elements.pop()
            children = open_elements[-1].children
            if open_landmarks and open_landmarks[-1][0] is closed:
                landmarks.append(Landmark(closed, open_landmarks.pop()[1], index))
        if text:
            text = unescape(text)
            if children and type(children[-1]) is str:
                children[-1] += text  # a comment stood between two texts
            else:
                children.append(text)
    landmarks.sort(key=lambda landmark: landmark.start)
    attributes = [attrs for attrs, _ in interned.values()]
    return Document(root, tokens, landmarks, collected, marked, attributes)


def _attributes(raw: str) -> tuple[dict[str, str], frozenset[str]]:
    attrs = dict(_ATTRIBUTE.findall(raw))
    if "&" in raw:
        attrs = {name: unescape(value) for name, value in attrs.items()}
    names = attrs.get("class", "").split()
    if "id" in attrs:
        names.append("#" + attrs["id"])
    return attrs, frozenset(names)
