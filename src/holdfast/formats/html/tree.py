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
from collections.abc import Callable
from functools import lru_cache
from sys import intern
from typing import Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser

__all__ = [
    "COLLECTED",
    "INVISIBLE",
    "MAX_DEPTH",
    "VOID",
    "Document",
    "Doubt",
    "Element",
    "Node",
    "Place",
    "Wanted",
    "end_of",
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
    r"<(?:!--.*?--|\?[^>]*|(/?[a-zA-Z][^ \t\n\f\r/>]*+(?: =?[^ \t\n\f\r=/>]*+=\"[^\"]*+\")*))>([^<]*+)",
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


class Doubt(NamedTuple):
    """An element that may be no content, what it is in, and the token at which it opens."""

    element: Element
    parent: Element
    start: int


class Wanted(NamedTuple):
    """What to look out for while the tree is built, so that nobody needs to search for it afterwards.

    `names`: ids (`#id`) and class names whose elements become places. `is_doubtful`: whether an element of
    this name, with these attributes and names, becomes a doubt; asked once for all that are written alike.
    """

    names: frozenset[str] = frozenset()
    is_doubtful: Callable[[str, dict[str, str], frozenset[str]], bool] | None = None


NOTHING: Final = Wanted()


class Document(NamedTuple):
    """A parsed page. Everything in it is in document order.

    The tokens are three columns: the name of each tag (`p`, `/p`, empty for a comment), the text after it as
    serialized, and the role of those that have one.
    `places` are the landmarks (`body`, `main`, `[role=main]`, `article`) and the elements whose id or class
    is one of the names that were asked for; `doubts` the elements that were doubtful; `collected` holds the
    elements of `COLLECTED`; `attributes` the attribute sets of the page.
    """

    root: Element
    tags: list[str]
    texts: list[str]
    roles: dict[int, str]
    places: list[Place]
    doubts: list[Doubt]
    collected: list[Element]
    attributes: list[dict[str, str]]

    def landmarks(self) -> list[Place]:
        """The places that are landmarks."""
        return [place for place in self.places if is_landmark(place.element)]


def is_landmark(element: Element) -> bool:
    """Whether an element is the body, the main content or an article by its own word."""
    return element.tag in _LANDMARKS or element.attrs.get("role") == "main"


_LONG: Final = 200
"""Longer texts are not remembered from page to page."""
_NO_ATTRS: Final[dict[str, str]] = {}
_NO_NAMES: Final[frozenset[str]] = frozenset()
_LANDMARKS: Final = frozenset(("main", "article", "body"))


def parse_html(html: str, wanted: Wanted = NOTHING) -> Document | None:
    """Parse a whole page; None where the tree is many times as large as the page.

    The caller has made sure that the page is within the limits (`guard`).
    """
    normal_form = _normal_form(html)
    if len(normal_form) > MAX_GROWTH * len(html) + 1_000_000:
        return None
    return _build(_without_highlighting(normal_form), wanted)


def unescape(text: str) -> str:
    """Serialized text or attribute value to what it means."""
    if "&" not in text:
        return text
    text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", "\xa0").replace("&quot;", '"')
    return text.replace("&amp;", "&")


def end_of(tags: list[str], at: int) -> int:
    """Where the element that starts here ends; the end of all where it does not."""
    name, still_open = tags[at], 1
    while still_open:
        try:
            end = tags.index("/" + name, at + 1)
        except ValueError:
            return len(tags)
        still_open += tags[at + 1 : end].count(name) - 1
        at = end
    return at


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
    html = block[0]
    if "<!" in html or "<?" in html or html.count("<pre") > 1:
        return html  # a span may be in a comment, or not end before the block does
    plain, removed = _HIGHLIGHT.subn("", html)
    if removed != plain.count("</span>"):
        return html
    return plain.replace("</span>", "")


class _Tag:
    """What a tag means, worked out once for all that are written alike."""

    __slots__ = (
        "attrs", "closes", "collected", "doubtful", "name", "names", "noted", "opens", "place", "role",
        "void",
    )  # fmt: skip

    def __init__(self, name: str, attrs: dict[str, str], wanted: Wanted) -> None:
        self.name = intern(name)
        self.attrs = attrs
        self.names = names = _names(attrs) if attrs else _NO_NAMES
        self.role = role = attrs.get("role", "") if attrs else ""
        starts = name != "" and name[0] != "/"
        self.void = void = starts and name in VOID
        self.opens = starts and not void
        # Foreign elements with void names do have an end tag, which closes nothing.
        self.closes = name != "" and not starts and name[1:] not in VOID
        self.collected = name in COLLECTED
        self.place = self.opens and (
            name in _LANDMARKS or role == "main" or not names.isdisjoint(wanted.names)
        )
        self.doubtful = starts and wanted.is_doubtful is not None and wanted.is_doubtful(name, attrs, names)
        self.noted = self.collected or self.place or role != ""


class _Tags(dict[str | None, _Tag]):
    """The tags of a page by their text: there are many, but few that are written differently."""

    def __init__(self, wanted: Wanted) -> None:
        super().__init__()
        self._wanted = wanted

    def __missing__(self, head: str | None) -> _Tag:
        name, space, raw = head.partition(" ") if head else ("", "", "")
        if raw or len(name) >= _LONG:
            tag = _Tag(name, _attributes(space + raw), self._wanted)
        else:
            tag = _plain_tag(name, self._wanted)
        self[head] = tag
        return tag


@lru_cache(maxsize=1_000)
def _plain_tag(name: str, wanted: Wanted) -> _Tag:
    """A tag without attributes, which means the same on every page."""
    return _Tag(name, _NO_ATTRS, wanted)


def _columns(normal_form: str, known: _Tags) -> tuple[list[_Tag], list[str]]:
    """Each tag, and the text after it. One call splits the page: match objects would cost as much again."""
    pieces = _TOKEN.split(normal_form)
    return list(map(known.__getitem__, pieces[1::3])), pieces[2::3]


def _build(normal_form: str, wanted: Wanted) -> Document:  # noqa: C901, PLR0912, PLR0915 - hot
    known = _Tags(wanted)
    tags, texts = _columns(normal_form, known)
    root = Element("#document", _NO_ATTRS, _NO_NAMES)
    open_elements, children, level = [root], root.children, 0
    roles: dict[int, str] = {}
    opened: list[tuple[int, Element, int]] = []
    places: list[Place] = []
    collected: list[Element] = []
    doubts: list[Doubt] = []
    for at, tag in enumerate(tags):
        if tag.opens or tag.void:
            element = Element(tag.name, tag.attrs, tag.names)
            children.append(element)
            if tag.doubtful:
                doubts.append(Doubt(element, open_elements[-1], at))
            if tag.opens:
                level += 1
                if level <= MAX_DEPTH:
                    open_elements.append(element)
                    children = element.children
            if tag.noted:
                if tag.collected:
                    collected.append(element)
                if tag.role:
                    roles[at] = tag.role
                if tag.place:
                    opened.append((level, element, at))
        elif tag.closes:
            if opened and opened[-1][0] == level:
                places.append(Place(*opened.pop()[1:], at))
            if level <= MAX_DEPTH:
                open_elements.pop()
                children = open_elements[-1].children
            level -= 1
        if text := texts[at]:
            if "&" in text:
                text = unescape(text)
            # Two texts in a row: a comment stood between them, or an element that is flat.
            if (
                (level >= MAX_DEPTH or not (tag.opens or tag.closes))
                and children
                and type(children[-1]) is str
            ):
                children[-1] += text
            else:
                children.append(text)
    places.sort(key=lambda place: place.start)
    attributes = [tag.attrs for tag in known.values() if tag.attrs]
    return Document(root, [tag.name for tag in tags], texts, roles, places, doubts, collected, attributes)


def _attributes(raw: str) -> dict[str, str]:
    if raw.count('"') == 2:  # one attribute, as most tags have
        name, _, value = raw.partition('="')
        return {name[1:]: unescape(value[:-1])}
    attrs = dict(_ATTRIBUTE.findall(raw))
    return {name: unescape(value) for name, value in attrs.items()} if "&" in raw else attrs


def _names(attrs: dict[str, str]) -> frozenset[str]:
    """The class names, and the id with a `#` before it."""
    classes = attrs.get("class", "")
    names = _class_names(classes) if len(classes) < _LONG else frozenset(classes.split())
    return names | {"#" + attrs["id"]} if "id" in attrs else names


@lru_cache(maxsize=2_000)
def _class_names(classes: str) -> frozenset[str]:
    """Remembered: the pages of a site share their classes."""
    return frozenset(classes.split())
