"""What changed in a run and in a mirror, and the events of it.

Versions are from the ledger, their Markdown from the archive, made anew. Nothing is fetched. Events are
made of what the ledger knows (`core/events/happenings`).

1. A run of a mirror has its pages that came, changed and went, and whether it failed.
2. A run of tracking has what happened to cited URLs between its beginning and its end; one that was cut off
   has everything until the next one began.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain, dropwhile, islice
from typing import TYPE_CHECKING

from holdfast.core.base.difference import compare, drift_between
from holdfast.core.base.errors import ArchiveError, NotKeptError, UsageError
from holdfast.core.events.happenings import (
    Occurrence,
    PageChange,
    cited_event,
    gone_event,
    page_event,
    run_event,
)
from holdfast.core.lineage.event_kind import EventKind
from holdfast.core.lineage.lineage import Item, Job, RunRecord
from holdfast.core.lineage.versions import PageVersion, versions_of
from holdfast.core.links.citation import revision_bid
from holdfast.core.page.distill_options import DistillOptions
from holdfast.core.targets.bound import Bound
from holdfast.core.targets.command_target import CommandTarget, DocumentsForm, TargetKind
from holdfast.core.url.policy import Recipe
from holdfast.questions.log.compare import changed_sections
from holdfast.questions.log.kept_page import page_of_version
from holdfast.questions.log.page_log import section_moves
from holdfast.questions.log.runs import require_mirror
from holdfast.questions.log.timeline import RunsTaken, gone_in
from holdfast.questions.rows.resolve_target import documents_meant, keeps_host, urls_fit

if TYPE_CHECKING:
    from holdfast.storage.ledger.ledger import Ledger
    from holdfast.storage.store_ports import Archive


def page_change(ledger: Ledger, item: Item, recipe: Recipe) -> PageChange:
    """The version that an item brought, and the one before it."""
    versions = versions_of(ledger.history.of_url(item.place.web_key, recipe), recipe, item.place.key)
    number = next(v.number for v in versions if v.item.item_id == item.item_id)
    before = versions[number - 2] if number > 1 else None
    kind = EventKind.CHANGED if before else EventKind.NEW
    moved = section_moves(ledger, before.item, item) if before else ()
    return PageChange(kind, versions[number - 1], before, moved=moved)


def changes_of_run(
    ledger: Ledger, run: RunRecord, after: str = "", *, backward: bool = False
) -> Iterator[PageChange]:
    """What a run brought, without the differences, one after the other; from a capture's id on."""
    for seen in ledger.history.brought_by(run.run.run_id, after, backward=backward):
        if seen.item is not None:
            yield page_change(ledger, seen.item, run.run.recipe)


def page_change_with_diff(archive: Archive, change: PageChange, options: DistillOptions) -> PageChange:
    """A change with the difference; a page that is new has none."""
    if change.before is None:
        return change
    outlined = replace(options, outline=True)
    old, new = (page_of_version(archive, version, outlined) for version in (change.before, change.now))
    hunks = compare(old.markdown, new.markdown)
    drift = drift_between(old.text, new.text, old_title=old.title, new_title=new.title)
    return replace(change, hunks=hunks, sections=changed_sections(old, new, hunks), drift=drift)


def require_run(ledger: Ledger, name: str) -> RunRecord:
    """A run by its id or the beginning of it."""
    record = ledger.runs.run(name)
    if record is None:
        raise UsageError(
            f"there is no run that begins with {name!r}", hint="`holdfast log --runs` lists them"
        )
    return record


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


def happened(
    ledger: Ledger, bounds: Sequence[Bound] = (), asked: Callable[[RunRecord], bool] = bool
) -> Iterator[Occurrence]:
    """What happened in the runs that are asked for, the latest first, one after the other, as far as all
    bounds take it.
    """
    taken = RunsTaken(ledger, bounds)
    for run in filter(asked, taken.with_events()):
        yield from filter(taken.takes, _latest_first(ledger, run))


def _latest_first(ledger: Ledger, run: RunRecord) -> Iterator[Occurrence]:
    if run.run.job is not Job.MIRROR:
        return reversed(tuple(events_of_run(ledger, run)))
    changes = changes_of_run(ledger, run, backward=True)
    return chain(_end_events(ledger, run), (page_event(change, run.run.label) for change in changes))


EventsOf = Callable[[Occurrence], Iterable[Occurrence]]


def events_meant(ledger: Ledger, target: CommandTarget) -> tuple[Callable[[RunRecord], bool], EventsOf]:
    """The runs that a target is about, and what of an event."""
    kind, value = target.kind, target.value
    if kind is TargetKind.MIRROR:
        require_mirror(ledger, value)
        return lambda run: run.run.job is Job.MIRROR and run.run.label == value, _whole
    if kind in (TargetKind.HOST, TargetKind.PATTERN):
        fits = urls_fit(target)
        if not (keeps_host(ledger, value) if kind is TargetKind.HOST else _keeps_pattern(ledger, fits)):
            raise NotKeptError(f"nothing is kept of {value}")
        return bool, lambda event: (event,) if event.url and fits(event.url) else ()
    if kind is TargetKind.NONE or (target.form is DocumentsForm.FOLDER and value == "."):
        return bool, _whole
    documents = documents_meant(ledger, target)
    below = f"{value}/" if target.form is DocumentsForm.FOLDER else None
    labels = {each.run.label for each in ledger.runs.latest_first(job=Job.MIRROR)}
    mirrors = {label for label in labels if below and f"{label}/".startswith(below)}
    if not documents and not mirrors:
        raise NotKeptError(f"no document of {value} was ever read", hint="holdfast check PATH")

    def of_target(event: Occurrence) -> Iterable[Occurrence]:
        if event.cited is None:
            return (event,)
        citing = tuple(each for each in event.citations if each.document in documents)
        return (replace(event, citations=citing),) if citing else ()

    return lambda run: run.run.job is Job.TRACK or run.run.label in mirrors, of_target


def _whole(event: Occurrence) -> Iterable[Occurrence]:
    return (event,)


def _keeps_pattern(ledger: Ledger, fits: Callable[[str], bool]) -> bool:
    labels = {each.run.label for each in ledger.runs.latest_first(job=Job.MIRROR)}
    pages = (page.place.url for label in labels for page in ledger.pages.by_path(label))
    cited = (node.place.url for node in ledger.citations.places())
    return any(map(fits, pages)) or any(map(fits, cited))


def citation_events(ledger: Ledger, /, limit: int) -> tuple[Occurrence, ...]:
    """What happened to cited URLs, the latest first, at most so many."""
    return tuple(islice(happened(ledger, asked=lambda run: run.run.job is Job.TRACK), limit))


def with_diff(ledger: Ledger, archive: Archive, options: DistillOptions, /, event: Occurrence) -> Occurrence:
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
