"""Where the sections of a page begin and end, in its tokens: one rule for those that are listed and those
that are cited (`section_v1`).

1. A heading's section goes to the next heading of its level or above it, and ends with what it stands in: its
   landmark (`main`, `article`, `body`), a term that has an id, or a part that `text_v1` leaves out (`nav`).
   Headings in another of these do not end it.
2. A term's section (`dt`) is the term and what it says, to the next term.
3. A page lists the headings and the terms that have an id, in its landmark: not those that `text_v1` leaves
   out, and of a term's text only the terms.
4. A section's own names are those of its heading or term and of what is in it (but buttons and their kin),
   and where its permalink leads to: a link to a place on this page whose text is a mark. Else those of what
   stands right before it: empty places, permalinks, and boxes that begin with it and end no later.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final, NamedTuple
from urllib.parse import unquote

from holdfast.core.page.html.text_v1 import is_left_out, page_landmark, text_between, text_of, texts_between
from holdfast.core.page.html.tokens import VOID, Tag
from holdfast.core.page.html.tree import ParsedPage

_HEADING = re.compile(r"h([1-6])\Z")
_LANDMARK, _LEFT_OUT, _TERM = 0, 1, 2
_CONTROLS: Final = frozenset(("button", "input", "label", "select", "svg", "textarea"))
_MARKS: Final = " ¶§🔗⚓∞◆◊\u200b\ue157\uf0c1"
TABLES: Final = {"title marks": list(_MARKS), "nameless": _CONTROLS}
_NOWHERE: Final = (-1, -1, False)


class Bounds(NamedTuple):
    """A section's first token, where it ends, its level (of a term: 0), and whether the page lists it."""

    start: int
    end: int
    level: int
    listed: bool


class _Holder(NamedTuple):
    start: int
    end: int
    kind: int


class _OpenHeading(NamedTuple):
    start: int
    level: int
    listed: bool


class Outline:
    """The tokens of a page, with what encloses what and where its sections are."""

    def __init__(self, document: ParsedPage) -> None:
        self.document = document
        self.tags = document.names
        self.parent: list[int] = []
        self.end: dict[int, int] = {}
        self.ids: dict[str, int] = {}
        self._enclose()
        found = page_landmark(document)
        self._page = (found[0].start, found[0].end, found[1]) if found is not None else _NOWHERE
        self._texts: list[str] = []
        self._within: list[str] = []
        self.headings: dict[int, Bounds] = {}
        self.terms: dict[int, Bounds] = {}
        self._hidden: list[tuple[int, int]] = []
        self._sweep()

    def listed(self) -> list[Bounds]:
        """The sections that the page lists, in order."""
        first, last, _ = self._page
        found = [*self.headings.values(), *self.terms.values()]
        return sorted(bounds for bounds in found if bounds.listed and first <= bounds.start < last)

    def page(self) -> tuple[int, int]:
        """The landmark."""
        return self._page[0], self._page[1]

    def text(self, start: int, end: int) -> str:
        """The text between two tokens."""
        return text_of(self.parts(start, end))

    def parts(self, start: int, end: int) -> list[str]:
        """The same before it is normalized."""
        if end <= start:
            return []
        first, last, body = self._page
        if first <= start and end <= last and not self._is_hidden(start):
            if not self._texts:
                self._texts = texts_between(self.document, first, last, body=body)
            return self._texts[2 * (start - first) : 2 * (end - first)]
        return [text_between(self.document, start, end, body=False)]

    def inside(self, token: int) -> str:
        """Whether the text after a token is in a `pre` or in a `table`; empty where in neither."""
        if not self._within:
            self._within = _enclosures(self.tags)
        return self._within[token]

    def own_names(self, bounds: Bounds) -> list[str]:
        """What a section can be linked by, the likeliest first."""
        found = self._names_in(bounds.start)
        if bounds.level == 0:
            return found
        if not found:
            inside = range(bounds.start, self.end[bounds.start])
            found = [name for at in inside if (name := self._permalink(at))]
        return found or self._names_before(bounds)

    def by_name(self) -> dict[str, Bounds]:
        """The listed section of each of their names; the first of a name has it."""
        found: dict[str, Bounds] = {}
        for bounds in self.listed():
            for name in self.own_names(bounds):
                found.setdefault(name, bounds)
        return found

    def _permalink(self, at: int) -> str:
        """The place on this page that a mark leads to."""
        if self.tags[at] != "a":
            return ""
        reference = self.document.tags[at].attrs.get("href", "")
        name = unquote(reference[1:])
        return name if name in self.ids and self._is_mark(at) else ""

    def title(self, bounds: Bounds) -> str:
        """The words of a heading or term, without the mark that is its permalink."""
        parts: list[str] = []
        at, end = bounds.start, self.end[bounds.start]
        while at < end:
            own = self.parts(at, at + 1)
            if self._is_mark(at):
                at = self.end[at]
                own = self.parts(at, at + 1)
            parts += own
            at += 1
        return text_of(parts).strip(_MARKS)

    def _is_mark(self, at: int) -> bool:
        """Whether a permalink begins here: a link to a place on this page whose text is not a word."""
        if self.tags[at] != "a" or self.end[at] - at > 4:
            return False
        text = "".join(self.document.texts[at : self.end[at]]).strip()
        is_here = self.document.tags[at].attrs.get("href", "").startswith("#")
        return is_here and len(text) <= 2 and not text.isalnum()

    def has_names(self, heading: int) -> bool:
        """Whether a heading can be linked by a name of its own."""
        return bool(self._names_in(heading))

    def _names_before(self, bounds: Bounds) -> list[str]:
        for at in range(bounds.start - 1, self._page[0], -1):
            tag = self.tags[at]
            if self.document.texts[at].strip() or heading_level(tag.removeprefix("/")):
                break
            if name := self._permalink(at):
                return [name]
            names = names_of(self.document.tags[at])
            if names and self.end[at] <= bounds.end:
                return names
        return []

    def _enclose(self) -> None:
        open_tags: list[int] = []
        for index, tag in enumerate(self.tags):
            closes = bool(tag) and tag[0] == "/"
            if closes and open_tags and self.tags[open_tags[-1]] == tag[1:]:
                self.end[open_tags.pop()] = index
            self.parent.append(open_tags[-1] if open_tags else -1)
            if not tag or closes:
                continue
            self.end[index] = index
            if tag not in VOID:
                open_tags.append(index)
            for name in names_of(self.document.tags[index]):
                self.ids.setdefault(name, index)
        for index in open_tags:
            self.end[index] = len(self.tags)

    def _sweep(self) -> None:
        """Find the headings and the terms, and what they stand in."""
        landmarks = {mark.start: mark.end for mark in self.document.landmarks()}
        holders: list[_Holder] = []
        open_headings: dict[int, list[_OpenHeading]] = {}
        inside_heading = 0
        for index, tag in enumerate(self.tags):
            while holders and holders[-1].end <= index:
                self._finish(open_headings.pop(holders[-1].start, []), holders.pop().end)
            if not tag or tag[0] == "/" or index < inside_heading:
                continue  # what is in a heading is its text
            if level := heading_level(tag):
                inside_heading = self.end[index]
                held = open_headings.setdefault(holders[-1].start if holders else -1, [])
                while held and held[-1].level >= level:
                    self._finish([held.pop()], index)
                held.append(_OpenHeading(index, level, all(holder.kind == _LANDMARK for holder in holders)))
            elif index in landmarks:
                holders.append(_Holder(index, landmarks[index], _LANDMARK))
            elif tag == "dt":
                holders += self._term(index)
            elif self._leaves_out(index, tag):
                holders.append(_Holder(index, self.end[index], _LEFT_OUT))
        for held in open_headings.values():
            self._finish(held, len(self.tags))

    def _term(self, index: int) -> list[_Holder]:
        """Note a term; one with an id holds what it says."""
        end = self._end_of_term(index)
        named = bool(self._names_in(index))
        self.terms[index] = Bounds(index, end, 0, named and not self._is_hidden(index))
        return [_Holder(index, end, _TERM)] if named else []

    def _leaves_out(self, index: int, tag: str) -> bool:
        """Whether the text of this element is not the page's own; the outermost such element is noted."""
        first, last, body = self._page
        if not first <= index < last or tag in VOID:
            return False
        if not is_left_out(tag, self.document.roles.get(index, ""), body=body):
            return False
        if not self._is_hidden(index):
            self._hidden.append((index, self.end[index]))
        return True

    def _finish(self, headings: list[_OpenHeading], end: int) -> None:
        for start, level, listed in headings:
            self.headings[start] = Bounds(start, end, level, listed)

    def _names_in(self, index: int) -> list[str]:
        inside = range(index, self.end[index])
        tags = self.document.tags
        return [name for at in inside if tags[at].name not in _CONTROLS for name in names_of(tags[at])]

    def _end_of_term(self, term: int) -> int:
        said = False
        parent = self.parent[term]
        last = self.end.get(parent, len(self.tags))
        index = self.end[term]
        while index < last:
            tag = self.tags[index]
            if tag and tag[0] != "/" and self.parent[index] == parent:
                if tag == "dt" and said:
                    return index
                said = said or tag == "dd"
                index = max(index, self.end[index])
            index += 1
        return last

    def _is_hidden(self, at: int) -> bool:
        place = bisect_right(self._hidden, (at, len(self.tags) + 1)) - 1
        return place >= 0 and at < self._hidden[place][1]


def _enclosures(tags: list[str]) -> list[str]:
    """What each token is in: `pre` before `table`."""
    depths = {"pre": 0, "table": 0}
    found: list[str] = []
    for tag in tags:
        name = tag.removeprefix("/")
        if name in depths:
            depths[name] += -1 if tag[0] == "/" else 1
        found.append("pre" if depths["pre"] else "table" if depths["table"] else "")
    return found


def heading_level(tag: str) -> int:
    """The level of a heading; 0 of anything else."""
    match = _HEADING.match(tag)
    return int(match[1]) if match else 0


def names_of(tag: Tag) -> list[str]:
    """What an element can be linked by."""
    attrs = tag.attrs
    names = [attrs["id"]] if attrs.get("id") else []
    return [*names, attrs["name"]] if tag.name == "a" and attrs.get("name") else names
