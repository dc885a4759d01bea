"""What happened: in a run, and in a mirror. Events are made of what the ledger knows (`core.answers.events`).

1. A run of a mirror has its pages that came, changed and went, and whether it failed.
2. A run of tracking has what happened to cited URLs between its beginning and its end; one that was cut off
   has everything until the next one began.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from itertools import chain, dropwhile, islice

from holdfast.core.answers.changes import PageChange
from holdfast.core.answers.events import (
    MirrorChanges,
    Occurrence,
    cited_event,
    gone_event,
    page_event,
    run_event,
)
from holdfast.core.bid import revision_bid
from holdfast.core.distill_options import DistillOptions
from holdfast.core.errors import ArchiveError
from holdfast.core.event_kind import EventKind
from holdfast.core.ledger import RunRecord
from holdfast.core.lineage import Job
from holdfast.core.recipe import Recipe
from holdfast.core.row_limit import row_limit
from holdfast.core.versions import PageVersion, versions_of
from holdfast.ports import Archive, Ledger
from holdfast.questions.changes import changes_of_run, gone_in, page_change_with_diff

__all__ = [
    "citation_events",
    "events_of_run",
    "is_first_run",
    "mirror_changes",
    "stream_mirror_changes",
    "with_diff",
]


def events_of_run(ledger: Ledger, run: RunRecord, *, new: bool = True) -> Iterator[Occurrence]:
    """What happened in a run, one after the other; without the pages that are new, if that is not asked."""
    match run.run.job:
        case Job.TRACK:
            return _cited_events(ledger, run)
        case Job.REPROCESS:
            return iter(())
        case Job.MIRROR:
            pages = _page_events(ledger, run)
            return chain(pages if new else _without_new(ledger, run, pages), _end_events(ledger, run))


def is_first_run(ledger: Ledger, run: RunRecord) -> bool:
    """Whether a mirror had no run before: everything in it is new."""
    return run.run.job is Job.MIRROR and _before(ledger, run) is None


def _page_events(ledger: Ledger, run: RunRecord) -> Iterator[Occurrence]:
    return (page_event(change, run.run.label) for change in changes_of_run(ledger, run))


def _without_new(ledger: Ledger, run: RunRecord, pages: Iterator[Occurrence]) -> Iterator[Occurrence]:
    if ledger.history.count_brought(run.run.run_id).changed:  # many thousand that are new are not walked
        yield from (event for event in pages if event.kind is not EventKind.NEW)


def stream_mirror_changes(
    ledger: Ledger, label: str, since: datetime | None = None, until: datetime | None = None
) -> Iterator[Occurrence]:
    """What happened in a mirror since a moment, and up to another, the latest first, one after the other."""
    for run in ledger.runs.latest_first(label=label):
        is_over = since is not None and run.updated_at < since
        if is_over or (until is not None and run.run.started_at > until):
            continue  # the run before it may be of a later time: clocks are set
        pages = (page_event(change, label) for change in changes_of_run(ledger, run, backward=True))
        for event in chain(_end_events(ledger, run), pages):
            if (since is None or event.at >= since) and (until is None or event.at <= until):
                yield event


def mirror_changes(
    ledger: Ledger, label: str, *, since: datetime | None = None, limit: int | None = 50
) -> MirrorChanges:
    """What happened in a mirror, the latest first, at most so many."""
    return MirrorChanges(label, tuple(islice(stream_mirror_changes(ledger, label, since), row_limit(limit))))


def citation_events(ledger: Ledger, limit: int) -> tuple[Occurrence, ...]:
    """What happened to cited URLs, the latest first, at most so many."""
    found: list[Occurrence] = []
    for run in ledger.runs.latest_first(job=Job.TRACK):
        last = deque(_cited_events(ledger, run), maxlen=limit - len(found))
        found += reversed(last)
        if len(found) >= limit:
            break
    return tuple(found)


def with_diff(ledger: Ledger, archive: Archive, event: Occurrence, options: DistillOptions) -> Occurrence:
    """An event with the difference; one that has none, or whose copies are gone, comes as it is."""
    change = event.page or _cited_versions(ledger, event)
    if change is None:
        return event
    try:
        return replace(event, page=page_change_with_diff(archive, change, options))
    except ArchiveError:
        return event


def _cited_versions(ledger: Ledger, event: Occurrence) -> PageChange | None:
    """The copies of a cited page from before and after a change, where both were kept."""
    if event.cited is None or event.kind is not EventKind.CHANGED:
        return None
    key = event.cited.place.web_key
    node = ledger.citations.place(key)
    if node is None or not node.notes.recipe:
        return None
    recipe = Recipe.parse(node.notes.recipe)
    versions: dict[str, PageVersion] = {
        revision_bid(version.item.content_sha256): version
        for version in versions_of(ledger.history.of_url(key, recipe), recipe)
    }
    old, new = versions.get(event.old or ""), versions.get(event.new or "")
    return PageChange(EventKind.CHANGED, new, old) if old and new else None


def _cited_events(ledger: Ledger, run: RunRecord) -> Iterator[Occurrence]:
    until = run.ended_at or _next_start(ledger, run)
    for event in ledger.citations.events(run.run.started_at):
        if until is not None and event.at > until:
            return
        yield cited_event(event, ledger.citations.backlinks(event.place.web_key), run.run.run_id)


def _end_events(ledger: Ledger, run: RunRecord) -> Iterator[Occurrence]:
    """What is known of a run at its end: whether it failed, and what it found gone."""
    failed = run_event(run, _before(ledger, run))
    if failed is not None:
        yield failed
    for page in gone_in(ledger, run):
        yield gone_event(page, run)


def _next_start(ledger: Ledger, run: RunRecord) -> datetime | None:
    """When the next run of tracking began: what happened since is that one's."""
    later = None
    for each in ledger.runs.latest_first(label=run.run.label, job=Job.TRACK):
        if each.run.run_id == run.run.run_id:
            break
        later = each.run.started_at
    return later


def _before(ledger: Ledger, run: RunRecord) -> RunRecord | None:
    """The run of a mirror before one."""
    runs = ledger.runs.latest_first(label=run.run.label)
    from_it_on = dropwhile(lambda each: each.run.run_id != run.run.run_id, runs)
    return next((each for each in islice(from_it_on, 1, None) if each.run.job is Job.MIRROR), None)
