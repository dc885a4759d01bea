"""Track: read the documents, ask what they cite, tell what changed or died. The order of steps, no decisions.

    1  read       what changed in the documents, into the ledger          reading
    2  survey     what is cited, and what of it is due                     questions.track.planning
    3  ask        only in `run.TrackRun`, which takes a fetcher            run, asking, recording
    4  read again the documents that cite what changed, or lost a section  reading
    5  write      the manifests that would not be the same bytes           manifests
    6  report     by state, with the citing lines of what changed or died  questions.track.reporting

The fetcher is the consent: a `Tracker` takes none, starts no event loop and opens no socket (TRK-1).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from holdfast.core.citation import LedgerEvent
from holdfast.core.crawl.standard import Standard
from holdfast.core.distill_options import DistillOptions
from holdfast.core.hashing import UrlKey
from holdfast.core.recipe import Recipe
from holdfast.core.report import in_order
from holdfast.core.values import dataclass
from holdfast.jobs.track.local import LocalChecker
from holdfast.jobs.track.manifests import write_manifests
from holdfast.jobs.track.reading import DocumentReader
from holdfast.ports import Clock, Documents, Keeper, Observer
from holdfast.questions.track.facts import LedgerFacts
from holdfast.questions.track.options import TrackOptions, TrackRequest
from holdfast.questions.track.planning import Cited, TrackPlan, make_plan, survey, take_told
from holdfast.questions.track.read_report import ReadDocument, ReadReport
from holdfast.questions.track.reporting import Reporter
from holdfast.questions.track.result import TrackResult

__all__ = ["Cited", "TrackOptions", "TrackPlan", "TrackRequest", "TrackResult", "Tracker"]


@dataclass(frozen=True, slots=True)
class Tracker:
    """The documents of one run of tracking, and what is known of what they cite. It asks nobody."""

    documents: Documents
    keeper: Keeper
    clock: Clock
    standard: Standard
    observer: Observer
    options: TrackOptions

    def plan(self) -> tuple[ReadReport, TrackPlan]:
        """Read the documents, and say what would be asked."""
        report = self.read()
        cited = self.survey(report)
        self.chart(cited)
        return report, self.make_plan(cited)

    def report(self) -> TrackResult:
        """What is known, without asking: the documents as they are now, the URLs as they were last."""
        report = self.read()
        cited = self.survey(report)
        self.chart(cited)
        return self.result(report, self.make_plan(cited), cited, asked=0)

    @property
    def recipe(self) -> Recipe:
        """What a revision is made by."""
        return self.standard.recipe

    @property
    def distill_options(self) -> DistillOptions:
        """How cited pages are read."""
        return self.options.distill

    def read(self) -> ReadReport:
        """Read the documents of the scope into the ledger, as far as they changed."""
        return self._reader().read(self.options.reading.scope)

    def read_ahead(self) -> tuple[ReadReport, tuple[ReadDocument, ...]]:
        """Read the documents of the scope, as far as they changed; those are the caller's to write."""
        return self._reader().read_ahead(self.options.reading.scope)

    def write(self, fresh: Sequence[ReadDocument]) -> None:
        """Write what was read ahead."""
        if fresh:
            self.keeper.now(lambda ledger, _: ledger.citations.put_documents(fresh))

    def read_again(self, paths: Collection[str]) -> None:
        """Parse documents whether they changed or not: what is known of what they cite did (TRK-7)."""
        if paths:
            self._reader().read(sorted(paths), again=paths)

    def survey(self, report: ReadReport, fresh: Sequence[ReadDocument] = ()) -> dict[UrlKey, Cited]:
        """What is cited, and what is known of it; `fresh` is not written yet."""
        return self.survey_of(None if self.options.reading.is_whole else report.paths, fresh)

    def survey_of(
        self, paths: Collection[str] | None, fresh: Sequence[ReadDocument] = ()
    ) -> dict[UrlKey, Cited]:
        """What these documents cite (None: all that are known), and what is known of it."""
        cited = self.keeper.now(lambda ledger, _: survey(ledger.citations, paths, fresh))
        take_told(cited, self.options.told, self.standard.web)
        return cited

    def chart(self, cited: dict[UrlKey, Cited]) -> None:
        """Give new URLs their node."""
        new = [entry for entry in cited.values() if entry.is_new]
        if new:
            self.keeper.now(lambda ledger, _: ledger.citations.put_places([entry.node for entry in new]))
        for entry in new:
            entry.is_new = False

    def make_plan(self, cited: dict[UrlKey, Cited]) -> TrackPlan:
        """What of it is due."""
        options = self.options
        entries = [entry for entry in cited.values() if entry.is_touched(options.reading.touched)]
        return make_plan(entries, options.asking.rules, self.clock.now(), options.asking.ttl, options.looks)

    def result(
        self,
        report: ReadReport,
        plan: TrackPlan,
        cited: dict[UrlKey, Cited],
        *,
        asked: int,
        events: tuple[LedgerEvent, ...] = (),
    ) -> TrackResult:
        """Write the manifests, and tell."""
        options, policy, local = self.options, self.standard.web, self.options.reading.local
        manifests: tuple[str, ...] = ()
        if options.manifests and not options.reading.passing:
            form = options.manifest_format
            manifests = write_manifests(self.documents, report.paths, cited.values(), form)
        found = (
            tuple(cited.values()),
            asked,
            events,
            manifests,
            options.looks.eager,
            options.reading.is_whole,
        )
        result = TrackResult(report, plan, *found)
        is_light = options.looks.light and asked > 0
        reporter = Reporter(LedgerFacts(self.keeper, policy), policy, options.asking.rules, is_light)
        told = replace(reporter.report(result), made_at=self.clock.now())
        if local is not None:
            checker = LocalChecker(self.documents, local, self.clock.now().date())
            local_findings, not_judged = checker.findings(report.paths, report.local)
            findings = in_order([*told.findings, *local_findings])
            told = replace(told, findings=findings, not_judged=in_order(not_judged))
        if options.reading.passing:
            self.keeper.now(lambda ledger, _: ledger.citations.drop_documents(options.reading.passing))
        return replace(result, report=told)

    def _reader(self) -> DocumentReader:
        policy, now = self.standard.web, self.clock.now()
        return DocumentReader(self.documents, self.keeper, policy, now, self.options.reading)
