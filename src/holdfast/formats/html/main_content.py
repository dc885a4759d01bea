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
from typing import Final, NamedTuple

from holdfast.formats.html.generators import GENERATORS, Generator
from holdfast.formats.html.selector import Selector, parse_selector
from holdfast.formats.html.tree import Document, Element
from holdfast.formats.html.walk import elements, text_length

__all__ = ["NAMES", "MainContent", "find_main"]

_ENOUGH: Final = 0.35
_USUAL: Final = (
    "#content", "#main", "#main-content", "#maincontent", "content", "#bodyContent", "markdown-body",
    "post-content", "entry-content", "#article", "article-content",
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
    """The elements that are the content, who made the page, and what else to drop inside."""

    elements: tuple[Element, ...]
    generator: str
    drop: frozenset[str] = frozenset()

    @property
    def known(self) -> bool:
        """Whether the table knew it."""
        return not self.generator.startswith("~")


def find_main(document: Document) -> MainContent:
    """The content of a page."""
    body = next((mark.element for mark in document.landmarks if mark.element.tag == "body"), document.root)
    marks = [mark.element for mark in document.landmarks if mark.element is not body]
    lengths = {id(element): text_length(element) for element in marks[:50]}
    total = text_length(body)
    largest = min(total, max(lengths.values(), default=0))
    return (
        _by_table(document, marks, largest, total)
        or _by_landmark(marks, lengths, total)
        or _by_usual_name(document.marked, total)
        or MainContent((body,), "~body")
    )


def _by_table(document: Document, marks: list[Element], largest: int, total: int) -> MainContent | None:
    candidates = [*document.marked, *marks]
    hints = [*document.marked, *(item for item in document.collected if item.tag == "meta")]
    for row in _ROWS:
        if row.hint is not None and not any(map(row.hint.matches, hints)):
            continue
        found = _first_of_each(row.main, candidates)
        if not found:
            continue
        length = sum(map(text_length, found))
        if length and length >= _ENOUGH * min(largest or total, total):
            return MainContent(found, row.generator.name, frozenset(row.generator.drop))
    return None


def _first_of_each(selectors: Iterable[Selector], candidates: list[Element]) -> tuple[Element, ...]:
    found: list[Element] = []
    for selector in selectors:
        element = next(filter(selector.matches, candidates), None)
        if element is not None and not any(element is other or _holds(other, element) for other in found):
            found = [other for other in found if not _holds(element, other)]
            found.append(element)
    return tuple(found)


def _holds(outer: Element, inner: Element) -> bool:
    return any(element is inner for element in elements(outer))


def _by_landmark(marks: list[Element], lengths: dict[int, int], total: int) -> MainContent | None:
    measured = [(lengths.get(id(mark), 0), mark) for mark in marks]
    mains = [pair for pair in measured if pair[1].tag != "article"]
    articles = [pair for pair in measured if pair[1].tag == "article"]
    if mains:
        length, main = max(mains, key=lambda pair: pair[0])
        if length > 0.15 * total:
            inside = [pair for pair in articles if _holds(main, pair[1])]
            if len(inside) == 1 and inside[0][0] > 0.6 * length:
                return MainContent((inside[0][1],), "~article")
            return MainContent((main,), "~main")
    if len(articles) == 1 and articles[0][0] > 0.25 * total:
        return MainContent((articles[0][1],), "~article")
    return None


def _by_usual_name(marked: list[Element], total: int) -> MainContent | None:
    for name in _USUAL:
        bearers = [element for element in marked if name in element.names]
        if len(bearers) == 1 and text_length(bearers[0]) > 0.4 * total:
            return MainContent((bearers[0],), "~name")
    return None
