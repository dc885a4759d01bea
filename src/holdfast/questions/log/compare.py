"""Two versions of a page beside each other, section by section, with the words that differ marked.

1. Sections are those of the page's outline (SCT-1): headings and API entries, each with its own text alone.
   One that both versions have and that did not change has no rows.
2. Places to link to (`<a id="…"></a>`) are left out: nobody reads them.
3. Lines that went and lines that came at the same place stand beside each other, in their order.
4. A difference touches the sections that its changed lines stand in. One that only the new version has is
   new, one that only the old one has is gone, any other changed.
5. Sections come in the order of the new version, then those that are gone.
6. A difference, or a run's digest, is one HTML file that needs nothing else: no script, no font, no
   request. Everything that came from the web is escaped, and characters that control a screen are shown as
   what they are (SEC-7); addresses become links only if they are http or https.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Final

from holdfast.core.base.difference import Hunk, Piece, added_and_removed, marked_words, unified, whole
from holdfast.core.base.shown_text import harmless, harmless_lines
from holdfast.core.base.values import dataclass
from holdfast.core.events.happenings import ChangedSection
from holdfast.core.lineage.versions import PageVersion
from holdfast.core.page.page import Page
from holdfast.core.page.section import PageSection, SectionChange, SectionKind, SectionMove

if TYPE_CHECKING:
    from holdfast.questions.rows.question import Paint


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """A line of the old version beside one of the new; None where one of them has none."""

    old: tuple[Piece, ...] | None
    new: tuple[Piece, ...] | None
    is_changed: bool = True


@dataclass(frozen=True, slots=True)
class ComparedSection:
    """A section, what became of it (None: nothing), and the lines around what differs."""

    headings: tuple[str, ...]
    change: SectionChange | None
    rows: tuple[ComparedRow, ...] = ()
    anchor: str | None = None


@dataclass(frozen=True, slots=True)
class PageDiff:
    """A page at two moments: its version at each, None where it was not there; the lines that differ, in
    hunks, and the sections they `touched`. A page that came or went has no lines, for all of it did; nor has
    one whose copies are not `readable` any more. `sections` are those that the ledger knows to differ.
    `compared` has every section of both, where the answer is about one page. With an `anchor` all of it is of
    that section alone.
    """

    url: str
    old: PageVersion | None
    new: PageVersion | None
    hunks: tuple[Hunk, ...] = ()
    touched: tuple[ChangedSection, ...] = ()
    sections: tuple[SectionMove, ...] = ()
    compared: tuple[ComparedSection, ...] = ()
    readable: bool = True
    anchor: str | None = None

    @property
    def last(self) -> PageVersion:
        """Its version now, or the last one that it had."""
        version = self.new or self.old
        if version is None:
            raise ValueError("a page that never was does not differ")
        return version

    @property
    def title(self) -> str:
        """Its title now, or the last one that it had."""
        return self.last.item.title

    @property
    def change(self) -> SectionChange | None:
        """What became of it; None: nothing."""
        if self.old is None:
            return SectionChange.NEW
        if self.new is None:
            return SectionChange.GONE
        is_same = self.old.item.item_id == self.new.item.item_id or (
            self.anchor is not None and not self.hunks
        )
        return None if is_same else SectionChange.CHANGED

    @property
    def added(self) -> int:
        """How many lines came."""
        return added_and_removed(self.hunks)[0]

    @property
    def removed(self) -> int:
        """How many lines went."""
        return added_and_removed(self.hunks)[1]


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


_STYLE = """
:root { color-scheme: light dark; --old: #ffebe9; --new: #dafbe1; --head: #ddf4ff; --line: #8c959f }
@media (prefers-color-scheme: dark) { :root { --old: #4c1d1d; --new: #12391f; --head: #10304d } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; width: 100%; font: 13px/1.5 ui-monospace, monospace; margin: 1rem 0 }
td { padding: 0 .6rem; white-space: pre-wrap; overflow-wrap: anywhere; vertical-align: top }
td.n { color: var(--line); text-align: right; width: 1%; user-select: none; white-space: nowrap }
tr.old { background: var(--old) } tr.new { background: var(--new) } tr.head { background: var(--head) }
dt { font-weight: 600 } .quiet { color: var(--line) }
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_CLASSES = {"-": "old", "+": "new", " ": "same"}


def html_page(title: str, body: Iterable[str]) -> Iterator[str]:
    """A whole page around pieces that are HTML already; the title is text."""
    title = harmless(title)
    yield (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
    )
    yield f"<h1>{escape(title)}</h1>\n"
    yield from map(harmless_lines, body)
    yield "</body>\n</html>\n"


def diff_table(hunks: Iterable[Hunk]) -> Iterator[str]:
    """Hunks as a table with the lines' numbers on both sides."""
    yield "<table>\n"
    for hunk in hunks:
        yield f'<tr class="head"><td class="n"></td><td class="n"></td><td>{escape(hunk.head)}</td></tr>\n'
        old, new = hunk.old_start, hunk.new_start
        for mark, text in hunk.lines:
            left = f"{old}" if mark != "+" else ""
            right = f"{new}" if mark != "-" else ""
            yield (
                f'<tr class="{_CLASSES[mark]}"><td class="n">{left}</td><td class="n">{right}</td>'
                f"<td>{escape(mark + text)}</td></tr>\n"
            )
            old += mark != "+"
            new += mark != "-"
    yield "</table>\n"


_COLOURS: Final = {"-": "red", "+": "green", "@": "blue"}


def hunk_lines(hunks: Iterable[Hunk], paint: Paint) -> Iterator[str]:
    """Lines that came and went, and those around them."""
    for mark, line in unified(tuple(hunks)):
        safe = harmless(line)
        yield paint(safe, _COLOURS[mark]) if mark in _COLOURS else safe
