"""Which elements of a page are its content.

1. The generator table, row by row: a row is taken when its hint is there and its elements hold at least
   35 % of the text of the largest landmark. Less will do (a short page beside a long menu) where it is
   one element with an `h1` inside, or where hint and all elements are there and hold 10 % of the page.
2. Landmarks: the `main` or `[role=main]` with the most text; a single `article`, in it or alone.
3. An element whose id or class is a usual name for the content and which holds 40 % of the text, or 15 %
   and an `h1`.
4. The body.
5. Content without an `h1` takes the page's own with it, if one says what the title says: many themes put
   it above the content. Where there is none, a box named `title` or `caption` that says so is one (Doxygen,
   Haddock).

1 is the known regime: only exact class names are pruned inside. The others are the generic one, where
patterns of names are pruned too (`prune`).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from typing import Final, NamedTuple

from holdfast.core.page.html.generators import GENERATORS, Generator
from holdfast.core.page.html.tokens import Tag
from holdfast.core.page.html.tree import Element, ElementSpan, ParsedPage, Selector, parse_selector

_ENOUGH: Final = 0.35
_ENOUGH_WHEN_SURE: Final = 0.1
_USUAL: Final = (
    "#content", "#main", "#main-content", "#maincontent", "content", "#bodyContent", "markdown-body",
    "post-content", "entry-content", "#page-content", "#page_content", "#wiki-content",
    "#article", "article-content", "main-content", "page-content", "doc-content", "documentation", "#docs",
)  # fmt: skip


class _Row(NamedTuple):
    generator: Generator
    main: tuple[Selector, ...]
    hint: Selector | None


def _row(generator: Generator) -> _Row:
    hint = parse_selector(generator.hint) if generator.hint else None
    return _Row(generator, tuple(map(parse_selector, generator.main)), hint)


_ROWS: Final = tuple(map(_row, GENERATORS))

_TITLED: Final = frozenset(("title", "caption"))

NAMES: Final = frozenset(_USUAL).union(
    _TITLED,
    *(selector.names for row in _ROWS for selector in (*row.main, *((row.hint,) if row.hint else ()))),
)
"""The ids and class names to collect while the tree is built."""
TABLES: Final = {
    "place": NAMES,
    "usual": _USUAL,
    "titled": _TITLED,
    "generators": [(row.generator.name, row.main, row.hint, row.generator.drop) for row in _ROWS],
}
"""What the native reader is told of these tables."""


class MainContent(NamedTuple):
    """The places that are the content, who made the page, and what else to drop inside."""

    places: tuple[ElementSpan, ...]
    generator: str
    drop: frozenset[str] = frozenset()

    @property
    def elements(self) -> tuple[Element, ...]:
        """The elements there."""
        return tuple(place.element for place in self.places)

    @property
    def known(self) -> bool:
        """Whether the table knew it."""
        return not self.generator.startswith("~")


def find_main(document: ParsedPage) -> MainContent:
    """The content of a page."""
    return _Search(document).found()


class _Search:
    """The places of one page, measured by the running length of the text."""

    __slots__ = ("_body", "_document", "_ends", "_marks", "_total")

    def __init__(self, document: ParsedPage) -> None:
        self._document = document
        self._ends = list(accumulate(map(len, document.texts), initial=0))
        landmarks = document.landmarks()
        bodies = [place for place in landmarks if place.element.tag == "body"]
        self._body = bodies[0] if bodies else ElementSpan(document.root, 0, len(document.names))
        self._marks = [place for place in landmarks if place.element.tag != "body"][:50]
        self._total = self._length(self._body)

    def found(self) -> MainContent:
        found = self._by_table() or self._by_landmark() or self._by_usual_name()
        return self._with_title(found) if found else MainContent((self._body,), "~body")

    def _length(self, place: ElementSpan) -> int:
        """How much text a place holds."""
        return self._ends[place.end] - self._ends[place.start]

    def _by_table(self) -> MainContent | None:
        tags = self._document.tags
        places = [(tags[place.start], place) for place in self._document.places]
        hints = [
            *(tag for tag, _ in places),
            *(tag for at in self._document.collected if (tag := tags[at]).name == "meta"),
        ]
        present = frozenset().union(*(tag.names for tag, _ in places))
        enough = _ENOUGH * min(self._total, max(map(self._length, self._marks), default=self._total))
        for row in _ROWS:
            if row.hint is not None and not (row.hint.names <= present and any(map(row.hint.matches, hints))):
                continue
            found = _first_of_each([selector for selector in row.main if selector.names <= present], places)
            if found and (sum(map(self._length, found)) >= max(1, enough) or self._is_sure(row, found)):
                return MainContent(tuple(found), row.generator.name, frozenset(row.generator.drop))
        return None

    def _is_sure(self, row: _Row, found: list[ElementSpan]) -> bool:
        """Whether little text is enough: a short page beside a long menu."""
        if len(row.main) == 1:
            return self._is_headed(found[0])
        whole = row.hint is not None and len(found) == len(row.main)
        return whole and sum(map(self._length, found)) >= _ENOUGH_WHEN_SURE * self._total

    def _by_landmark(self) -> MainContent | None:
        mains = [place for place in self._marks if place.element.tag != "article"]
        articles = [place for place in self._marks if place.element.tag == "article"]
        if mains:
            main = max(mains, key=self._length)
            if self._length(main) > 0.15 * self._total or self._is_headed(main):
                inside = [place for place in articles if main.holds(place)]
                if len(inside) == 1 and self._length(inside[0]) > 0.6 * self._length(main):
                    return MainContent((inside[0],), "~article")
                return MainContent((main,), "~main")
        if len(articles) == 1 and self._length(articles[0]) > 0.25 * self._total:
            return MainContent((articles[0],), "~article")
        return None

    def _by_usual_name(self) -> MainContent | None:
        for name in _USUAL:
            bearers = [place for place in self._document.places if name in place.element.names]
            if len(bearers) != 1:
                continue
            if self._length(bearers[0]) > (0.15 if self._is_headed(bearers[0]) else 0.4) * self._total:
                return MainContent((bearers[0],), "~name")
        return None

    def _with_title(self, found: MainContent) -> MainContent:
        if any(place.element.tag == "h1" or self._is_headed(place) for place in found.places):
            return found
        document = self._document
        title = next((document.text_at(at) for at in document.collected if document.names[at] == "title"), "")
        for heading in document.titles:
            if (text := document.text_at(heading.start)) and text in title:
                return found._replace(places=(heading, *found.places))
        for place in document.places:
            if not _TITLED.isdisjoint(place.element.names) and _says(place.element, title):
                place.element.tag = "h1"
                break
        return found

    def _is_headed(self, place: ElementSpan) -> bool:
        """Whether there is an `h1` inside. An element below the depth of the tree holds nothing."""
        return bool(place.element.children) and "h1" in self._document.names[place.start + 1 : place.end]


def _says(element: Element, title: str) -> bool:
    """Whether a box begins with what the title says, and not with a heading of its own."""
    text = element.children[0] if element.children and element.tag in ("div", "p", "span") else ""
    return type(text) is str and bool(text.strip()) and " ".join(text.split()) in title


def _first_of_each(selectors: Iterable[Selector], places: list[tuple[Tag, ElementSpan]]) -> list[ElementSpan]:
    found: list[ElementSpan] = []
    for selector in selectors:
        place = next((place for tag, place in places if selector.matches(tag)), None)
        if place is not None and not any(place is other or other.holds(place) for other in found):
            found = [other for other in found if not place.holds(other)]
            found.append(place)
    return found
