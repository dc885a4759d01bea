"""Runs: what each found, its changed pages one after another to read through; changes; and search.

A search shows the sections that say something, as `holdfast search` finds them, in its order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from holdfast.core.base.difference import Piece
from holdfast.core.base.errors import HoldfastError
from holdfast.core.events.happenings import Occurrence
from holdfast.core.lineage.lineage import Job, RunRecord
from holdfast.core.page.section import SectionKind, section_kind
from holdfast.core.targets.command_target import CommandTarget, TargetKind
from holdfast.faces.web.page_pages import diff_page
from holdfast.faces.web.request import (
    PageRequest,
    Redirect,
    Responder,
    ShownPage,
    asked_limit,
    asked_moment,
    feed_of,
    is_for_programs,
    row_page,
)
from holdfast.faces.web.shown import address, day
from holdfast.jobs.mirror.summary import what_to_do
from holdfast.questions.log.log import TargetLog, log, run_log
from holdfast.questions.log.log_forms import event_entry, run_entries
from holdfast.questions.log.mirror_log import with_diff
from holdfast.questions.log.page_as_of import up_to
from holdfast.questions.log.page_diffs import versions_compared
from holdfast.questions.log.page_log import history
from holdfast.questions.log.runs import outcome_in_words
from holdfast.questions.search import SearchEverywhere, SearchResults, StateResults
from holdfast.questions.status import RunsWanted

if TYPE_CHECKING:
    from holdfast.questions.reader import Reader


_FEED = 30
_ROWS = 25
"""Changes of a run that are listed at a time: each is shown with its first words that differ."""
_LATER = 50
"""Runs among which the next one to read is looked for."""


def runs(ask: PageRequest) -> ShownPage:
    """The runs of a store, the latest first."""
    job, label = ask.text("job"), ask.text("label")
    found = ask.reader.parts.runs(_wanted(ask), ask.text("after"), ask.limit)
    return row_page(
        ask,
        "runs.html",
        "runs",
        found,
        "Runs",
        moment=ask.moment,
        folder=ask.source.root.name,
        job=job,
        label=label,
        outcome=lambda record: outcome_in_words(record, ask.brought(record)),
        feed=address("s", ask.name, "runs.atom", label=label, job=job),
    )


def runs_feed(ask: PageRequest) -> Response:
    """The runs that are over, as a feed: Atom, or JSON."""
    folder, here = ask.source.root.name, str(ask.request.base_url).rstrip("/")
    found = [(run, ask.brought(run)) for run in ask.reader.parts.runs(_wanted(ask), limit=_FEED).runs]
    entries = run_entries(found, folder, lambda run_id: here + address("s", ask.name, "runs", run_id))
    return feed_of(ask, f"{folder}: runs", entries)


def _wanted(ask: PageRequest) -> RunsWanted:
    job, label = ask.text("job"), ask.text("label")
    return RunsWanted(label or None, Job(job) if job in set(Job) else None, ask.moment)


def run(ask: PageRequest) -> ShownPage:
    """What a run brought."""
    named = ask.reader.run(ask.request.path_params["run"])
    brought = ask.brought(named) if named.run.job is Job.MIRROR else None
    number = ask.limit if ask.text("limit") else _ROWS
    found = ask.reader.ask(run_log, run=named, limit=number, from_=ask.text("after"), counted=brought)
    changes = tuple(ask.reader.ask(with_diff, event=event) for event in found.changes)
    return row_page(
        ask,
        "run.html",
        "log",
        replace(found, changes=changes),
        _title(ask, named, found),
        after=ask.text("after"),
        counts=dict(named.tally.counts),
        excerpt=excerpt,
        what_to_do=what_to_do,
    )


def _title(ask: PageRequest, named: RunRecord, found: TargetLog) -> str:
    record, brought = named.run, found.brought
    label = ask.source.root.name if record.label == "." else record.label
    title = f"{record.job.capitalize()} of {label}, {day(record.started_at)}"
    if brought is None:
        return title
    counts = {"changed": brought.changed, "new": brought.new, "gone": len(found.gone)}
    said = ", ".join(f"{number:,} {word}" for word, number in counts.items() if number)
    return f"{title}: {said}" if said else title


def excerpt(event: Occurrence) -> tuple[str, str]:
    """The first words that went, and that came, with a change; empty where there are none."""
    lines = [line for hunk in event.page.hunks for line in hunk.lines] if event.page else []
    first = {mark: text.strip() for mark, text in reversed(lines) if mark != " " and text.strip()}
    return first.get("-", ""), first.get("+", "")


def read(ask: PageRequest) -> ShownPage | Redirect:
    """The next changed page of a run, and the way to the one after it."""
    name = ask.request.path_params["run"]
    run = ask.reader.run(name)
    brought = ask.brought(run)
    change = ask.reader.parts.next_change(name, ask.text("after"), brought)
    if change is None or change.before is None:
        return Redirect(address("s", ask.name, "runs", name, read_="all"))
    capture = change.now.capture.capture_id
    found = ask.reader.ask(
        versions_compared, url=change.url, old=str(change.before.number), new=str(change.now.number)
    )
    known = ask.reader.ask(history, url=change.url)
    following = ask.reader.parts.next_change(name, capture, brought)
    where = address("s", ask.name, "runs", name, "read", after=capture) if following else None
    more = {
        "later": None if following else _next_to_read(ask, run),
        "known": known,
        "compared": found,
        "url": change.url,
        "live": change.url,
        "run": run,
        "following": where,
    }
    title = f"{change.title or change.url}: changed"
    return diff_page(ask, found, title, more)


def _next_to_read(ask: PageRequest, run: RunRecord) -> str | None:
    """The next run of a mirror that found something changed."""
    latest_first = ask.reader.parts.runs(RunsWanted(job=Job.MIRROR), limit=_LATER).runs
    later = takewhile(lambda each: each.run.run_id != run.run.run_id, latest_first)
    for one in reversed(list(later)):
        if ask.brought(one).changed:
            return address("s", ask.name, "runs", one.run.run_id, "read")
    return None


def changes(ask: PageRequest) -> ShownPage:
    """What came, changed and went in a mirror, the latest first."""
    label = _label(ask)
    found = _changes(ask, label, ask.limit, ask.text("after"))
    return row_page(
        ask,
        "changes.html",
        "log",
        found,
        "What changed",
        feed=address("s", ask.name, "changes.atom", label=label),
        label=label,
        folder=ask.source.root.name,
        moment=ask.moment,
    )


def _changes(ask: PageRequest, label: str, limit: int, after: str = "", **more: bool) -> TargetLog:
    target = CommandTarget(TargetKind.MIRROR, label)
    return ask.reader.ask(log, target=target, until=up_to(ask.moment), limit=limit, from_=after, **more)


def _label(ask: PageRequest) -> str:
    if given := ask.text("label"):
        return given
    mirrors = ask.overview().mirrors
    return mirrors[0].label if mirrors else "."


def changes_feed(ask: PageRequest) -> Response:
    """The same as a feed: Atom, or JSON."""
    found = _changes(ask, _label(ask), _FEED, differences=True)
    return feed_of(ask, ask.source.root.name, [event_entry(event) for event in found.changes])


_HITS, _HERE = 30, 10
_ASKED = ("q", "site", "at", "kind", "limit")


class SearchWish(NamedTuple):
    """What is searched for; `day` is as it was written."""

    words: str
    site: str
    day: str
    kind: str
    limit: int

    @property
    def title(self) -> str:
        """What the page is called."""
        return f"Search: {self.words}" if self.words else "Search"

    def of(self, reader: Reader) -> SearchResults:
        """What a store answers; nothing, where there are no words yet."""
        site, at, kind = (
            self.site or None,
            asked_moment(self.day),
            section_kind(self.kind) if self.kind else None,
        )
        if not self.words:
            return SearchResults("", (), site, at, kind)
        return reader.search(self.words, site=site, at=at, kind=kind, limit=self.limit)

    def shown(self) -> dict[str, Any]:
        """What the page shows of it, and as what."""
        asked = {"q": self.words, "site": self.site, "at": self.day, "kind": self.kind}
        return {**asked, "kinds": tuple(SectionKind), "marked": _marked, "most": self.limit}


def _wish(request: Request, number: int) -> SearchWish:
    words, site, day, kind = (
        request.query_params.get(name, "").strip() for name in ("q", "site", "at", "kind")
    )
    return SearchWish(words[:400], site, day, kind, asked_limit(request, number))


def search(ask: PageRequest) -> ShownPage:
    """What was found, the best first."""
    wish = _wish(ask.request, _HITS)
    return ShownPage("search.html", "search", wish.of(ask.reader), wish.title, wish.shown())


def everywhere(responder: Responder) -> Callable[[Request], Response]:
    """A search of every store, one after the other; of a single one its own page."""

    def answer(request: Request) -> Response:
        as_json = is_for_programs(request)
        if len(responder.sources) == 1 and not as_json:
            asked = {name: request.query_params.get(name) for name in _ASKED}
            where = address("s", responder.sources[0].name, "search", **asked)
            return responder.respond(request, Redirect(where), as_json=False)
        try:
            wish = _wish(request, _HERE)
            found = []
            for source in responder.sources:
                with source.open() as reader:
                    found.append(StateResults(source.name, wish.of(reader)))
        except HoldfastError as error:
            return responder.say_error(request, error, as_json=as_json)
        first = found[0].results
        everything = SearchEverywhere(wish.words, tuple(found), first.site, first.at, first.kind)
        shown = ShownPage("everywhere.html", "search-everywhere", everything, wish.title, wish.shown())
        return responder.respond(request, shown, as_json=as_json)

    return answer


def _marked(text: str, marks: tuple[tuple[int, int], ...]) -> tuple[Piece, ...]:
    """A passage in pieces: the words that were asked for, and what is around them."""
    pieces, at = [], 0
    for first, last in marks:
        pieces += [Piece(text[at:first]), Piece(text[first:last], is_changed=True)]
        at = last
    return (*pieces, Piece(text[at:]))
