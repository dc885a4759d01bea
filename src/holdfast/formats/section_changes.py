"""Which sections of a page a difference touches: its changed lines, each in the section that they stand in.

1. Sections are those of the page's outline (SCT-1): headings and API entries, each with its own text alone.
2. One that only the new version has is new, one that only the old one has is gone, any other changed.
3. Sections come in the order of the new version, then those that are gone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from holdfast.core.answers.changes import ChangedSection
from holdfast.core.page import Page
from holdfast.core.section import PageSection, SectionKind
from holdfast.core.section_moves import SectionChange
from holdfast.core.text_diff import Hunk

__all__ = ["changed_sections", "sections_by_line"]

_WHOLE: Final = PageSection("", (), 0, SectionKind.PROSE, None, None, "", "")
"""A page that has no outline is one section."""


def changed_sections(old: Page, new: Page, hunks: Sequence[Hunk]) -> tuple[ChangedSection, ...]:
    """The sections that the hunks between two versions' Markdown touch; both have their outline."""
    if not hunks:
        return ()
    before, after = sections_by_line(old), sections_by_line(new)
    added: Counter[str] = Counter()
    removed: Counter[str] = Counter()
    for hunk in hunks:
        old_line, new_line = hunk.old_start - 1, hunk.new_start - 1
        for mark, _ in hunk.lines:
            if mark != "+":
                removed[before[old_line].anchor] += mark == "-"
                old_line += 1
            if mark != "-":
                added[after[new_line].anchor] += mark == "+"
                new_line += 1
    gone, come = ({section.anchor: section for section in lines} for lines in (before, after))
    return tuple(
        ChangedSection(
            (come.get(anchor) or gone[anchor]).path,
            _change(anchor in gone, anchor in come),
            added[anchor],
            removed[anchor],
            anchor or None,
        )
        for anchor in dict.fromkeys((*come, *gone))
        if added[anchor] or removed[anchor]
    )


def _change(was_there: bool, is_there: bool) -> SectionChange:  # noqa: FBT001 - both say what they are
    if was_there and is_there:
        return SectionChange.CHANGED
    return SectionChange.NEW if is_there else SectionChange.GONE


def sections_by_line(page: Page) -> list[PageSection]:
    """The section that each line of a page's Markdown stands in."""
    spans = sorted(
        (first, last, section) for section in page.structure.outline for first, last in section.spans
    )
    lines: list[PageSection] = []
    at = place = 0
    for line in page.markdown.splitlines(keepends=True):
        while place + 1 < len(spans) and spans[place][1] <= at:
            place += 1
        lines.append(spans[place][2] if spans else _WHOLE)
        at += len(line.encode("utf-8", "surrogatepass"))
    return lines
