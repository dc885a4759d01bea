"""One run of tracking that asks: everything that is due, twice where it failed; what it found is recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from typing import Final, NamedTuple

from holdfast.core.capture import Outcome
from holdfast.core.citation import Backlink, Citation, CitedPlace, LedgerEvent
from holdfast.core.citing import new_place
from holdfast.core.errors import FailedError
from holdfast.core.event_kind import EventKind
from holdfast.core.hashing import UrlKey, id_of
from holdfast.core.ledger import RunStatus
from holdfast.core.lineage import Job, Run
from holdfast.core.run_tally import RunTally
from holdfast.jobs.track import Tracker
from holdfast.jobs.track.asking import Answered, Asking
from holdfast.jobs.track.pages import PageInputs, WithPages
from holdfast.jobs.track.recording import CitedReading, Recorder
from holdfast.ports import Distiller, Event, Fetcher, Scribe
from holdfast.questions.track.options import Pacing, TrackOptions
from holdfast.questions.track.planning import Cited, LinkAsk, TrackPlan, make_plan, second_looks
from holdfast.questions.track.read_report import DocumentProblem, ReadDocument
from holdfast.questions.track.result import TrackResult

__all__ = ["OpenScribe", "TrackRun", "citing_anew"]

_MANY_ASKS: Final = 1_000
OpenScribe = Callable[[], Scribe]
"""Opens the owner of ledger and archive for as long as answers are recorded."""


class PageVisit(NamedTuple):
    """A look at pages that are read as documents: how they are asked, and who takes what they say."""

    options: TrackOptions
    take: Callable[[LinkAsk, Outcome], None]


class TrackRun:
    """One run that asks. Large pages go to the distiller, where there is one."""

    def __init__(
        self,
        tracker: Tracker,
        open_scribe: OpenScribe,
        fetcher: Fetcher,
        distiller: Distiller | None = None,
    ) -> None:
        self._tracker = tracker
        self._open_scribe = open_scribe
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
        key, keeper, options = citation.place.web_key, self._tracker.keeper, self._tracker.options
        known = keeper.now(lambda ledger, _: ledger.citations.place(key))
        backlinks = keeper.now(lambda ledger, _: list(ledger.citations.backlinks(key)))
        entry = Cited(known or new_place(citation), is_new=known is None)
        entry.backlinks += [Backlink("", citation), *backlinks]
        looks, now = replace(options.looks, force=True), self._tracker.clock.now()
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
            self._tracker.observer.notice(Event("outlook", (("outlook", outlook),)))

    async def _ask(
        self,
        plan: TrackPlan,
        cited: dict[UrlKey, Cited],
        visit: PageVisit | None = None,
        fresh: Sequence[ReadDocument] = (),
    ) -> tuple[LedgerEvent, ...]:
        tracker, run = self._tracker, self._new_run()
        tracker.keeper.now(lambda ledger, _: ledger.runs.begin_run(run, tracker.options.owed_to))
        scribe = self._open_scribe()
        recorder = self._recorder(scribe, run, len(plan.asks))
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
                scribe.close()
                self._asking = None
            if status is not RunStatus.FINISHED:
                self._note_end(run, status, states)
                tracker.chart(cited)
        self._note_end(run, status, states)
        return tuple(recorder.events)

    def _asking_of(self, options: TrackOptions, answered: Answered) -> Asking:
        return Asking(
            self._fetcher,
            self._tracker.clock,
            options.asking.pacing,
            options.asking.rules,
            answered,
            obey_robots=options.asking.obey_robots,
            headers=options.looks.headers,
        )

    def _note_end(self, run: Run, status: RunStatus, states: Counter[str]) -> None:
        keeper, now, tally = self._tracker.keeper, self._tracker.clock.now(), RunTally(dict(states))
        if status is RunStatus.FINISHED:
            keeper.now(lambda ledger, _: ledger.runs.end_run(run.run_id, now, tally))
        else:
            keeper.now(lambda ledger, _: ledger.runs.update_run(run.run_id, status, now, tally))

    async def _look_twice(self, asking: Asking, plan: TrackPlan, cited: dict[UrlKey, Cited]) -> None:
        """Ask everything; and what failed once more, if that is wished, after a while that its kind needs."""
        looks, clock = self._tracker.options.looks, self._tracker.clock
        self._total = len(plan.asks)
        await asking.ask(plan.asks)
        if not looks.confirm:
            return
        for ready_at, asks in second_looks(plan.asks, cited, eager=looks.eager):
            self._total += len(asks)
            await clock.sleep(max((ready_at - clock.now()).total_seconds(), 0.0))
            await asking.ask(asks)

    def _recorder(self, scribe: Scribe, run: Run, asks: int) -> Recorder:
        options = self._tracker.options
        reading = CitedReading(options.distill, self._distiller, _read_here(asks), options.looks)
        return Recorder(scribe, self._tracker.clock, run, reading)

    def _new_run(self) -> Run:
        tracker, now = self._tracker, self._tracker.clock.now()
        label = tracker.options.label
        run_id = id_of("run", Job.TRACK, label, now.isoformat())
        return Run(run_id, Job.TRACK, tracker.recipe, tracker.standard.digest, now, label)

    def _tell(self, node: CitedPlace, done: int) -> None:
        facts = (("url", node.place.url), ("state", node.state), ("done", done), ("total", self._total))
        self._tracker.observer.notice(Event("answered", facts))


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
