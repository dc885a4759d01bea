"""Which sections of a page a difference touches: its changed lines, each under the headings above it.

1. A section goes from its heading to the next heading, of whatever level; it is named by the headings that
   hold it, from the outermost in. What stands before the first heading is named by none.
2. One that only the new version has is new, one that only the old one has is gone, any other changed.
3. Sections come in the order of the new version, then those that are gone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from holdfast.core.answers.changes import ChangedSection, SectionChange
from holdfast.core.page import Page
from holdfast.core.text_diff import Hunk
from holdfast.formats.text_sections import text_headings

__all__ = ["changed_sections", "outline"]

_Path = tuple[str, ...]


def changed_sections(old: Page, new: Page, hunks: Sequence[Hunk]) -> tuple[ChangedSection, ...]:
    """The sections that the hunks between two versions' Markdown touch."""
    if not hunks:
        return ()
    before, after = outline(old.markdown), outline(new.markdown)
    added: Counter[_Path] = Counter()
    removed: Counter[_Path] = Counter()
    for hunk in hunks:
        old_line, new_line = hunk.old_start - 1, hunk.new_start - 1
        for mark, _ in hunk.lines:
            if mark != "+":
                removed[before[old_line]] += mark == "-"
                old_line += 1
            if mark != "-":
                added[after[new_line]] += mark == "+"
                new_line += 1
    old_paths, new_paths = frozenset(before), frozenset(after)
    anchors = {heading.text: heading.anchor for page in (old, new) for heading in page.structure.headings}
    in_order = dict.fromkeys((*after, *before))
    return tuple(
        ChangedSection(
            path,
            _change(path, old_paths, new_paths),
            added[path],
            removed[path],
            anchors.get(path[-1]) if path else None,
        )
        for path in in_order
        if added[path] or removed[path]
    )


def _change(path: _Path, old: frozenset[_Path], new: frozenset[_Path]) -> SectionChange:
    if path in old and path in new:
        return SectionChange.CHANGED
    return SectionChange.NEW if path in new else SectionChange.GONE


def outline(markdown: str) -> list[_Path]:
    """The headings that each line stands under."""
    lines = markdown.splitlines()
    headings = {heading.line: heading for heading in text_headings(lines)}
    paths: list[_Path] = []
    above: list[tuple[int, str]] = []
    for number in range(len(lines)):
        if heading := headings.get(number):
            above = [*(pair for pair in above if pair[0] < heading.level), (heading.level, heading.text)]
        paths.append(tuple(text for _, text in above))
    return paths
