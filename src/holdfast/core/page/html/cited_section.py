"""The text of a section of a page, for whoever cites `page#section` (`section_v1`).

The section of an element is, by the first that fits (`section_outline` says where each goes to):

    a name of a section that the page lists      that section, with all below it
    a heading, or something in one               the heading's, with all below it
    a term of a list (`dt`), or in one           the term and what it says, to the next term
    a block that begins with a heading, and
    ends no later than its section               the heading's section
    any other block that has text                the block
    something inside a line of text              the block around it
    something empty beside a lone heading        the heading's section (GitHub puts anchors there)
    something empty                            the next heading's section or block, whichever comes first

1. Its text is made by the rules of `text_v1`: the same nodes, spaces and normalization, and what that leaves
   out of the page is left out of its sections.
2. Quoted words are looked for in the text of the whole body; their section is the passage itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from holdfast.core.page.fragment import (
    ElementTarget,
    Fragment,
    Opaque,
    Section,
    Whole,
    Words,
    generated_ids,
    passage,
    read_fragment,
    section_hash,
)
from holdfast.core.page.html.section_outline import Bounds, Outline
from holdfast.core.page.html.text_v1 import INLINE, text_between
from holdfast.core.page.html.tokens import VOID

_LANDMARKS: Final = frozenset(("main", "article", "body", "html", "#document"))
TABLES: Final = {"around": _LANDMARKS}


TextOf = Callable[[tuple[str, ...]], str | None]
"""The text of the section that has one of these names; None where there is none."""


def named_by(fragments: Iterable[str]) -> dict[str, Fragment]:
    """What each fragment names, in order."""
    return {fragment: read_fragment(fragment) for fragment in sorted(set(fragments))}


def page_sections(outline: Outline, fragments: Iterable[str]) -> tuple[Section, ...]:
    """What each fragment names on a page."""
    places = _Places(outline)
    return cited_sections(named_by(fragments), places.text_of, places.body_text)


def cited_sections(
    named: Mapping[str, Fragment], text_of: TextOf, body_text: Callable[[], str]
) -> tuple[Section, ...]:
    """The sections that are named, of a page that is read already."""
    return tuple(_section(fragment, what, text_of, body_text) for fragment, what in named.items())


def _section(fragment: str, named: Fragment, text_of: TextOf, body_text: Callable[[], str]) -> Section:
    match named:
        case Whole():
            return Section(fragment, is_there=True)
        case Opaque():
            return Section(fragment, is_there=None)
        case Words(quotes):
            passages = [passage(body_text(), quote) for quote in quotes]
            found = [part for part in passages if part is not None]
            if len(found) < len(passages):
                return Section(fragment, is_there=False)
            return Section(fragment, is_there=True, content=section_hash("\n".join(found)))
        case ElementTarget(names):
            text = text_of(names)
            if text is None:
                return Section(fragment, is_there=False)
            return Section(fragment, is_there=True, content=section_hash(text) if text else None)


class _Places:
    """Where a fragment leads to."""

    def __init__(self, outline: Outline) -> None:
        self._outline = outline
        self._listed: dict[str, Bounds] = {}
        self._tags = outline.tags
        self._end = outline.end
        self.text = outline.text

    def text_of(self, names: tuple[str, ...]) -> str | None:
        """The text of the section that has one of these names; None where there is none."""
        bounds = self.named(names)
        return None if bounds is None else self.text(*bounds)

    def named(self, names: tuple[str, ...]) -> tuple[int, int] | None:
        """From where to where the section goes that has one of these names; None where there is none."""
        listed = self._listed = self._listed or self._outline.by_name()
        for name in names:
            if name in listed:
                return listed[name].start, listed[name].end
        at = self.find(names)
        return None if at is None else self.section(at)

    def find(self, names: tuple[str, ...]) -> int | None:
        """Where the element of the first name that is there begins."""
        ids = self._outline.ids
        at = next((ids[name] for name in names if name in ids), None)
        return at if at is not None else self._by_heading(names)

    def section(self, at: int) -> tuple[int, int]:
        """From where to where an element's section goes."""
        if (heading := self._heading_around(at)) is not None:
            return self._under(heading)
        term = self._around(at, lambda tag: tag == "dt")
        if term is not None and term in self._outline.terms:
            bounds = self._outline.terms[term]
            return bounds.start, bounds.end
        inline = self._tags[at] in INLINE
        if self.text(at, self._end[at]):
            return self._block(self._around(at, _is_block) or at) if inline else self._block(at)
        return self._beside(at)

    def body_text(self) -> str:
        """All text of the page."""
        return text_between(self._outline.document, 0, len(self._tags), body=False)

    def _by_heading(self, names: tuple[str, ...]) -> int | None:
        headings = sorted(self._outline.headings)
        texts = [self.text(index, self._end[index]) for index in headings]
        for index, made in zip(headings, generated_ids(texts), strict=True):
            if not set(names).isdisjoint(made) and not self._outline.has_names(index):
                return index
        return None

    def _heading_around(self, at: int) -> int | None:
        while at >= 0:
            if at in self._outline.headings:
                return at
            at = self._outline.parent[at]
        return None

    def _around(self, at: int, wanted: Callable[[str], bool]) -> int | None:
        """The nearest element that is wanted, itself or around it."""
        while at >= 0:
            if wanted(self._tags[at]):
                return at
            at = self._outline.parent[at]
        return None

    def _under(self, heading: int) -> tuple[int, int]:
        bounds = self._outline.headings[heading]
        return bounds.start, bounds.end

    def _block(self, block: int) -> tuple[int, int]:
        """A block; where it begins with a heading and ends with its section, or before, the heading's."""
        for index in range(block, self._end[block]):
            if index in self._outline.headings:
                bounds = self._outline.headings[index]
                return (index, bounds.end) if self._end[block] <= bounds.end else (block, self._end[block])
            if self._outline.document.texts[index].strip():
                break
        return block, self._end[block]

    def _beside(self, at: int) -> tuple[int, int]:
        """The section of an element that is empty."""
        around = self._around(self._outline.parent[at], _is_block)
        if around is not None and self._tags[around] not in _LANDMARKS:
            section = self._lone_heading(around)
            if section is not None:
                return section
        for index in range(at, len(self._tags)):
            tag, text = self._tags[index], self._outline.document.texts[index]
            if index in self._outline.headings:
                return self._under(index)
            if text.strip():
                closes = tag.startswith("/")
                holder = self._around(self._outline.parent[index] if closes else index, _is_block)
                if holder is not None and self._tags[holder] not in _LANDMARKS:
                    return self._block(holder)
                return at, self._next_heading(index)
        return at, self._end[at]

    def _lone_heading(self, block: int) -> tuple[int, int] | None:
        """The section of the heading that is all that a block holds."""
        inside = range(block, self._end[block])
        heading = next((index for index in inside if index in self._outline.headings), None)
        if heading is None:
            return None
        whole = self.text(block, self._end[block])
        return self._under(heading) if whole == self.text(heading, self._end[heading]) else None

    def _next_heading(self, at: int) -> int:
        indexes = range(at + 1, len(self._tags))
        return next((i for i in indexes if i in self._outline.headings), len(self._tags))


def _is_block(tag: str) -> bool:
    return bool(tag) and tag not in INLINE and tag not in VOID
