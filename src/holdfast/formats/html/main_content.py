"""Which elements of a page are its content.

1. The generator table, row by row: a row is taken when its hint is there and its elements hold at least
   35 % of the text of the largest landmark.
2. Landmarks: the `main` or `[role=main]` with the most text; a single `article`, in it or alone.
3. An element whose id or class is a usual name for the content and which holds most of the text.
4. The body.

1 is the known regime: only exact class names are pruned inside. The others are the generic one, where
patterns of names are pruned too (`prune`).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from typing import Final, NamedTuple

from holdfast.formats.html.generators import GENERATORS, Generator
from holdfast.formats.html.selector import Selector, parse_selector
from holdfast.formats.html.tree import Document, Element, Place

__all__ = ["NAMES", "MainContent", "find_main"]

_ENOUGH: Final = 0.35
_USUAL: Final = (
    "#content", "#main", "#main-content", "#maincontent", "content", "#bodyContent", "markdown-body",
    "post-content", "entry-content", "#page-content", "#page_content", "#wiki-content",
    "#article", "article-content",
)  # fmt: skip


class _Row(NamedTuple):
    generator: Generator
    main: tuple[Selector, ...]
    hint: Selector | None


def _row(generator: Generator) -> _Row:
    hint = parse_selector(generator.hint) if generator.hint else None
    return _Row(generator, tuple(map(parse_selector, generator.main)), hint)


_ROWS: Final = tuple(map(_row, GENERATORS))

NAMES: Final = frozenset(_USUAL).union(
    *(selector.names for row in _ROWS for selector in (*row.main, *((row.hint,) if row.hint else ())))
)
"""The ids and class names to collect while the tree is built."""


class MainContent(NamedTuple):
    """The places that are the content, who made the page, and what else to drop inside."""

    places: tuple[Place, ...]
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


def find_main(document: Document) -> MainContent:
    """The content of a page."""
    return _Search(document).found()


class _Search:
    """The places of one page, measured by the running length of the text."""

    __slots__ = ("_body", "_document", "_ends", "_marks", "_total")

    def __init__(self, document: Document) -> None:
        self._document = document
        self._ends = list(accumulate(map(len, document.texts), initial=0))
        landmarks = document.landmarks()
        bodies = [place for place in landmarks if place.element.tag == "body"]
        self._body = bodies[0] if bodies else Place(document.root, 0, len(document.tags))
        self._marks = [place for place in landmarks if place.element.tag != "body"][:50]
        self._total = self._length(self._body)

    def found(self) -> MainContent:
        found = self._by_table() or self._by_landmark() or self._by_usual_name()
        return found or MainContent((self._body,), "~body")

    def _length(self, place: Place) -> int:
        """How much text a place holds."""
        return self._ends[place.end] - self._ends[place.start]

    def _by_table(self) -> MainContent | None:
        places = self._document.places
        metas = (item for item in self._document.collected if item.tag == "meta")
        hints = [*(place.element for place in places), *metas]
        enough = _ENOUGH * min(self._total, max(map(self._length, self._marks), default=self._total))
        for row in _ROWS:
            if row.hint is not None and not any(map(row.hint.matches, hints)):
                continue
            found = _first_of_each(row.main, places)
            if found and sum(map(self._length, found)) >= max(1, enough):
                return MainContent(tuple(found), row.generator.name, frozenset(row.generator.drop))
        return None

    def _by_landmark(self) -> MainContent | None:
        mains = [place for place in self._marks if place.element.tag != "article"]
        articles = [place for place in self._marks if place.element.tag == "article"]
        if mains:
            main = max(mains, key=self._length)
            if self._length(main) > 0.15 * self._total:
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
            if len(bearers) == 1 and self._length(bearers[0]) > 0.4 * self._total:
                return MainContent((bearers[0],), "~name")
        return None


def _first_of_each(selectors: Iterable[Selector], places: list[Place]) -> list[Place]:
    found: list[Place] = []
    for selector in selectors:
        place = next((place for place in places if selector.matches(place.element)), None)
        if place is not None and not any(place is other or other.holds(place) for other in found):
            found = [other for other in found if not place.holds(other)]
            found.append(place)
    return found
