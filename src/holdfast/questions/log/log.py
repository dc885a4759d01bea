"""`log`: what happened to a target, the latest first.

1. A page has its versions, equal text once; a mirror, a host or a pattern what its pages did; documents what
   became of what they cite; a run what it brought; an item its lineage. Without a target it is all of the
   store.
2. Every answer is made of events (`core/events/happenings`), and `limit` counts them. What a page, a run or
   an item has beside stands beside them.
3. Feeds and HTML show the differences as well, which are made of the archive: they ask for them.
4. What answers for one kind of target is imported when it is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, Final

from holdfast import questions
from holdfast.core.base.errors import NotKeptError, UsageError, row_limit
from holdfast.core.base.figures import ago, when
from holdfast.core.base.json_shape import (
    COUNT,
    DATE_TIME,
    HASH,
    TEXT,
    WEB_URL,
    Shape,
    array,
    at,
    optional,
    record,
)
from holdfast.core.base.shown_text import harmless
from holdfast.core.base.values import dataclass
from holdfast.core.events.happenings import Occurrence, facts_of, page_event
from holdfast.core.lineage.ledger_values import Brought, EntryState, FrontierEntry, LeftPage
from holdfast.core.lineage.lineage import Job, RunRecord
from holdfast.core.page.distill_options import DistillOptions
from holdfast.core.page.fragment import ElementTarget, read_fragment
from holdfast.core.targets.bound import EVERYTHING, Bound
from holdfast.core.targets.command_target import CommandTarget, TargetKind
from holdfast.core.url.policy import Policy, Recipe
from holdfast.core.url.redaction import shown
from holdfast.questions.log.page_log import (
    CAPTURES,
    NAMES,
    PageHistory,
    history,
    name_lines,
    section_states,
    version_events,
    version_lines,
)
from holdfast.questions.log.runs import RUN
from holdfast.questions.log.timeline import captures_taken, gone_in
from holdfast.questions.rows.parameters import AFTER, FROM, ROWS, SINCE, TARGET, UNTIL, Hidden
from holdfast.questions.rows.parts import part_after
from holdfast.questions.rows.question import Line, Note, Saying, StoreAnswers, question

if TYPE_CHECKING:
    from holdfast.questions.log.items import ItemLineage
    from holdfast.storage.ledger.ledger import Ledger
    from holdfast.storage.store_ports import Archive


@dataclass(frozen=True, slots=True)
class TargetLog:
    """What happened to a target. Of a page also its captures; of a run what it found gone, what failed, and
    how much it brought; of an item its lineage. `seen_at`: when somebody last looked.
    """

    changes: tuple[Occurrence, ...] = ()
    page: PageHistory | None = None
    run: RunRecord | None = None
    gone: tuple[LeftPage, ...] = ()
    failed: tuple[FrontierEntry, ...] = ()
    brought: Brought | None = None
    items: tuple[ItemLineage, ...] = ()
    seen_at: datetime | None = None
    next: str | None = None


Bounds = tuple[Bound, ...]
_ALL: Final = CommandTarget(TargetKind.NONE)
_PAGES: Final = (TargetKind.PAGE, TargetKind.SECTION)
_FAILED: Final = (EntryState.FAILED, EntryState.REFUSED)
_AT_MOST: Final = 200
"""Pages gone and failures that the log of a run names."""
_RUNS: Final = "the runs, and nothing else"
_ITEMS: Final = "the items of a page, or an item, and what superseded what"


@question(listed="changes", switches={"runs": _RUNS, "items": _ITEMS})
def log(  # noqa: PLR0913 - what can be asked for is its signature
    ledger: Ledger,
    open_archive: Callable[[], Archive],
    policy: Policy,
    options: DistillOptions,
    /,
    target: Annotated[
        CommandTarget, TARGET, "a mirror, a page, documents, a host, a pattern, a run, an item"
    ] = _ALL,
    *,
    since: Annotated[
        Bound, SINCE, "from the start of then on: a date, `7d`, `last`, `v2`, a run"
    ] = EVERYTHING,
    after: Annotated[Bound, AFTER, "only what came after its end", Hidden("agents")] = EVERYTHING,
    until: Annotated[Bound, UNTIL, "up to its end"] = EVERYTHING,
    limit: Annotated[int | None, ROWS, "at most so many"] = 50,
    from_: Annotated[str, FROM, "where they begin: `next` of the part before", Hidden("agents")] = "",
    normalization: Annotated[
        Recipe | None, "of a page: number the versions of this normalization version", Hidden("agents")
    ] = None,
    differences: Annotated[bool, "with the lines that differ", Hidden("cli"), Hidden("agents")] = False,
) -> TargetLog:
    """Show what happened, the latest first: what was added, changed and removed in a mirror, the versions of
    a page, what became of what documents cite, what a run brought. Nothing is asked.

    Without a target it is all that is kept here. A version of a page is told once, however often it was seen;
    of a section those in which its text changed. A feed shows the differences.

    Exit status 0 when the target is known, 1 when nothing is known of it.

    Example:
        for change in holdfast.log("mirror", since="7d").parts[0].value.changes:
            print(change.kind, change.url, change.version, change.title)
    """
    bounds = (since, after, until)
    if normalization is not None and target.kind not in _PAGES:
        raise UsageError("--normalization is of a page", hint="holdfast log URL --normalization V")
    match target.kind:
        case TargetKind.PAGE | TargetKind.SECTION:
            found = _page_log(ledger, policy, target.value, bounds, normalization, (limit, from_))
        case TargetKind.RUN:
            found = _named_run_log(ledger, target.value, bounds, (limit, from_))
        case TargetKind.ITEM:
            listed = questions.log.items.items(ledger, policy, target, limit=limit, from_=from_)
            found = TargetLog(items=listed.items, next=listed.next)
        case _:
            found = _events_log(ledger, target, bounds, (limit, from_))
    if not differences or not found.changes:
        return found
    held = open_archive()
    return replace(
        found,
        changes=tuple(
            questions.log.mirror_log.with_diff(ledger, held, options, each) for each in found.changes
        ),
    )


_Part = tuple[int | None, str]
"""At most how many rows, and where they begin."""


def _page_log(
    ledger: Ledger, policy: Policy, target: str, bounds: Bounds, recipe: Recipe | None, part: _Part
) -> TargetLog:
    """A page's versions and captures, or the versions in which a section differs."""
    url, _, fragment = target.partition("#")
    known = history(ledger, policy, url, recipe)
    if not known.observations and not known.names:
        stones = known.forgotten
        hint = f"it was forgotten on {when(stones[-1].forgotten_at)} UTC" if stones else None
        raise NotKeptError(f"nothing is known of {shown(known.url)}", hint=hint, knows_it=bool(stones))
    captures = tuple({o.capture.capture_id: o.capture for o in known.observations}.values())
    taken = {each.capture_id for each in captures}
    for bound in bounds:
        taken &= {each.capture_id for each in captures_taken(ledger, captures, bound)}
    events = [event for event in version_events(known, recipe) if _capture_of(event) in taken]
    if isinstance(read_fragment(fragment), ElementTarget):
        changed = section_states(ledger, known.versions_under(recipe or known.recipe), fragment)
        if not changed:
            words = f"no kept version of the page has a section {fragment[:80]!r}"
            raise NotKeptError(words, hint="holdfast show URL names its sections", knows_it=True)
        events = [event for event in events if event.version in changed]
    shown_events, following = part_after(events, part[1], part[0], lambda event: f"v{event.version}")
    ids = [each.capture_id for each in captures if each.capture_id in taken]
    begin = 0 if following is None else ids.index(_capture_of(shown_events[-1]))
    newer = events.index(shown_events[0]) if shown_events else 0
    of_part = set(ids[begin : ids.index(_capture_of(events[newer - 1])) if newer else None])
    seen = tuple(o for o in known.observations if o.capture.capture_id in of_part)
    seen_at = max((each.fetched_at for each in captures), default=None)
    return TargetLog(shown_events, replace(known, observations=seen), seen_at=seen_at, next=following)


def _capture_of(event: Occurrence) -> str:
    return event.page.now.capture.capture_id if event.page else ""


def _named_run_log(ledger: Ledger, name: str, bounds: Bounds, part: _Part) -> TargetLog:
    run = ledger.runs.run(name)
    if run is None:
        raise NotKeptError(f"no run {name[:12]} is kept", hint="holdfast log --runs")
    if any(bound != EVERYTHING for bound in bounds):
        raise UsageError("a run is a moment of its own", hint=f"holdfast log --since {name[:12]}")
    return run_log(ledger, run, *part)


def run_log(
    ledger: Ledger, /, run: RunRecord, limit: int | None, from_: str, counted: Brought | None = None
) -> TargetLog:
    """What a run brought, in the order it was written; what it found gone and what failed only with the first
    part. How much it brought in all is counted, unless that is known.
    """
    if run.run.job is not Job.MIRROR:
        events, following = part_after(
            questions.log.mirror_log.events_of_run(ledger, run), from_, limit, lambda e: e.event_id
        )
        return TargetLog(events, run=run, next=following)
    most = None if row_limit(limit) is None else (limit or 0) + 1
    changes = tuple(islice(questions.log.mirror_log.changes_of_run(ledger, run, capture_id(from_)), most))
    rows = changes if limit is None else changes[:limit]
    following = rows[-1].now.capture.capture_id if len(changes) > len(rows) else None
    brought = counted or ledger.history.count_brought(run.run.run_id)
    events = tuple(page_event(change, run.run.label) for change in rows)
    if from_:
        return TargetLog(events, run=run, brought=brought, next=following)
    failed = tuple(islice(ledger.frontier.entries(run.run.run_id, _FAILED), _AT_MOST))
    return TargetLog(
        events,
        None,
        run,
        gone_in(ledger, run)[:_AT_MOST],
        failed,
        brought,
        next=following,
    )


def capture_id(text: str) -> str:
    """The id of a capture, where a part of a run begins."""
    if text and (len(text) != 64 or set(text) - set("0123456789abcdef")):
        raise UsageError(
            f"{text[:80]!r} is not a place in this list", hint="begin with the list's first part"
        )
    return text


def _events_log(ledger: Ledger, target: CommandTarget, bounds: Bounds, part: _Part) -> TargetLog:
    """What happened to a mirror, to documents' citations, on a host, or to all."""
    asked, of_target = questions.log.mirror_log.events_meant(ledger, target)
    found = (
        told
        for event in questions.log.mirror_log.happened(ledger, bounds, asked)
        for told in of_target(event)
    )
    events, following = part_after(found, part[1], part[0], lambda event: event.event_id)
    seen = max((each.ended_at or each.updated_at for each in _runs(ledger, asked)), default=None)
    return TargetLog(events, seen_at=seen, next=following)


def _runs(ledger: Ledger, asked: Callable[[RunRecord], bool]) -> Iterator[RunRecord]:
    return filter(asked, ledger.runs.latest_first())


_PAGE: Final = record(url=WEB_URL, web_key=HASH, captures=CAPTURES, names=NAMES)


@log.json
def _json() -> Shape:
    return record(
        run=optional(RUN),
        new=at(lambda found: found.brought and found.brought.new, optional(COUNT)),
        changed=at(lambda found: found.brought and found.brought.changed, optional(COUNT)),
        gone=at(lambda found: [page.place.url for page in found.gone], array(WEB_URL)),
        failed=array(record(url=at("place.url", TEXT), state=TEXT, why=at("note.words", TEXT))),
        page=optional(_PAGE),
        changes=array(questions.log.log_forms.CHANGE),
        items=array(questions.log.items.ITEM_LINEAGE),
        seen_at=optional(DATE_TIME),
    )


@log.remarks
def _remarks(found: TargetLog, say: Saying) -> Iterator[str]:
    if found.page is not None:
        for stone in found.page.forgotten:
            yield f"{stone.place.url} was forgotten on {when(stone.forgotten_at)} UTC"
    if found.seen_at is not None:
        yield f"as of {when(found.seen_at)} UTC, {ago(found.seen_at, say.now)}"


@log.words
def _words(found: TargetLog, say: Saying) -> Iterator[Line]:
    if found.run is not None:
        yield from questions.log.log_forms.run_words(found, say.paint)
    elif found.page is not None:
        yield from version_lines(found.page, found.changes, say.paint)
        yield from map(Note, name_lines(found.page.names))
    elif found.changes:
        yield from questions.log.log_forms.change_lines(found.changes, say.paint)
    for entry in found.items:
        yield from questions.log.items.lineage_lines(entry, say.paint)
    if not (found.changes or found.page or found.run or found.items):
        yield Note("nothing changed")


@log.rows("at", "kind", "mirror", "url", "version", "title", "run", "reason")
def _rows(found: TargetLog) -> Iterator[tuple[object, ...]]:
    for event in found.changes:
        facts = (event.url, event.version, event.title, event.run_id, event.reason)
        yield event.at, event.kind, event.label, *facts
    for page in found.gone:
        run = found.run.run if found.run else None
        yield (
            page.left_at,
            "gone",
            run and run.label,
            page.place.url,
            None,
            page.title,
            run and run.run_id,
            "",
        )


@log.form("atom", "a feed, with the differences", differences=True)
def _atom(found: TargetLog, say: Saying) -> Iterator[Line]:
    updated = max((event.at for event in found.changes), default=datetime.fromtimestamp(0, UTC))
    entries = map(questions.log.log_forms.event_entry, found.changes)
    yield "".join(questions.log.log_forms.atom_feed(_name(found, say), entries, updated)).encode()


@log.form("json-feed", "the same as a JSON Feed", differences=True)
def _json_feed(found: TargetLog, say: Saying) -> Iterator[Line]:
    yield questions.log.log_forms.json_feed(
        _name(found, say), map(questions.log.log_forms.event_entry, found.changes)
    ).encode()


@log.form("html", "a page to read, with the differences", differences=True)
def _html(found: TargetLog, say: Saying) -> Iterator[Line]:
    page = questions.log.compare.html_page
    title = (
        questions.log.log_forms.run_title(found.run) if found.run else f"What happened: {_name(found, say)}"
    )
    yield "".join(page(title, questions.log.log_forms.log_html(found))).encode()


def _name(found: TargetLog, say: Saying) -> str:
    """What a feed is called: by its page, its mirror's folder, or the folder that has the store."""
    if found.page is not None:
        return found.page.url
    labels = {event.label for event in found.changes if event.label}
    (label,) = labels if len(labels) == 1 else (".",)
    return say.folder if label == "." else label.rpartition("/")[2]


@log.tool(
    "What happened, the latest first: in a mirror, to a page (its versions), on a host, to what a document "
    "cites, in a run; without `target` all that is kept. `since` and `until` are dates, or `7d`. Then use "
    "`diff`."
)
def _for_agents(answer: StoreAnswers[TargetLog]) -> dict[str, Any]:
    rows = [_row(part.store, event) for part in answer.parts for event in part.value.changes]
    return {"changes": rows, "more": answer.next is not None}


def _row(store: str, event: Occurrence) -> dict[str, Any]:
    moved = event.page.moved if event.page else ()
    return {
        "store": store,
        "mirror": event.label or None,
        "kind": event.kind,
        "url": event.url,
        "title": harmless(event.title),
        "version": event.version,
        "sections": [move.section.anchor or " › ".join(move.section.path) for move in moved],
        "cited_at": [f"{one.document}:{one.line}" for one in event.citations],
        "seen_at": event.at.astimezone(UTC).isoformat(timespec="seconds"),
        "run": event.run_id[:12],
        "reason": harmless(facts_of(event)) or None,
    }
