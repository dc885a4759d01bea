"""A kept page as an agent reads it: whole, a section of it, or part after part.

1. A long page comes as its outline first: an agent asks for the section it needs, or for the next part.
2. A section comes with all that is below it.
3. Texts are as the page has them, without characters that control a screen or turn the direction of writing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from holdfast.core.errors import UsageError
from holdfast.core.named_section import named_section, section_markdown, section_title
from holdfast.core.page import Page
from holdfast.core.section import PageSection
from holdfast.core.shown_text import harmless

__all__ = ["PART", "page_part", "whole_page"]

PART: Final = 12_000
"""Characters of text that one answer holds; of a longer page the outline comes first."""
_MANY: Final = 100
"""Sections that an outline lists at most, unless the page has more at its highest level."""
_FEW: Final = 40


def page_part(page: Page, section: str, offset: int) -> dict[str, Any]:
    """The text that was asked for; the outline, where it is long and no part was named."""
    text = page.markdown or page.text
    extra: dict[str, Any] = {}
    if section:
        number = _number(page.structure.outline, text, section)
        found = page.structure.outline[number]
        text = section_markdown(page.structure.outline, number, text)
        extra = {"section": harmless(section_title(found)), "anchor": found.anchor}
    elif len(text) > PART and offset == 0:
        outline = [
            {"level": each.level, "heading": harmless(section_title(each)), "section": each.anchor}
            for each in _highest(page.structure.outline)
        ]
        extra = {"outline": outline, "note": "a long page: read a `section`, or go on at `next_offset`"}
    if not 0 <= offset <= len(text):
        raise UsageError(f"offset is a number from 0 to {len(text)}")
    part = text[offset : offset + PART]
    following = offset + PART if offset + PART < len(text) else None
    return {**extra, "text": _shown(part), "next_offset": following}


def whole_page(page: Page) -> str:
    """All of its text, however long."""
    return _shown(page.markdown or page.text)


def _shown(text: str) -> str:
    return "\n".join(harmless(line) for line in text.split("\n"))


def _number(outline: Sequence[PageSection], text: str, wanted: str) -> int:
    number = named_section(outline, text, wanted)
    if number is None:
        named = [section.anchor for section in outline if section.anchor]
        names = ", ".join(named[:_FEW]) + (f" and {len(named) - _FEW} more" if len(named) > _FEW else "")
        hint = f"it has: {names}" if named else "it has none; read it whole"
        raise UsageError(f"the page has no section {wanted[:80]!r}", hint=hint)
    return number


def _highest(outline: Sequence[PageSection]) -> list[PageSection]:
    """The sections of as many levels as are not too many."""
    named = [section for section in outline if section.anchor]
    for level in sorted({section.level for section in named}, reverse=True):
        if len(named) <= _MANY:
            break
        named = [section for section in named if section.level < level] or named
    return named
