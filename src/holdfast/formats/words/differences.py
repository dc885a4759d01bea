"""What changed in a mirror, and between two versions of a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import Final

from holdfast.core.answers.changes import PageDiff
from holdfast.core.answers.events import MirrorChanges
from holdfast.core.event_words import subject_of_event
from holdfast.core.figures import rows, short, when
from holdfast.core.redaction import shown
from holdfast.core.shown_text import harmless
from holdfast.core.text_diff import Hunk, unified
from holdfast.formats.diff_page import diff_table
from holdfast.formats.words.paint import Paint
from holdfast.formats.words.sections import move_lines

__all__ = ["change_lines", "diff_html", "diff_lines", "hunk_lines"]

_COLOURS: Final = {"-": "red", "+": "green", "@": "blue"}


def change_lines(found: MirrorChanges, paint: Paint) -> Iterator[str]:
    """A table of changes; below each, the sections that differ."""
    table = [("SEEN", "", "VERSION", "RUN", "URL", "TITLE")]
    for event in found.changes:
        facts = (when(event.at), str(event.kind), str(event.version or ""), short(event.run_id))
        title = event.title or event.reason
        table.append((*facts, shown(event.url) or subject_of_event(event), harmless(title)))
    head, *lines = rows(table)
    yield paint(head, "bold")
    for line, event in zip(lines, found.changes, strict=True):
        yield line
        yield from move_lines(event.page.moved if event.page else (), paint)


def diff_lines(found: PageDiff, paint: Paint) -> Iterator[str]:
    """Two versions of a page, compared line by line."""
    url, old, new = shown(found.url), found.old, found.new
    yield paint(f"--- {url}  version {old.number}, {when(old.first_seen)}", "bold")
    yield paint(f"+++ {url}  version {new.number}, {when(new.first_seen)}", "bold")
    yield from hunk_lines(found.hunks, paint)


def hunk_lines(hunks: Iterable[Hunk], paint: Paint) -> Iterator[str]:
    """Lines that came and went, and those around them."""
    for mark, line in unified(tuple(hunks)):
        safe = harmless(line)
        yield paint(safe, _COLOURS[mark]) if mark in _COLOURS else safe


def diff_html(found: PageDiff) -> Iterator[str]:
    """Two versions of a page, compared, as the body of an HTML page."""
    url, old, new = escape(found.url), found.old, found.new
    yield f'<p><a href="{url}" rel="noreferrer">{url}</a></p>\n'
    yield f"<p>Version {old.number}, first seen {when(old.first_seen)} UTC, and version {new.number}, "
    yield f"first seen {when(new.first_seen)} UTC.</p>\n"
    yield from diff_table(found.hunks) if found.hunks else ["<p>No difference.</p>\n"]
