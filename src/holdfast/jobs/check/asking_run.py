"""One run of tracking that asks, alone or shared: all that is due, twice what failed; findings are kept.

1. A run that asks takes a fetcher, workers that read pages, and a scribe that keeps what was found.
2. Where others ask the URLs of a run, the documents are read and told of here, and the answers come by way
   of the ledger. What is found is what one process finds: places are independent of each other, and a host
   is asked by one worker.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import count
from typing import TYPE_CHECKING, Final, NamedTuple

from holdfast.adapters.ports import Distiller, Event, Fetcher
from holdfast.adapters.workers.distillery import Distillery
from holdfast.core.base.errors import FailedError
from holdfast.core.base.hashing import UrlKey, id_of
from holdfast.core.lineage.event_kind import EventKind
from holdfast.core.lineage.lineage import Job, Run, RunStatus, RunTally
from holdfast.core.lineage.shared_jobs import shard_of
from holdfast.core.links.citation import Backlink, Citation, CitedPlace, LedgerEvent
from holdfast.core.links.citing import new_place
from holdfast.core.settings.resolve import Settings
from holdfast.core.web.capture import Outcome
from holdfast.jobs.check.asking import Answered, Asking
from holdfast.jobs.check.cited_pages import PageInputs, WithPages
from holdfast.jobs.check.options import Pacing, TrackOptions, manner_of
from holdfast.jobs.check.planning import Cited, LinkAsk, TrackPlan, make_plan, second_looks
from holdfast.jobs.check.recording import CitedReading, Recorder
from holdfast.jobs.web_door import make_fetcher

if TYPE_CHECKING:
    from holdfast.jobs.check.check import Tracker
    from holdfast.jobs.check.check_result import TrackResult
    from holdfast.jobs.check.read_report import DocumentProblem, ReadDocument

_MANY_ASKS: Final = 1_000


class PageVisit(NamedTuple):
    """A look at pages that are read as documents: how they are asked, and who takes what they say."""

    options: TrackOptions
    take: Callable[[LinkAsk, Outcome], None]


class TrackRun:
    """One run that asks. Large pages go to the distiller, where there is one."""

    def __init__(
        self,
        tracker: Tracker,
        fetcher: Fetcher,
        distiller: Distiller | None = None,
    ) -> None:
        self._tracker = tracker
        self._fetcher = fetcher
        self._distiller = distiller
        self._asking: Asking | None = None
        self._total = 0

    async def run(self) -> TrackResult:
        """Everything: read, ask what is due, report."""
        problems = await self._read_pages()
        tracker = self._tracker
        report, fresh = tracker.read_ahead()
        report = replace(report, problems=(*report.problems, *problems))
        cited = tracker.survey(report, fresh)
        plan = tracker.make_plan(cited)
        events: tuple[LedgerEvent, ...] = ()
        if not plan.asks:
            tracker.write(fresh)
        else:
            events = await self._ask(plan, cited, fresh=fresh)
            paths = citing_anew(plan.asks, cited, events)
            tracker.read_again(paths)
            if paths:
                cited = tracker.survey(report)
        tracker.chart(cited)
        return tracker.result(report, plan, cited, asked=len(plan.asks), events=events)

    async def _read_pages(self) -> tuple[DocumentProblem, ...]:
        """Read the pages and sitemaps that were named, if any were: from here on they are documents. Returned
        is what could not be read.
        """
        tracker, options = self._tracker, self._tracker.options
        if options.pages is None:
            return ()
        reading, wish = options.reading, options.pages
        inputs = PageInputs(wish.urls, tracker.standard.web)
        pacing = Pacing(options.asking.pacing.at_a_time, wish.manner)
        asking = replace(options.asking, pacing=pacing, obey_robots=wish.obey_robots)
        while asks := inputs.asks():
            cited = {ask.node.place.web_key: Cited(ask.node, is_new=True) for ask in asks}
            await self._ask(
                TrackPlan(tuple(asks), (), 0), cited, PageVisit(replace(options, asking=asking), inputs.take)
            )
        if not inputs.documents and not reading.scope:
            raise FailedError("; ".join(f"{each.path}: {each.message}" for each in inputs.problems[:3]))
        names = tuple(inputs.documents)
        self._tracker = replace(
            tracker,
            documents=WithPages(tracker.documents, inputs.documents),
            options=replace(
                options,
                reading=replace(
                    reading,
                    scope=(*reading.scope, *names),
                    passing=(*reading.passing, *names),
                    page_bases=inputs.bases,
                ),
            ),
        )
        return inputs.problems

    async def ask(self, citation: Citation) -> CitedPlace | None:
        """Ask one URL now, whoever cites it; None where a rule keeps it from being asked. Documents that are
        on record for it are read again.
        """
        key, session, options = citation.place.web_key, self._tracker.session, self._tracker.options
        known = session.now(lambda ledger, _: ledger.citations.place(key))
        backlinks = session.now(lambda ledger, _: list(ledger.citations.backlinks(key)))
        entry = Cited(known or new_place(citation), is_new=known is None)
        entry.backlinks += [Backlink("", citation), *backlinks]
        looks, now = replace(options.looks, force=True), self._tracker.session.clock.now()
        plan = make_plan([entry], options.asking.rules, now, options.asking.ttl, looks)
        if not plan.asks:
            return None
        await self._ask(plan, {key: entry})
        self._tracker.read_again({backlink.document for backlink in entry.backlinks if backlink.document})
        return entry.node

    async def ask_planned(self, plan: TrackPlan, cited: dict[UrlKey, Cited]) -> None:
        """Ask what is planned, for whoever reads the documents and tells of it."""
        if plan.asks:
            await self._ask(plan, cited)

    def tell_outlook(self) -> None:
        """Tell what is left of the run and what it waits for, while it asks."""
        outlook = self._asking.outlook() if self._asking is not None else None
        if outlook is not None and outlook.left:
            self._tracker.session.observer.notice(Event("outlook", (("outlook", outlook),)))

    async def _ask(
        self,
        plan: TrackPlan,
        cited: dict[UrlKey, Cited],
        visit: PageVisit | None = None,
        fresh: Sequence[ReadDocument] = (),
    ) -> tuple[LedgerEvent, ...]:
        tracker, run = self._tracker, self._new_run()
        tracker.session.now(lambda ledger, _: ledger.runs.begin_run(run, tracker.options.owed_to))
        recorder = self._recorder(run, len(plan.asks))
        recorder.begin(fresh)
        states: Counter[str] = Counter()
        done = count(1)

        async def answered(ask: LinkAsk, outcome: Outcome) -> None:
            node = await recorder.take(ask, outcome)
            entry = cited[node.place.web_key]
            entry.node, entry.is_new = node, False
            states[node.state] += 1
            self._tell(node, next(done))
            if visit is not None:
                visit.take(ask, outcome)

        self._asking = self._asking_of(visit.options if visit else tracker.options, answered)
        status = RunStatus.INTERRUPTED
        try:
            await self._look_twice(self._asking, plan, cited)
            status = RunStatus.FINISHED
        finally:
            try:
                await recorder.close()
            finally:
                tracker.session.end_scribe()
                self._asking = None
            if status is not RunStatus.FINISHED:
                self._note_end(run, status, states)
                tracker.chart(cited)
        self._note_end(run, status, states)
        return tuple(recorder.events)

    def _asking_of(self, options: TrackOptions, answered: Answered) -> Asking:
        return Asking(
            self._fetcher,
            self._tracker.session.clock,
            options.asking.pacing,
            options.asking.rules,
            answered,
            obey_robots=options.asking.obey_robots,
            headers=options.looks.headers,
        )

    def _note_end(self, run: Run, status: RunStatus, states: Counter[str]) -> None:
        session, tally = self._tracker.session, RunTally(dict(states))
        now = session.clock.now()
        if status is RunStatus.FINISHED:
            session.now(lambda ledger, _: ledger.runs.end_run(run.run_id, now, tally))
        else:
            session.now(lambda ledger, _: ledger.runs.update_run(run.run_id, status, now, tally))

    async def _look_twice(self, asking: Asking, plan: TrackPlan, cited: dict[UrlKey, Cited]) -> None:
        """Ask everything; and what failed once more, if that is wished, after a while that its kind needs."""
        looks, clock = self._tracker.options.looks, self._tracker.session.clock
        self._total = len(plan.asks)
        await asking.ask(plan.asks)
        if not looks.confirm:
            return
        for ready_at, asks in second_looks(plan.asks, cited, eager=looks.eager):
            self._total += len(asks)
            await clock.sleep(max((ready_at - clock.now()).total_seconds(), 0.0))
            await asking.ask(asks)

    def _recorder(self, run: Run, asks: int) -> Recorder:
        options, session = self._tracker.options, self._tracker.session
        reading = CitedReading(options.distill, self._distiller, _read_here(asks), options.looks)
        return Recorder(session.scribe, session.clock, run, reading)

    def _new_run(self) -> Run:
        tracker, now = self._tracker, self._tracker.session.clock.now()
        label = tracker.options.label
        run_id = id_of("run", Job.TRACK, label, now.isoformat())
        return Run(run_id, Job.TRACK, tracker.recipe, tracker.standard.digest, now, label)

    def _tell(self, node: CitedPlace, done: int) -> None:
        facts = (("url", node.place.url), ("state", node.state), ("done", done), ("total", self._total))
        self._tracker.session.observer.notice(Event("answered", facts))


def citing_anew(
    asks: Sequence[LinkAsk], cited: dict[UrlKey, Cited], events: Sequence[LedgerEvent]
) -> set[str]:
    """The documents that cite a changed URL, or a section that was looked for (TRK-7)."""
    keys = {event.place.web_key for event in events if event.kind is EventKind.CHANGED}
    keys |= {ask.node.place.web_key for ask in asks if ask.fragments}
    return {backlink.document for key in keys for backlink in cited[key].backlinks}


def _read_here(asks: int) -> int:
    """Up to what size pages are read by the process that asks: it has time if it asks for few.

    A worker takes a third of a second to start, and saves two thirds of what reading a page takes.
    """
    return 64 * 1024 if asks < _MANY_ASKS else 256


AskElsewhere = Callable[[TrackPlan, tuple[str, ...] | None], Awaitable[None]]
"""Has all that is planned asked, of what these documents cite (None: all of them), and waits for it."""
_CLOCKS_DIFFER: Final = timedelta(hours=1)
"""Workers have clocks of their own: an event may be older than the run it is of."""


async def track_shared(tracker: Tracker, ask: AskElsewhere) -> TrackResult:
    """Everything: read, have asked what is due, report."""
    report = tracker.read()
    cited = tracker.survey(report)
    tracker.chart(cited)
    plan = tracker.make_plan(cited)
    events: tuple[LedgerEvent, ...] = ()
    if plan.asks:
        before = {_name(event) for event in _recent(tracker)}
        await ask(plan, None if tracker.options.reading.is_whole else tuple(report.paths))
        events = tuple(event for event in _recent(tracker) if _name(event) not in before)
        cited = tracker.survey(report)
        paths = citing_anew(plan.asks, cited, events)
        tracker.read_again(paths)
        if paths:
            cited = tracker.survey(report)
    return tracker.result(report, plan, cited, asked=len(plan.asks), events=events)


def plan_of_shard(plan: TrackPlan, shard: int, of: int) -> TrackPlan:
    """What of a plan is asked by whoever has one of so many parts."""
    asks = tuple(ask for ask in plan.asks if shard_of(ask.url.host, of) == shard)
    return TrackPlan(asks, (), 0)


def _recent(tracker: Tracker) -> list[LedgerEvent]:
    since = tracker.session.clock.now() - _CLOCKS_DIFFER
    return tracker.session.now(lambda ledger, _: list(ledger.citations.events(since)))


def _name(event: LedgerEvent) -> tuple[object, ...]:
    return event.at, event.kind, event.place.key, event.old, event.new


_TELL_EVERY: Final = 5.0
"""Seconds between two accounts of what is left of a run."""


async def ask_one(
    tracker: Tracker, citation: Citation, settings: Settings, environment: Mapping[str, str]
) -> CitedPlace | None:
    """Ask one URL now; None where a rule keeps it from being asked."""
    fetcher = track_fetcher(settings, environment)
    try:
        return await TrackRun(tracker, fetcher).ask(citation)
    finally:
        await fetcher.close()


def track_fetcher(settings: Settings, environment: Mapping[str, str], named: Sequence[str] = ()) -> Fetcher:
    """The door for cited URLs, none of which the user named, and for pages that were (`named`). The tracker
    paces hosts and waits for them.
    """
    manner, pace = manner_of(settings), replace(settings.fetch.pace, max_slowdowns=0)
    if manner.adapts:
        pace = replace(pace, content_rate_limit=0.0, per_host=manner.width)
    fetch = replace(settings.fetch, pace=pace)
    return make_fetcher(replace(settings, fetch=fetch), environment=environment, named=named)


async def track_once(
    tracker: Tracker, settings: Settings, environment: Mapping[str, str], named: Sequence[str] = ()
) -> TrackResult:
    """One run of tracking that asks, with a door of its own."""

    async def keep_telling() -> None:
        while True:
            await asyncio.sleep(_TELL_EVERY)
            run.tell_outlook()

    fetcher = track_fetcher(settings, environment, named)
    spare = max((os.cpu_count() or 1) - 1, 1)  # this process asks and keeps, which takes a processor
    distiller = Distillery(tracker.recipe, tracker.distill_options, workers=min(spare, 4))
    run = TrackRun(tracker, fetcher, distiller)
    telling = asyncio.create_task(keep_telling())
    try:
        return await run.run()
    finally:
        telling.cancel()
        await fetcher.close()
        distiller.close()
