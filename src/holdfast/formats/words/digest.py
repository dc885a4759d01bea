"""What a run found, as a person reads it in the morning: the news first, then the differences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from holdfast.core.answers.changes import PageChange, RunChanges
from holdfast.core.event_kind import EventKind
from holdfast.core.figures import counted, short, when
from holdfast.core.redaction import shown
from holdfast.core.section_moves import SectionMove
from holdfast.core.shown_text import harmless
from holdfast.core.text_diff import added_and_removed
from holdfast.formats.diff_page import diff_table
from holdfast.formats.words.differences import hunk_lines
from holdfast.formats.words.paint import Paint
from holdfast.formats.words.sections import move_lines, titles_of

__all__ = ["digest_html", "digest_lines", "digest_title"]


def digest_title(found: RunChanges) -> str:
    """One line: which run."""
    run = found.run.run
    return f"{run.label}: {run.job} of {when(run.started_at)} UTC"


def digest_lines(found: RunChanges, paint: Paint) -> Iterator[str]:
    """The digest for a terminal."""
    yield paint(digest_title(found), "bold")
    yield _counts(found)
    for kind in (EventKind.CHANGED, EventKind.NEW):
        for change in found.of(kind):
            yield ""
            url = shown(change.item.place.url)
            yield paint(f"{kind}  {harmless(change.item.title) or url}", "bold")
            yield f"  {url}{_lines(change)}"
            yield from move_lines(change.moved, paint)
            yield from hunk_lines(change.hunks, paint)
    for page in found.gone:
        yield f"gone  {shown(page.place.url)}"
    for capture in found.failed:
        yield f"failed  {shown(capture.url)} ({capture.status})"


def digest_html(found: RunChanges) -> Iterator[str]:
    """The digest as the body of an HTML page."""
    yield f"<p>{escape(_counts(found))} <span class=quiet>Run {short(found.run.run.run_id)}.</span></p>\n"
    for kind in (EventKind.CHANGED, EventKind.NEW):
        for change in found.of(kind):
            url = escape(change.item.place.url)
            yield f"<h2>{kind.capitalize()}: {escape(change.item.title or change.item.place.url)}</h2>\n"
            yield f'<p><a href="{url}" rel="noreferrer">{url}</a>{escape(_lines(change))}</p>\n'
            yield from _moves(change.moved)
            if change.hunks:
                yield from diff_table(change.hunks)
    rest = [("Gone", page.place.url) for page in found.gone]
    rest += [(f"Failed ({capture.status})", capture.url) for capture in found.failed]
    if rest:
        yield "<ul>\n"
        yield from (f"<li>{word}: {escape(url)}</li>\n" for word, url in rest)
        yield "</ul>\n"


def _moves(moves: Sequence[SectionMove]) -> Iterator[str]:
    if moves:
        links = (
            f'{m.change} <a href="{escape(m.url)}" rel="noreferrer">{escape(titles_of(m) or m.url)}</a>'
            for m in moves
        )
        yield f"<p class=quiet>Sections: {', '.join(links)}.</p>\n"


def _counts(found: RunChanges) -> str:
    words = [
        counted(len(found.of(EventKind.CHANGED)), "page") + " changed",
        f"{len(found.of(EventKind.NEW))} new",
        f"{len(found.gone)} gone",
        f"{len(found.failed)} failed",
        f"{found.unchanged} unchanged",
    ]
    return ", ".join(words) + "."


def _lines(change: PageChange) -> str:
    if not change.hunks:
        return ""
    added, removed = added_and_removed(change.hunks)
    return f"  (+{added} −{removed} lines)"
