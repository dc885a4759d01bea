"""A page as a sequence of sections (SCT-1): what a section is, what it is called, and how sections move.

1. A section begins with a heading, or with a term of a list that has an id, and holds what follows up to
   the next: its own text, without that of the sections below it. What comes before the first is one too.
2. Its anchor is its own id. Where it has none, it is made of its heading: the words in lower case, joined
   by `-`, after the anchors of the headings around it, joined by `/`. The page's title is not among them;
   what is not below the title begins with `/`.
3. Of sections with one id the first has it; a link leads there. The others, and those whose anchor is
   taken, are told apart by the path, and within one path by `-2`, `-3`.
4. Its id is the page's `url_key` and the anchor. Nothing elsewhere on the page moves it but another section
   of the same path before it.
5. `section_v1` is the hash of its text; for a citation of `page#x`, of the section and all below it.

The sections of a page at two moments, side by side (SCT-2):

6. A section is the one with the same anchor. It is `changed` where its text is another, `new` where it was
   not there, `gone` where it is not there any more.
7. Moves come in the order of places on the page; what went stands before what came to the same place.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from holdfast.core.base.errors import UsageError
from holdfast.core.url.url import Place


class SectionKind(StrEnum):
    """What most of a section is; `API` is the entry of a function, a class, a member."""

    PROSE = "prose"
    CODE = "code"
    TABLE = "table"
    API = "api"


def section_kind(text: str) -> SectionKind:
    """A kind by its name."""
    if text not in set(SectionKind):
        raise UsageError(
            f"{text[:40]!r} is not a kind of section", hint=f"there are: {', '.join(SectionKind)}"
        )
    return SectionKind(text)


class PageSection(NamedTuple):
    """A section of a page. `path` are the titles from the page's down to its own.

    `content` is its `section_v1`; `spans` are the bytes of the Markdown that say it, none where that leaves
    it out.
    """

    anchor: str
    path: tuple[str, ...]
    level: int
    kind: SectionKind
    name: str | None
    language: str | None
    text: str
    content: str
    spans: tuple[tuple[int, int], ...] = ()


class KeptSection(NamedTuple):
    """What the ledger keeps of a section (SCT-2): its text is in the archive."""

    anchor: str
    path: tuple[str, ...]
    name: str | None
    kind: str
    content: str


class SectionPlace(NamedTuple):
    """Where a section stands in the Markdown: how deep, and which bytes say it."""

    level: int
    spans: tuple[tuple[int, int], ...]


def kept_sections(sections: Iterable[PageSection]) -> tuple[KeptSection, ...]:
    """What the ledger keeps of a page's sections, in order."""
    return tuple([KeptSection(s.anchor, s.path, s.name, str(s.kind), s.content) for s in sections])


class Outlined(NamedTuple):
    """What a section is called by: its own id, its title, the section around it (-1: none)."""

    own: str
    title: str
    parent: int


def section_id(url_key: str, anchor: str) -> str:
    """The id of a section; that of what stands before the first heading is the page's own."""
    return f"{url_key}#{anchor}" if anchor else url_key


def anchors_for(sections: Iterable[Outlined], title: int = -1) -> list[str]:
    """The anchor of each section, in order; `title` is the one whose heading is the page's."""
    outlined = list(sections)
    first: dict[str, int] = {}
    for place, section in enumerate(outlined):
        if section.own:
            first.setdefault(section.own, place)
    used = set(first)
    counts: dict[str, int] = {}
    anchors: list[str] = []
    bases: list[str] = []  # without numbers: that of what is around moves nobody
    for place, section in enumerate(outlined):
        if section.own and first[section.own] == place:
            anchors.append(section.own)
            bases.append(section.own)
            continue
        above = f"{bases[section.parent]}/" if section.parent >= 0 else "/" if title >= 0 else ""
        above = "" if title in (section.parent, place) else above
        base = above + (section.own or heading_slug(section.title) or "section")
        bases.append(base)
        anchor, number = base, counts.get(base, 1)
        while anchor in used:
            number += 1
            anchor = f"{base}-{number}"
        counts[base] = number
        used.add(anchor)
        anchors.append(anchor)
    return anchors


def heading_slug(text: str) -> str:
    """The id that GitHub makes of a heading, by the letters of Unicode 3.2: the same under every version."""
    kept: list[str] = []
    for character in text.strip().lower():
        if character.isascii():
            if character.isalnum() or character in "-_":
                kept.append(character)
            elif character == " ":
                kept.append("-")
        else:
            category = unicodedata.ucd_3_2_0.category(character)
            if category[0] in "LMN" or category == "Pc":
                kept.append(character)
    return "".join(kept)


class SectionChange(StrEnum):
    """What became of a section between two versions."""

    NEW = "new"
    CHANGED = "changed"
    GONE = "gone"


class SectionMove(NamedTuple):
    """A section that differs between two moments: what it was, what it is; None: it was, or is, not there."""

    place: Place
    old: KeptSection | None
    new: KeptSection | None

    @property
    def section(self) -> KeptSection:
        """The section as it is, or was last."""
        section = self.new or self.old
        if section is None:
            raise ValueError("a section that never was does not move")
        return section

    @property
    def change(self) -> SectionChange:
        """What became of it."""
        if self.old is None:
            return SectionChange.NEW
        return SectionChange.CHANGED if self.new is not None else SectionChange.GONE

    @property
    def id(self) -> str:
        """The section's id (SCT-1)."""
        return section_id(self.place.key, self.section.anchor)

    @property
    def url(self) -> str:
        """Where it is on the web."""
        return f"{self.place.url}#{self.section.anchor}" if self.section.anchor else self.place.url


def moves_between(
    place: Place, before: Iterable[KeptSection], after: Iterable[KeptSection]
) -> tuple[SectionMove, ...]:
    """Which sections of a page differ between two versions."""
    old, new = ({section.anchor: section for section in side} for side in (before, after))
    moves = [
        (order, anchor, SectionMove(place, old.get(anchor), section))
        for order, (anchor, section) in enumerate(new.items())
        if anchor not in old or old[anchor].content != section.content
    ]
    moves += [
        (order, "", SectionMove(place, section, None))
        for order, (anchor, section) in enumerate(old.items())
        if anchor not in new
    ]
    return tuple([move for _, _, move in sorted(moves, key=lambda entry: entry[:2])])
