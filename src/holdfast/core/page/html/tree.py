"""The tree of a page, small and our own, built from its tokens.

1. The tokens are the tree in document order; `text_v1` reads them. `Element` is the tree for whoever
   writes: below `MAX_DEPTH` it is flat, so that whoever walks it may recurse. No text is lost by that.
2. Elements that mean nothing (a `span` that nobody knows) are not in it; what is in them is.
3. What somebody looks for is noted while the tree is built, so that nobody searches it.

Then come small questions to the tree, and runs of spaces, which the text of a page and its Markdown have as
one. Last comes a compound selector of the generator table: `tag#id.class[name=value][name^=value]`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from holdfast.core.page.html.tokens import (
    CLOSES,
    LANDMARKS,
    NOTED,
    NOTHING,
    PASSES,
    STANDS,
    Tag,
    Tokens,
    Wanted,
    end_of,
    normal_form,
    read_tokens,
)

MAX_DEPTH: Final = 120
_ANY: Final = Wanted()


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


class ElementSpan(NamedTuple):
    """An element that matters, and the tokens at which it opens and closes."""

    element: Element
    start: int
    end: int

    def holds(self, other: ElementSpan) -> bool:
        """Whether the other is inside this one."""
        return self.start < other.start and other.end <= self.end


class Doubt(NamedTuple):
    """An element that may not be content, what it is in, and the token at which it opens."""

    element: Element
    parent: Element
    start: int


class ParsedPage(NamedTuple):
    """A parsed page. Everything in it is in document order.

    The tokens are columns: each tag, its name (`p`, `/p`), the text after it, and the role of those that
    have one. `places` are the landmarks (`body`, `main`, `[role=main]`, `article`) and the elements whose
    id or class is one of the names that were asked for; `titles` the places of each `h1`; `doubts` the
    elements that were doubtful; `collected` says where the elements of `COLLECTED` open; `attributes` are
    the attribute sets of the page.
    """

    root: Element
    tags: list[Tag]
    names: list[str]
    texts: list[str]
    roles: dict[int, str]
    places: list[ElementSpan]
    titles: list[ElementSpan]
    doubts: list[Doubt]
    collected: list[int]
    attributes: list[dict[str, str]]

    def landmarks(self) -> list[ElementSpan]:
        """The places that are landmarks."""
        return [place for place in self.places if is_landmark(place.element)]

    def text_at(self, at: int) -> str:
        """All text of the element that opens at a token, in one line."""
        end = end_of(self.names, at)
        text = self.texts[at] if end == at + 1 else "".join(self.texts[at:end])
        return " ".join(text.split())


def is_landmark(element: Element) -> bool:
    """Whether an element is the body, the main content or an article by its own word."""
    return element.tag in LANDMARKS or is_main(element)


def is_main(element: Element) -> bool:
    """Whether an element is the main content by its own word."""
    return element.tag == "main" or element.attrs.get("role") == "main"


def parse_html(html: str, wanted: Wanted = _ANY) -> ParsedPage | None:
    """Parse a whole page; None where the tree is many times as large as the page."""
    form = normal_form(html)
    return None if form is None else build_tree(form, wanted)


def build_tree(form: str, wanted: Wanted = _ANY) -> ParsedPage:
    """The tree of a normal form."""
    return _build(read_tokens(form, wanted))


def _build(tokens: Tokens) -> ParsedPage:  # noqa: C901, PLR0912, PLR0915 - hot
    tags, texts = tokens.tags, tokens.texts
    root = Element("#document", {}, frozenset())
    open_elements, children, level, place_level = [root], root.children, 0, -1
    roles: dict[int, str] = {}
    opened: list[tuple[int, Element, int]] = []
    places: list[ElementSpan] = []
    doubts: list[Doubt] = []
    for at, tag in enumerate(tags):
        turn = tag.turn
        if turn == CLOSES:
            if level == place_level:
                places.append(ElementSpan(*opened.pop()[1:], at))
                place_level = opened[-1][0] if opened else -1
            if level <= MAX_DEPTH:
                open_elements.pop()
                children = open_elements[-1].children
            level -= 1
        elif turn == PASSES:
            level += 1
            if level <= MAX_DEPTH:
                open_elements.append(open_elements[-1])
        elif turn != NOTHING:
            element = Element(tag.name, tag.attrs, tag.names)
            children.append(element)
            if turn == NOTED:
                if tag.doubtful:
                    doubts.append(Doubt(element, open_elements[-1], at))
                if tag.role:
                    roles[at] = tag.role
                if tag.place or tag.name == "h1":
                    place_level = level + 1
                    opened.append((place_level, element, at))
            if turn != STANDS and not tag.void:
                level += 1
                if level <= MAX_DEPTH:
                    open_elements.append(element)
                    children = element.children
        if text := texts[at]:
            children.append(text)
    return _document(tokens, root, roles, sorted(places, key=lambda place: place.start), doubts)


def _document(
    tokens: Tokens, root: Element, roles: dict[int, str], marked: list[ElementSpan], doubts: list[Doubt]
) -> ParsedPage:
    tags = tokens.tags
    return ParsedPage(
        root,
        tags,
        [tag.name for tag in tags],
        tokens.texts,
        roles,
        [place for place in marked if tags[place.start].place],
        [place for place in marked if place.element.tag == "h1"],
        doubts,
        [at for at, tag in enumerate(tags) if tag.collected],
        tokens.attributes,
    )


def elements(root: Node) -> Iterator[Element]:
    """Every element below, in document order."""
    stack: list[Node] = root.children[::-1] if type(root) is Element else []
    while stack:
        node = stack.pop()
        if type(node) is Element:
            yield node
            stack.extend(reversed(node.children))


def find(root: Element, wanted: Callable[[Element], bool]) -> Element | None:
    """The first element below that is wanted."""
    return next((element for element in elements(root) if wanted(element)), None)


def raw_text(root: Node) -> str:
    """All text below, as it stands."""
    while type(root) is Element and len(root.children) == 1:  # most links and code spans are boxed text
        root = root.children[0]
    if type(root) is str:
        return root
    parts: list[str] = []
    stack: list[Node] = [root]
    while stack:
        node = stack.pop()
        if type(node) is str:
            parts.append(node)
        elif type(node) is Element:
            stack.extend(node.children[::-1])
    return "".join(parts)


def text_of(root: Element) -> str:
    """All text below in one line."""
    return " ".join(raw_text(root).split())


def text_length(root: Element) -> int:
    """How many characters of text are below, white space around them not counted."""
    total = 0
    stack: list[Node] = [root]
    while stack:
        node = stack.pop()
        if type(node) is str:
            total += len(node.strip())
        elif type(node) is Element:
            stack.extend(node.children)
    return total


def one_spaced(text: str) -> str:
    """Runs of spaces as one, none at the ends. Split at two, since most spaces stand alone and stay."""
    return " ".join([piece for part in text.split("  ") if (piece := part.strip(" "))])


_PART = re.compile(r"([a-z][a-z0-9-]*)|([.#][A-Za-z0-9_-]+)|\[([a-z-]+)(\^?=)([A-Za-z0-9_-]+)\]")


class Selector(NamedTuple):
    """What an element must be and have."""

    tag: str
    names: frozenset[str]
    values: tuple[tuple[str, str, str], ...]

    def matches(self, tag: Tag) -> bool:
        """Whether the element of this tag is one of them."""
        return (
            (not self.tag or tag.name == self.tag)
            and self.names <= tag.names
            and all(self._holds(tag, *value) for value in self.values)
        )

    @staticmethod
    def _holds(tag: Tag, name: str, operator: str, value: str) -> bool:
        actual = tag.attrs.get(name, "").lower()
        return actual.startswith(value) if operator == "^=" else actual == value


def parse_selector(text: str) -> Selector:
    """Read a selector of the table; a wrong one is a bug."""
    tag, names, values, place = "", set(), [], 0
    while place < len(text):
        match = _PART.match(text, place)
        if match is None:
            raise AssertionError(f"{text!r} is not a selector of the table")
        if match[1]:
            tag = match[1]
        elif match[2]:
            names.add(match[2].removeprefix("."))
        else:
            values.append((match[3], match[4], match[5].lower()))
        place = match.end()
    return Selector(tag, frozenset(names), tuple(values))
