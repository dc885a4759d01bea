"""The text of a section of a page, for whoever cites `page#section` (`section_v1`).

The section of an element is, by the first that fits:

    a heading, or something in one               from there to the next heading of its level or above it
    a term of a list (`dt`), or in one           the term and what it says, to the next term
    a block that holds a heading and no more     the heading's section
    any other block that has text                the block
    something inside a line of text              the block around it
    something empty beside a lone heading        the heading's section (GitHub puts anchors there)
    something empty                            the next heading's section or block, whichever comes first

1. A section that runs to the next heading ends with the landmark it stands in (`main`, `article`,
   `body`), and of a `body` leaves out `nav`, `header`, `footer`, `aside`.
2. Its text is made by the rules of `text_v1`: the same nodes, spaces and normalization.
3. Quoted words are looked for in the text of the whole body; their section is the passage itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from holdfast.core.fragment import (
    Element,
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
from holdfast.formats.html.text_v1 import AROUND, INLINE, text_between
from holdfast.formats.html.tokens import VOID, Tag
from holdfast.formats.html.tree import Document

__all__ = ["page_sections"]

_HEADING = re.compile(r"h([1-6])\Z")
_LANDMARKS: Final = frozenset(("main", "article", "body", "html", "#document"))


def page_sections(document: Document, fragments: Iterable[str]) -> tuple[Section, ...]:
    """What each fragment names on a page."""
    wanted = sorted(set(fragments))
    if not wanted:
        return ()
    outline = _Outline(document)
    return tuple(_section(name, read_fragment(name), outline) for name in wanted)


def _section(fragment: str, named: Fragment, outline: _Outline) -> Section:
    match named:
        case Whole():
            return Section(fragment, is_there=True)
        case Opaque():
            return Section(fragment, is_there=None)
        case Words(quotes):
            passages = [passage(outline.body_text(), quote) for quote in quotes]
            found = [part for part in passages if part is not None]
            if len(found) < len(passages):
                return Section(fragment, is_there=False)
            return Section(fragment, is_there=True, content=section_hash("\n".join(found)))
        case Element(names):
            at = outline.find(names)
            if at is None:
                return Section(fragment, is_there=False)
            text = outline.text(*outline.section(at))
            return Section(fragment, is_there=True, content=section_hash(text) if text else None)


class _Outline:
    """The tokens of a page, with what encloses what."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._tags = document.names
        self._parent: list[int] = []
        self._end: dict[int, int] = {}
        self._ids: dict[str, int] = {}
        self._read()

    def find(self, names: tuple[str, ...]) -> int | None:
        """Where the element of the first name that is there begins."""
        at = next((self._ids[name] for name in names if name in self._ids), None)
        return at if at is not None else self._by_heading(names)

    def section(self, at: int) -> tuple[int, int]:
        """From where to where an element's section goes."""
        if (heading := self._around(at, _is_heading)) is not None:
            return self._under(heading)
        if (term := self._around(at, lambda tag: tag == "dt")) is not None:
            return term, self._end_of_term(term)
        inline = self._tags[at] in INLINE
        if self.text(at, self._end[at]):
            return self._block(self._around(at, _is_block) or at) if inline else self._block(at)
        return self._beside(at)

    def text(self, start: int, end: int) -> str:
        """The text between two tokens."""
        if end <= start:
            return ""
        landmark = self._landmark(start)
        in_body = landmark is not None and landmark[2] == "body"
        body = in_body and self._around(start, AROUND.__contains__) is None
        return text_between(self._document, start, end, body=body)

    def body_text(self) -> str:
        """All text of the page."""
        return text_between(self._document, 0, len(self._tags), body=False)

    def _read(self) -> None:
        open_tags: list[int] = []
        for index, tag in enumerate(self._tags):
            closes = bool(tag) and tag[0] == "/"
            if closes and open_tags and self._tags[open_tags[-1]] == tag[1:]:
                self._end[open_tags.pop()] = index
            self._parent.append(open_tags[-1] if open_tags else -1)
            if not tag or closes:
                continue
            self._end[index] = index
            if tag not in VOID:
                open_tags.append(index)
            for name in _names(self._document.tags[index]):
                self._ids.setdefault(name, index)
        for index in open_tags:
            self._end[index] = len(self._tags)

    def _by_heading(self, names: tuple[str, ...]) -> int | None:
        headings = [index for index, tag in enumerate(self._tags) if _is_heading(tag)]
        texts = [self.text(index, self._end[index]) for index in headings]
        for index, made in zip(headings, generated_ids(texts), strict=True):
            if not self._has_id(index) and not set(names).isdisjoint(made):
                return index
        return None

    def _has_id(self, heading: int) -> bool:
        return any(map(_names, self._document.tags[heading : self._end[heading]]))

    def _around(self, at: int, wanted: Callable[[str], bool]) -> int | None:
        """The nearest element that is wanted, itself or around it."""
        while at >= 0:
            if wanted(self._tags[at]):
                return at
            at = self._parent[at]
        return None

    def _under(self, heading: int) -> tuple[int, int]:
        """From a heading to the next of its level or above it."""
        level = self._tags[heading]
        landmark = self._landmark(heading)
        last = landmark[1] if landmark else len(self._tags)
        for index in range(self._end[heading], last):
            tag = self._tags[index]
            if _is_heading(tag) and tag <= level:
                return heading, index
        return heading, last

    def _end_of_term(self, term: int) -> int:
        said = False
        parent = self._parent[term]
        last = self._end.get(parent, len(self._tags))
        for index in range(self._end[term], last):
            if self._parent[index] == parent:
                tag = self._tags[index]
                if tag == "dt" and said:
                    return index
                said = said or tag == "dd"
        return last

    def _block(self, block: int) -> tuple[int, int]:
        """A block; where it only wraps a heading, the heading's section."""
        inside = range(block, self._end[block])
        heading = next((index for index in inside if _is_heading(self._tags[index])), None)
        if heading is not None:
            whole = self.text(block, self._end[block])
            if whole == self.text(heading, self._end[heading]):
                return self._under(heading)
        return block, self._end[block]

    def _beside(self, at: int) -> tuple[int, int]:
        """The section of an element that is empty."""
        around = self._around(self._parent[at], _is_block)
        if around is not None and self._tags[around] not in _LANDMARKS:
            section = self._block(around)
            if section[0] != around:
                return section
        for index in range(at, len(self._tags)):
            tag, text = self._tags[index], self._document.texts[index]
            if _is_heading(tag):
                return self._under(index)
            if text.strip():
                closes = tag.startswith("/")
                holder = self._around(self._parent[index] if closes else index, _is_block)
                if holder is not None and self._tags[holder] not in _LANDMARKS:
                    return holder, self._end[holder]
                return at, self._next_heading(index)
        return at, self._end[at]

    def _next_heading(self, at: int) -> int:
        indexes = range(at + 1, len(self._tags))
        return next((i for i in indexes if _is_heading(self._tags[i])), len(self._tags))

    def _landmark(self, at: int) -> tuple[int, int, str] | None:
        """The innermost landmark around a token."""
        around = [mark for mark in self._document.landmarks() if mark.start <= at < mark.end]
        return (around[-1].start, around[-1].end, around[-1].element.tag) if around else None


def _is_heading(tag: str) -> bool:
    return _HEADING.match(tag) is not None


def _is_block(tag: str) -> bool:
    return bool(tag) and tag not in INLINE and tag not in VOID


def _names(tag: Tag) -> list[str]:
    """What an element can be linked by."""
    attrs = tag.attrs
    names = [attrs["id"]] if "id" in attrs else []
    return [*names, attrs["name"]] if tag.name == "a" and "name" in attrs else names
