"""The sections of a text that is not HTML, listed or for whoever cites `page#section`.

1. A heading of Markdown (`# …`, or underlined) has the ids that generators make of it, and raw `id` and
   `name` attributes count as they do in HTML. Its section goes to the next heading of its level or above
   it.
2. Nothing in a fenced block is a heading.
3. Listed, a section is its heading's own lines (`core.page.section`); of a text without headings all is one.
4. In any text, quoted words (`#:~:text=…`) are looked for. Whether anything else is there cannot be told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from holdfast.core.page.fragment import (
    ElementTarget,
    Opaque,
    Section,
    Whole,
    Words,
    generated_ids,
    passage,
    read_fragment,
    section_hash,
)
from holdfast.core.page.section import Outlined, PageSection, SectionKind, anchors_for
from holdfast.core.web.headers import BodyKind

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*\Z")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*\Z")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ANCHOR = re.compile(r"<[a-z][^>]*\b(?:id|name)\s*=\s*[\"']([^\"']+)[\"']", re.IGNORECASE)
_MARKUP = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|[*`]|<[^>]*>|(?<!\w)_|_(?!\w)")


class TextHeading(NamedTuple):
    """A heading of Markdown: its line from 0, its level, its words."""

    line: int
    level: int
    text: str


def text_sections(text: str, kind: BodyKind, fragments: Iterable[str]) -> tuple[Section, ...]:
    """What each fragment names in a text."""
    wanted = sorted(set(fragments))
    if not wanted:
        return ()
    lines = text.split("\n")
    headings = text_headings(lines) if kind is BodyKind.MARKDOWN else []
    ids = generated_ids(heading.text for heading in headings)
    found = {name: heading for heading, names in zip(headings, ids, strict=True) for name in names}
    for name, line in _anchors(lines) if kind is BodyKind.MARKDOWN else ():
        below = next((h for h in headings if h.line >= line - 1), None)
        found.setdefault(name, below or TextHeading(line, 1, ""))
    return tuple(_section(name, text, lines, headings, found, kind) for name in wanted)


def text_outline(text: str, kind: BodyKind) -> tuple[PageSection, ...]:
    """The sections of a text, in order; JSON and XML have none."""
    if kind is BodyKind.DATA or not text:
        return ()
    lines = text.split("\n")
    headings = text_headings(lines) if kind is BodyKind.MARKDOWN else []
    parents = _parents(headings)
    ids = _own_ids(lines, headings) if headings else []
    outlined = [
        Outlined(own, heading.text, parent)
        for own, heading, parent in zip(ids, headings, parents, strict=True)
    ]
    anchors = anchors_for(outlined, 0 if headings and headings[0].level == 1 else -1)
    starts = [0]  # of each line, in bytes
    for line in lines:
        starts.append(starts[-1] + len(line.encode("utf-8", "surrogatepass")) + 1)
    whole = starts[-1] - 1
    bounds = [heading.line for heading in headings] + [len(lines)]
    found: list[PageSection] = []
    if bounds[0] > 0 and (any(map(str.strip, lines[: bounds[0]])) or not headings):
        span = (0, min(starts[bounds[0]], whole))
        found.append(_listed(lines[: bounds[0]], "", (), 0, span))
    paths: list[tuple[str, ...]] = []
    for place, heading in enumerate(headings):
        above = paths[parents[place]] if parents[place] >= 0 else ()
        paths.append((*above, heading.text))
        span = (starts[heading.line], min(starts[bounds[place + 1]], whole))
        own = lines[heading.line : bounds[place + 1]]
        found.append(_listed(own, anchors[place], paths[place], heading.level, span))
    return tuple(found)


def _listed(
    lines: list[str], anchor: str, path: tuple[str, ...], level: int, span: tuple[int, int]
) -> PageSection:
    words = " ".join(" ".join(lines).split())
    fenced = code = 0
    for line in lines:
        fenced ^= _FENCE.match(line) is not None
        code += len(line) if fenced else 0
    kind = SectionKind.CODE if 2 * code > sum(map(len, lines)) else SectionKind.PROSE
    return PageSection(anchor, path, level, kind, None, None, words, section_hash(words), (span,))


def _parents(headings: list[TextHeading]) -> list[int]:
    parents: list[int] = []
    around: list[int] = []
    for place, heading in enumerate(headings):
        while around and headings[around[-1]].level >= heading.level:
            around.pop()
        parents.append(around[-1] if around else -1)
        around.append(place)
    return parents


def _own_ids(lines: list[str], headings: list[TextHeading]) -> list[str]:
    """The raw id in each heading's line, or in the line right before it."""
    found: dict[int, str] = {}
    for name, line in _anchors(lines):
        found.setdefault(line, name)
    own: list[str] = []
    for heading in headings:
        before = heading.line - 1
        while before > 0 and not lines[before].strip():
            before -= 1
        own.append(found.get(heading.line) or found.get(before, ""))
    return own


def _section(
    fragment: str,
    text: str,
    lines: list[str],
    headings: list[TextHeading],
    found: dict[str, TextHeading],
    kind: BodyKind,
) -> Section:
    match read_fragment(fragment):
        case Whole():
            return Section(fragment, is_there=True)
        case Words(quotes):
            passages = [passage(text, quote) for quote in quotes]
            parts = [part for part in passages if part is not None]
            if len(parts) < len(passages):
                return Section(fragment, is_there=False)
            return Section(fragment, is_there=True, content=section_hash("\n".join(parts)))
        case ElementTarget(names) if kind is BodyKind.MARKDOWN:
            heading = next((found[name] for name in names if name in found), None)
            if heading is None:
                return Section(fragment, is_there=False)
            below = (h.line for h in headings if h.line > heading.line and h.level <= heading.level)
            end = next(below, len(lines))
            words = " ".join(" ".join(lines[heading.line : end]).split())
            return Section(fragment, is_there=True, content=section_hash(words))
        case ElementTarget() | Opaque():
            return Section(fragment, is_there=None)


def text_headings(lines: list[str]) -> list[TextHeading]:
    """The headings of Markdown, in order; nothing in a fenced block is one."""
    headings: list[TextHeading] = []
    fence = ""
    for number, line in enumerate(lines):
        if mark := _FENCE.match(line):
            if not fence:
                fence = mark[1]
            elif mark[1].startswith(fence) and not line.strip(" `~"):
                fence = ""
        elif fence:
            continue
        elif match := _ATX.match(line):
            headings.append(TextHeading(number, len(match[1]), _plain(match[2] or "")))
        elif (match := _UNDERLINE.match(line)) and number and lines[number - 1].strip():
            headings.append(
                TextHeading(number - 1, 1 if match[1][0] == "=" else 2, _plain(lines[number - 1]))
            )
    return headings


def _anchors(lines: list[str]) -> list[tuple[str, int]]:
    return [(name, number) for number, line in enumerate(lines) for name in _ANCHOR.findall(line)]


def _plain(heading: str) -> str:
    """A heading's words, without the marks around them."""
    return _MARKUP.sub(lambda match: match[1] or "", heading).strip()
