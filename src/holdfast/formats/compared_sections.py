"""Two versions of a page beside each other, section by section, with the words that differ marked.

1. Sections are those of `section_changes`; one that both versions have and that did not change has no rows.
2. Places to link to (`<a id="…"></a>`) are left out: nobody reads them.
3. Lines that went and lines that came at the same place stand beside each other, in their order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from holdfast.core.answers.changes import ChangedSection
from holdfast.core.answers.comparing import ComparedRow, ComparedSection
from holdfast.core.page import Page
from holdfast.core.section import PageSection
from holdfast.core.text_diff import Hunk
from holdfast.core.word_diff import marked_words, whole
from holdfast.formats.section_changes import sections_by_line

__all__ = ["compared_sections"]

_ANCHOR: Final = re.compile(r'<a id="[^"<>]*"></a>')
_Line = tuple[str, str, str]
"""A mark, a text, the anchor of the section it stands in."""


def compared_sections(
    old: Page, new: Page, hunks: Sequence[Hunk], changed: Sequence[ChangedSection]
) -> tuple[ComparedSection, ...]:
    """Every section in the order of the new version, then those that are gone."""
    before, after = sections_by_line(old), sections_by_line(new)
    rows: dict[str, list[ComparedRow]] = {}
    for hunk in hunks:
        for anchor, row in _rows(_placed(hunk, before, after)):
            rows.setdefault(anchor, []).append(row)
    kinds = {section.anchor or "": section.change for section in changed}
    paths = {section.anchor: section.path for section in (*before, *after)}
    return tuple(
        ComparedSection(
            paths[anchor],
            kinds.get(anchor),
            tuple(rows.get(anchor, ())) if anchor in kinds else (),
            anchor or None,
        )
        for anchor in dict.fromkeys(section.anchor for section in (*after, *before))
    )


def _placed(hunk: Hunk, before: list[PageSection], after: list[PageSection]) -> Iterator[_Line]:
    """The lines of a hunk, each with the section it stands in."""
    old_line, new_line = hunk.old_start - 1, hunk.new_start - 1
    for mark, text in hunk.lines:
        section = before[old_line] if mark == "-" else after[new_line]
        yield mark, _ANCHOR.sub("", text), section.anchor
        old_line += mark != "+"
        new_line += mark != "-"


def _rows(lines: Iterator[_Line]) -> Iterator[tuple[str, ComparedRow]]:
    gone: list[tuple[str, str]] = []
    came: list[tuple[str, str]] = []
    for mark, text, path in lines:
        if mark == "-":
            if came:
                yield from _beside(gone, came)
            gone.append((text, path))
        elif mark == "+":
            came.append((text, path))
        else:
            yield from _beside(gone, came)
            same = whole(text, is_changed=False)
            yield path, ComparedRow(same, same, is_changed=False)
    yield from _beside(gone, came)


def _beside(gone: list[tuple[str, str]], came: list[tuple[str, str]]) -> Iterator[tuple[str, ComparedRow]]:
    """Lines that went, beside those that came; both lists are empty after."""
    for number in range(max(len(gone), len(came))):
        old = gone[number] if number < len(gone) else None
        new = came[number] if number < len(came) else None
        if old and new and old[1] == new[1]:
            yield new[1], ComparedRow(*marked_words(old[0], new[0]))
            continue
        if old:
            yield old[1], ComparedRow(whole(old[0], is_changed=True), None)
        if new:
            yield new[1], ComparedRow(None, whole(new[0], is_changed=True))
    gone.clear()
    came.clear()
