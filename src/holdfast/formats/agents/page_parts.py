"""A kept page as an agent reads it: whole, a section of it, or part after part.

1. A long page comes as its outline first: an agent asks for the section it needs, or for the next part.
2. Texts are as the page has them, without characters that control a screen or turn the direction of writing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from holdfast.core.errors import UsageError
from holdfast.core.fragment import generated_ids
from holdfast.core.page import Page
from holdfast.core.shown_text import harmless
from holdfast.formats.text_sections import TextHeading, text_headings

__all__ = ["PART", "page_part"]

PART: Final = 12_000
"""Characters of text that one answer holds; of a longer page the outline comes first."""


def page_part(page: Page, section: str, offset: int) -> dict[str, Any]:
    """The text that was asked for; the outline, where it is long and no part was named."""
    text = page.markdown or page.text
    lines = text.split("\n")
    headings = text_headings(lines)
    anchors = _anchors(page, headings)
    if section:
        start, end, heading = _section(lines, headings, anchors, section)
        text = "\n".join(lines[start:end])
        extra: dict[str, Any] = {"section": harmless(heading.text), "anchor": anchors[heading.line][0]}
    else:
        extra = {}
        if len(text) > PART and offset == 0:
            outline = [
                {"level": h.level, "heading": harmless(h.text), "section": anchors[h.line][0]}
                for h in headings
            ]
            extra = {"outline": outline, "note": "a long page: read a `section`, or go on at `next_offset`"}
    if not 0 <= offset <= len(text):
        raise UsageError(f"offset is a number from 0 to {len(text)}")
    part = text[offset : offset + PART]
    following = offset + PART if offset + PART < len(text) else None
    shown = "\n".join(harmless(line) for line in part.split("\n"))
    return {**extra, "text": shown, "next_offset": following}


def _anchors(page: Page, headings: Sequence[TextHeading]) -> dict[int, list[str]]:
    """The names by which each heading can be asked for: the page's own first, then what generators make."""
    own = {heading.text: heading.anchor for heading in page.structure.headings if heading.anchor}
    made = generated_ids(heading.text for heading in headings)
    return {
        heading.line: [*([own[heading.text]] if heading.text in own else []), *names, heading.text]
        for heading, names in zip(headings, made, strict=True)
    }


def _section(
    lines: Sequence[str], headings: Sequence[TextHeading], anchors: dict[int, list[str]], wanted: str
) -> tuple[int, int, TextHeading]:
    for number, heading in enumerate(headings):
        if wanted in anchors[heading.line]:
            later = (h.line for h in headings[number + 1 :] if h.level <= heading.level)
            return heading.line, next(later, len(lines)), heading
    names = ", ".join(anchors[heading.line][0] for heading in headings[:40])
    raise UsageError(f"the page has no section {wanted[:80]!r}", hint=f"it has: {names}")
