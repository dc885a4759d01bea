"""Track: read the documents, ask what they cite, tell what changed or died. The order of steps, no decisions.

    1  read       what changed in the documents, into the ledger          reading
    2  survey     what is cited, and what of it is due                     planning
    3  ask        only in `run`, which takes a fetcher                     asking, recording
    4  read again the documents that cite what changed, or lost a section  reading
    5  write      the manifests that would not be the same bytes           manifests
    6  report     by state, with the citing lines of what changed or died

The fetcher is the consent: `plan` and `report` take none, start no event loop and open no socket (TRK-1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Final

from holdfast.core.capture import Outcome
from holdfast.core.citation import Backlink, Citation, CitedPlace, LedgerEvent
from holdfast.core.citing import new_place
from holdfast.core.crawl.standard import Standard
from holdfast.core.distill_options import DistillOptions
from holdfast.core.event_kind import EventKind
from holdfast.core.hashing import UrlKey, id_of
from holdfast.core.ledger import RunStatus
from holdfast.core.lineage import Job, Run
from holdfast.core.recipe import Recipe
from holdfast.core.report import in_order
from holdfast.jobs.track.facts import LedgerFacts
from holdfast.jobs.track.local import LocalChecker
from holdfast.jobs.track.manifests import write_manifests
from holdfast.jobs.track.options import TrackOptions, TrackRequest
from holdfast.jobs.track.planning import (
    Cited,
    LinkAsk,
    TrackPlan,
    chart,
    make_plan,
    second_looks,
    survey,
    take_told,
)
from holdfast.jobs.track.reading import DocumentReader, ReadReport
from holdfast.jobs.track.reporting import Reporter
from holdfast.jobs.track.result import TrackResult
from holdfast.ports import (
    Clock,
    Distiller,
    Documents,
    Event,
    Fetcher,
    Ledger,
    Observer,
    Scribe,
)

if TYPE_CHECKING:
    from holdfast.jobs.track.asking import Asking
    from holdfast.jobs.track.recording import Recorder


__all__ = ["Cited", "TrackOptions", "TrackPlan", "TrackRequest", "TrackResult", "Tracker"]

_MANY_ASKS: Final = 1_000
OpenScribe = Callable[[], Scribe]
"""Opens the owner of ledger and archive for as long as answers are recorded."""


class Tracker:
    """One run of tracking."""

    def __init__(
        self,
        documents: Documents,
        ledger: Ledger,
        open_scribe: OpenScribe,
        clock: Clock,
        standard: Standard,
        observer: Observer,
        options: TrackOptions,
    ) -> None:
        self._documents = documents
        self._ledger = ledger
        self._open_scribe = open_scribe
        self._clock = clock
        self._standard = standard
        self._observer = observer
        self._options = options
        self._asking: Asking | None = None
        self._total = 0

    def plan(self) -> tuple[ReadReport, TrackPlan]:
        """Read the documents, and say what would be asked."""
        report = self._reader().read(self._options.scope)
        cited = self._survey(report)
        chart(cited, self._ledger.citations)
        return report, self._make_plan(cited)

    @property
    def recipe(self) -> Recipe:
        """What a revision is made by."""
        return self._standard.recipe

    @property
    def distill_options(self) -> DistillOptions:
        """How cited pages are read."""
        return self._options.distill

    def report(self) -> TrackResult:
        """What is known, without asking: the documents as they are now, the URLs as they were last."""
        report = self._reader().read(self._options.scope)
        cited = self._survey(report)
        chart(cited, self._ledger.citations)
        return self._result(report, self._make_plan(cited), cited, asked=0)

    async def run(self, fetcher: Fetcher, distiller: Distiller | None = None) -> TrackResult:
        """Everything: read, ask what is due, report. Large pages go to the distiller, where there is one."""
        report = self._reader().read(self._options.scope)
        cited = self._survey(report)
        plan = self._make_plan(cited)
        events: tuple[LedgerEvent, ...] = ()
        if plan.asks:
            events = await self._ask(plan, cited, fetcher, distiller)
            if self._read_again(plan.asks, cited, events):
                cited = self._survey(report)
        chart(cited, self._ledger.citations)
        return self._result(report, plan, cited, asked=len(plan.asks), events=events)

    async def ask(self, citation: Citation, fetcher: Fetcher) -> CitedPlace | None:
        """Ask one URL now, whoever cites it; None where a rule keeps it from being asked. Documents that are
        on record for it are read again.
        """
        key = citation.place.web_key
        known = self._ledger.citations.place(key)
        entry = Cited(known or new_place(citation), is_new=known is None)
        entry.backlinks += [Backlink("", citation), *self._ledger.citations.backlinks(key)]
        options, looks = self._options, replace(self._options.looks, force=True)
        plan = make_plan([entry], options.rules, self._clock.now(), options.ttl, looks)
        if not plan.asks:
            return None
        await self._ask(plan, {key: entry}, fetcher, None)
        paths = {backlink.document for backlink in entry.backlinks if backlink.document}
        if paths:
            self._reader().read(sorted(paths), again=paths)
        return entry.node

    def _result(
        self,
        report: ReadReport,
        plan: TrackPlan,
        cited: dict[UrlKey, Cited],
        *,
        asked: int,
        events: tuple[LedgerEvent, ...] = (),
    ) -> TrackResult:
        manifests: tuple[str, ...] = ()
        if self._options.manifests and not self._options.passing:
            manifests = write_manifests(
                self._documents, report.paths, cited.values(), self._options.manifest_format
            )
        options = self._options
        result = TrackResult(
            report,
            plan,
            tuple(cited.values()),
            asked,
            events,
            manifests,
            options.looks.eager,
            options.is_whole,
        )
        policy = self._standard.web
        facts = LedgerFacts(self._ledger, policy)
        is_light = options.looks.light and asked > 0
        told = Reporter(facts, policy, options.rules, is_light).report(result)
        if options.local is not None:
            local = LocalChecker(self._documents, options.local, self._clock.now().date())
            told = replace(
                told, findings=in_order([*told.findings, *local.findings(report.paths, report.local)])
            )
        if options.passing:
            self._ledger.citations.drop_documents(options.passing)
        return replace(result, report=told)

    def _reader(self) -> DocumentReader:
        now = self._clock.now()
        return DocumentReader(
            self._documents, self._ledger.citations, self._standard.web, now, self._options.local
        )

    def _survey(self, report: ReadReport) -> dict[UrlKey, Cited]:
        cited = survey(self._ledger.citations, None if self._options.is_whole else report.paths)
        take_told(cited, self._options.told, self._standard.web)
        return cited

    def _make_plan(self, cited: dict[UrlKey, Cited]) -> TrackPlan:
        options = self._options
        entries = [entry for entry in cited.values() if entry.is_touched(options.touched)]
        return make_plan(entries, options.rules, self._clock.now(), options.ttl, options.looks)

    async def _ask(
        self, plan: TrackPlan, cited: dict[UrlKey, Cited], fetcher: Fetcher, distiller: Distiller | None
    ) -> tuple[LedgerEvent, ...]:
        # lazy: only who asks needs an event loop, the thread that commits, and the HTML parser
        from holdfast.jobs.track.asking import Asking  # noqa: PLC0415

        options, run = self._options, self._new_run()
        self._ledger.runs.begin_run(run)
        scribe = self._open_scribe()
        recorder = self._recorder(scribe, run, len(plan.asks), distiller)
        states: Counter[str] = Counter()
        done = count(1)

        async def answered(ask: LinkAsk, outcome: Outcome) -> None:
            node = await recorder.take(ask, outcome)
            entry = cited[node.place.web_key]
            entry.node, entry.is_new = node, False
            states[node.state] += 1
            self._tell(node, next(done), self._total)

        self._asking = Asking(
            fetcher, self._clock, options.pacing, options.rules, answered, obey_robots=options.obey_robots
        )
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
                self._ledger.runs.update_run(run.run_id, status, self._clock.now(), dict(states))
                chart(cited, self._ledger.citations)
        self._ledger.runs.end_run(run.run_id, self._clock.now(), dict(states))
        return tuple(recorder.events)

    async def _look_twice(self, asking: Asking, plan: TrackPlan, cited: dict[UrlKey, Cited]) -> None:
        """Ask everything; and what failed once more, if that is wished, after a while that its kind needs."""
        self._total = len(plan.asks)
        await asking.ask(plan.asks)
        if not self._options.looks.confirm:
            return
        for ready_at, asks in second_looks(plan.asks, cited, eager=self._options.looks.eager):
            self._total += len(asks)
            await self._clock.sleep(max((ready_at - self._clock.now()).total_seconds(), 0.0))
            await asking.ask(asks)

    def _recorder(self, scribe: Scribe, run: Run, asks: int, distiller: Distiller | None) -> Recorder:
        # lazy: as above
        from holdfast.jobs.track.recording import CitedReading, Recorder  # noqa: PLC0415

        reading = CitedReading(self._options.distill, distiller, _read_here(asks), self._options.looks)
        return Recorder(scribe, self._clock, run, reading)

    def _new_run(self) -> Run:
        now = self._clock.now()
        run_id = id_of("run", Job.TRACK, self._options.label, now.isoformat())
        return Run(run_id, Job.TRACK, self.recipe, self._standard.digest, now, self._options.label)

    def _tell(self, node: CitedPlace, done: int, total: int) -> None:
        facts = (("url", node.place.url), ("state", node.state), ("done", done), ("total", total))
        self._observer.notice(Event("answered", facts))

    def tell_outlook(self) -> None:
        """Tell what is left of the run and what it waits for, while it asks."""
        outlook = self._asking.outlook() if self._asking is not None else None
        if outlook is not None and outlook.left:
            self._observer.notice(Event("outlook", (("outlook", outlook),)))

    def _read_again(
        self, asks: Sequence[LinkAsk], cited: dict[UrlKey, Cited], events: Sequence[LedgerEvent]
    ) -> bool:
        """Parse again what cites a changed URL, or a section that was looked for (TRK-7); whether any did."""
        keys = {event.place.web_key for event in events if event.kind is EventKind.CHANGED}
        keys |= {ask.node.place.web_key for ask in asks if ask.fragments}
        paths = {backlink.document for key in keys for backlink in cited[key].backlinks}
        if paths:
            self._reader().read(sorted(paths), again=paths)
        return bool(paths)


def _read_here(asks: int) -> int:
    """Up to what size pages are read by the process that asks: it has time if it asks for few.

    A worker takes a third of a second to start, and saves two thirds of what reading a page takes.
    """
    return 64 * 1024 if asks < _MANY_ASKS else 256
