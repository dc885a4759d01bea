"""What a run found, as a person reads it in the morning: the news first, then the differences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from html import escape
from typing import Any

from holdfast.faces.cli.console import harmless, out, style
from holdfast.faces.cli.figures import counted, iso, short, when
from holdfast.formats.diff_page import diff_table
from holdfast.formats.text_diff import Hunk, added_and_removed
from holdfast.jobs.recall import Change, Digest, Kind

__all__ = ["body", "facts", "show", "title"]


def title(digest: Digest) -> str:
    """One line: which run."""
    run = digest.run.run
    return f"{run.label}: {run.job} of {when(run.started_at)} UTC"


def show(digest: Digest, print_hunks: Callable[[Iterable[Hunk]], None]) -> None:
    """The digest on a terminal."""
    out(style(title(digest), "bold"))
    out(_counts(digest))
    for kind in (Kind.CHANGED, Kind.NEW):
        for change in _of(digest, kind):
            out("")
            out(style(f"{kind}  {harmless(change.item.title) or change.item.canonical_url}", "bold"))
            out(f"  {change.item.canonical_url}{_lines(change)}")
            print_hunks(change.hunks)
    for page in digest.gone:
        out(f"gone  {page.place.url}")
    for capture in digest.failed:
        out(f"failed  {capture.url} ({capture.status})")


def facts(digest: Digest) -> dict[str, Any]:
    """The digest as JSON has it."""
    run = digest.run.run
    return {
        "run_id": run.run_id,
        "label": run.label,
        "started_at": iso(run.started_at),
        "ended_at": iso(digest.run.ended_at),
        "normalization_version": str(run.recipe),
        "changed": [_change_facts(change) for change in _of(digest, Kind.CHANGED)],
        "new": [_change_facts(change) for change in _of(digest, Kind.NEW)],
        "gone": [page.place.url for page in digest.gone],
        "failed": [{"url": capture.url, "status": capture.status} for capture in digest.failed],
        "unchanged": digest.unchanged,
    }


def body(digest: Digest) -> Iterator[str]:
    """The digest as HTML."""
    yield f"<p>{escape(_counts(digest))} <span class=quiet>Run {short(digest.run.run.run_id)}.</span></p>\n"
    for kind in (Kind.CHANGED, Kind.NEW):
        for change in _of(digest, kind):
            url = escape(change.item.canonical_url)
            yield f"<h2>{kind.capitalize()}: {escape(change.item.title or change.item.canonical_url)}</h2>\n"
            yield f'<p><a href="{url}" rel="noreferrer">{url}</a>{escape(_lines(change))}</p>\n'
            if change.hunks:
                yield from diff_table(change.hunks)
    rest = [("Gone", page.place.url) for page in digest.gone]
    rest += [(f"Failed ({capture.status})", capture.url) for capture in digest.failed]
    if rest:
        yield "<ul>\n"
        yield from (f"<li>{word}: {escape(url)}</li>\n" for word, url in rest)
        yield "</ul>\n"


def _of(digest: Digest, kind: Kind) -> list[Change]:
    return [change for change in digest.changes if change.kind is kind]


def _counts(digest: Digest) -> str:
    words = [
        counted(len(_of(digest, Kind.CHANGED)), "page") + " changed",
        f"{len(_of(digest, Kind.NEW))} new",
        f"{len(digest.gone)} gone",
        f"{len(digest.failed)} failed",
        f"{digest.unchanged} unchanged",
    ]
    return ", ".join(words) + "."


def _lines(change: Change) -> str:
    if not change.hunks:
        return ""
    added, removed = added_and_removed(change.hunks)
    return f"  (+{added} −{removed} lines)"


def _change_facts(change: Change) -> dict[str, Any]:
    added, removed = added_and_removed(change.hunks)
    return {
        "url": change.item.canonical_url,
        "title": change.item.title,
        "item_id": change.item.item_id,
        "version": change.now.number,
        "fetched_at": iso(change.now.first_seen),
        "added": added,
        "removed": removed,
        "diff": [f"{mark}{text}" for hunk in change.hunks for mark, text in [("", hunk.head), *hunk.lines]],
    }
