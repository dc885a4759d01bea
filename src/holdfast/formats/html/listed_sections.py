"""The sections of a page in order (SCT-1), from its outline.

1. What stands before the first section is one too, unless it says nothing: its anchor is empty, its path
   the page's title.
2. The text of a section is its own: without that of the sections inside it, by the rules of `text_v1`.
3. What it is: an API entry by its name, else code or a table where more than half of its text is.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from holdfast.core.fragment import section_hash
from holdfast.core.section import Outlined, PageSection, SectionKind, anchors_for
from holdfast.formats.html.api_names import api_name, container_in, descriptions_in, is_signature, shown_name
from holdfast.formats.html.section_outline import Bounds, Outline
from holdfast.formats.html.text_v1 import text_of
from holdfast.formats.html.tree import ParsedPage
from holdfast.formats.html.walk import elements

__all__ = ["Facts", "ListedSection", "SectionFacts", "facts_of", "listed_sections", "numbers_by_element"]

_ROOT: Final = -1
_STARTS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "dt"))


class ListedSection(NamedTuple):
    """A section, the token that it begins at (-1: what stands before the first), and the one around it."""

    section: PageSection
    start: int
    parent: int


class SectionFacts(NamedTuple):
    """What a section is, by its tokens: the section around it (-1: none), its level (of a term: 0), its own
    names, its title, the name that its signature shows, whether there is code in the title, its own text and
    what most of it is, and the token that it begins at.
    """

    parent: int
    level: int
    names: list[str]
    title: str
    shown: str
    code: bool
    text: str
    kind: SectionKind
    start: int


class Facts(NamedTuple):
    """What is known of the sections of a page, of what stands before them, and what the page is about."""

    sections: list[SectionFacts]
    before: tuple[str, SectionKind]
    descriptions: list[str]


def facts_of(outline: Outline) -> Facts:
    """Read it from the tokens."""
    document = outline.document
    bounds = outline.listed()
    parts = _parts(outline, bounds)
    sections: list[SectionFacts] = []
    for place, (each, parent) in enumerate(zip(bounds, _parents(bounds), strict=True)):
        tags = document.tags[each.start : outline.end[each.start]]
        signature = each.level == 0 and is_signature(tags)
        shown = shown_name(tags, document.texts[each.start : outline.end[each.start]]) if signature else ""
        code = any(tag.name in ("code", "tt") for tag in tags)
        names, title = outline.own_names(each), outline.title(each)
        text, kind = _said(outline, parts[place])
        sections.append(SectionFacts(parent, each.level, names, title, shown, code, text, kind, each.start))
    return Facts(sections, _said(outline, parts[-1]), descriptions_in(document))


def listed_sections(facts: Facts, title: str, language: str | None) -> list[ListedSection]:
    """The sections of a page; `title` and `language` are the page's."""
    known = facts.sections
    is_titled = bool(known) and known[0].level == 1
    outlined = [Outlined(each.names[0] if each.names else "", each.title, each.parent) for each in known]
    anchors = anchors_for(outlined, 0 if is_titled else _ROOT)
    apis = _names(known, container_in(title, facts.descriptions), title)
    listed: list[ListedSection] = []
    text, kind = facts.before
    if text or not known:
        path = (title,) if title else ()
        before = PageSection("", path, 0, kind, None, language, text, section_hash(text))
        listed.append(ListedSection(before, _ROOT, _ROOT))
    first = len(listed)
    for each, anchor, api in zip(known, anchors, apis, strict=True):
        parent = each.parent + first if each.parent >= 0 else _ROOT
        above = listed[parent].section if parent >= 0 else None
        own = api or each.title if each.level == 0 else each.title
        section = PageSection(
            anchor,
            (*above.path, own) if above else (own,),
            each.level or (above.level if above else 0) + 1,
            SectionKind.API if api else each.kind,
            api,
            language,
            each.text,
            section_hash(each.text),
        )
        listed.append(ListedSection(section, each.start, parent))
    return listed


def numbers_by_element(document: ParsedPage, listed: list[ListedSection]) -> dict[int, int]:
    """The number of each section by the identity of its heading or term; before the tree is changed."""
    numbers = {entry.start: number for number, entry in enumerate(listed)}
    tokens = [at for at, name in enumerate(document.names) if name in _STARTS]
    bearers = [element for element in elements(document.root) if element.tag in _STARTS]
    return {id(element): numbers[at] for at, element in zip(tokens, bearers, strict=True) if at in numbers}


def _parents(bounds: list[Bounds]) -> list[int]:
    """The section that each is in."""
    parents: list[int] = []
    around: list[int] = []
    for each in bounds:
        while around and bounds[around[-1]].end <= each.start:
            around.pop()
        parents.append(around[-1] if around else _ROOT)
        around.append(len(parents) - 1)
    return parents


def _parts(outline: Outline, bounds: list[Bounds]) -> list[list[tuple[int, int]]]:
    """The ranges of tokens that are each section's own; the last are those of none."""
    first, last = outline.page()
    parts: list[list[tuple[int, int]]] = [[] for _ in range(len(bounds) + 1)]
    around: list[int] = []
    at = first

    def own(until: int) -> None:
        nonlocal at
        if at < until:
            parts[around[-1] if around else -1].append((at, until))
            at = until

    for place, each in enumerate(bounds):
        while around and bounds[around[-1]].end <= each.start:
            own(bounds[around[-1]].end)
            around.pop()
        own(each.start)
        around.append(place)
    while around:
        own(min(bounds[around[-1]].end, last))
        around.pop()
    own(last)
    return parts


def _said(outline: Outline, ranges: list[tuple[int, int]]) -> tuple[str, SectionKind]:
    """The text of ranges, and what most of it is."""
    parts: list[str] = []
    code = table = total = 0
    for start, end in ranges:
        own = outline.parts(start, end)
        parts += [" ", *own]
        for place in range(1, len(own), 2):
            length = len(own[place].strip())
            total += length
            where = outline.inside(start + place // 2)
            code += length if where == "pre" else 0
            table += length if where == "table" else 0
    kind = (
        SectionKind.CODE
        if 2 * code > total
        else SectionKind.TABLE
        if 2 * table > total
        else SectionKind.PROSE
    )
    return text_of(parts), kind


def _names(sections: list[SectionFacts], whole: str, page: str) -> list[str | None]:
    """The qualified name of each section that is an API entry; `whole` is what the page is about, `page` its
    title.
    """
    found: list[str | None] = []
    below: list[str] = []  # the name around what is in each section
    for each in sections:
        around, name = below[each.parent] if each.parent >= 0 else whole, None
        if each.level or each.shown:
            name = api_name(each.names, each.title, each.shown, around, code=each.code, page=page)
        found.append(name)
        below.append(name or around)
    return found
