"""The sections of a text that is no HTML, for whoever cites `page#section`.

1. A heading of Markdown (`# …`, or underlined) has the ids that generators make of it, and raw `id` and
   `name` attributes count as they do in HTML. Its section goes to the next heading of its level or above
   it.
2. Nothing in a fenced block is a heading.
3. In any text, quoted words (`#:~:text=…`) are looked for. Of everything else nobody can tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from holdfast.core.fragment import (
    Element,
    Opaque,
    Section,
    Whole,
    Words,
    generated_ids,
    passage,
    read_fragment,
    section_hash,
)
from holdfast.formats.media_type import BodyKind

__all__ = ["TextHeading", "text_headings", "text_sections"]

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
        case Element(names) if kind is BodyKind.MARKDOWN:
            heading = next((found[name] for name in names if name in found), None)
            if heading is None:
                return Section(fragment, is_there=False)
            below = (h.line for h in headings if h.line > heading.line and h.level <= heading.level)
            end = next(below, len(lines))
            words = " ".join(" ".join(lines[heading.line : end]).split())
            return Section(fragment, is_there=True, content=section_hash(words))
        case Element() | Opaque():
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
