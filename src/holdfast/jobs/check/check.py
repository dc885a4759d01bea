"""Check: read documents, ask what they cite, tell what changed or died. The order of steps, no decisions.

    1  read       what changed in the documents, into the ledger          reading_documents
    2  survey     what is cited, and what of it is due                     planning
    3  ask        only in `TrackRun`, which takes a fetcher                asking_run, asking, recording
    4  read again the documents that cite what changed, or lost a section  reading_documents
    5  write      the manifests that would not be the same bytes           manifests
    6  report     by state, with the citing lines of what changed or died  check_result

The fetcher is the consent: a `Tracker` takes none, starts no event loop and opens no socket (TRK-1).
Nothing here can open one: what asks is in `jobs/check/asking_run`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.document_folder import DocumentFolder, Selection, name_under
from holdfast.adapters.git import revision_time as revision_time  # noqa: PLC0414 - faces reach the outside through jobs
from holdfast.adapters.git import touched_lines
from holdfast.adapters.ports import Documents, GivenDocument, Observer
from holdfast.adapters.programs import run_command as run_command  # noqa: PLC0414 - faces reach the outside through jobs
from holdfast.adapters.system import read_text
from holdfast.core.base.errors import UsageError
from holdfast.core.base.hashing import UrlKey
from holdfast.core.base.values import dataclass
from holdfast.core.crawl.making import standard_of
from holdfast.core.crawl.mirror_spec import Standard
from holdfast.core.documents.document_kinds import DocumentFormat, DocumentKinds, format_of
from holdfast.core.findings.cited_findings import TouchedLines
from holdfast.core.findings.report import in_order
from holdfast.core.importers.lychee import read_lycheecache
from holdfast.core.links.citation import LedgerEvent
from holdfast.core.links.local_links import LocalOptions
from holdfast.core.page.distill_options import DistillOptions
from holdfast.core.settings.resolve import Settings
from holdfast.core.url.policy import Component, Recipe, Version
from holdfast.jobs.check.check_result import Reporter, TrackResult
from holdfast.jobs.check.local import LocalChecker
from holdfast.jobs.check.manifests import write_manifests
from holdfast.jobs.check.options import TrackOptions, TrackRequest, track_options
from holdfast.jobs.check.planning import Cited, TrackPlan, make_plan, survey, take_told
from holdfast.jobs.check.reading_documents import DocumentReader
from holdfast.jobs.load_settings import baseline_path, setting_path, web_identity
from holdfast.jobs.places import has_ledger, named_state, notice
from holdfast.jobs.session import Session, open_store, store_in_memory
from holdfast.questions.fixes import LedgerFacts
from holdfast.storage.state_folder import STATE_NAME, find_root, states_below

if TYPE_CHECKING:
    from holdfast.jobs.check.read_report import ReadDocument, ReadReport


@dataclass(frozen=True, slots=True)
class Tracker:
    """The documents of one run of tracking, and what is known of what they cite. It asks nobody."""

    documents: Documents
    session: Session
    standard: Standard
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
            self.session.now(lambda ledger, _: ledger.citations.put_documents(fresh))

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
        cited = self.session.now(lambda ledger, _: survey(ledger.citations, paths, fresh))
        take_told(cited, self.options.told, self.standard.web)
        return cited

    def chart(self, cited: dict[UrlKey, Cited]) -> None:
        """Give new URLs their node."""
        new = [entry for entry in cited.values() if entry.is_new]
        if new:
            self.session.now(lambda ledger, _: ledger.citations.put_places([entry.node for entry in new]))
        for entry in new:
            entry.is_new = False

    def make_plan(self, cited: dict[UrlKey, Cited]) -> TrackPlan:
        """What of it is due."""
        options = self.options
        entries = [entry for entry in cited.values() if entry.is_touched(options.reading.touched)]
        return make_plan(
            entries, options.asking.rules, self.session.clock.now(), options.asking.ttl, options.looks
        )

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
        reporter = Reporter(LedgerFacts(self.session, policy), policy, options.asking.rules, is_light)
        told = replace(reporter.report(result), made_at=self.session.clock.now())
        if local is not None:
            checker = LocalChecker(self.documents, local, self.session.clock.now().date())
            local_findings, not_judged = checker.findings(report.paths, report.local)
            findings = in_order([*told.findings, *local_findings])
            told = replace(told, findings=findings, not_judged=in_order(not_judged))
        if options.reading.passing:
            self.session.now(lambda ledger, _: ledger.citations.drop_documents(options.reading.passing))
        return replace(result, report=told)

    def _reader(self) -> DocumentReader:
        policy, now = self.standard.web, self.session.clock.now()
        return DocumentReader(self.documents, self.session, policy, now, self.options.reading)


@contextmanager
def open_tracker(
    paths: Sequence[Path],
    settings: Settings,
    request: TrackRequest,
    observer: Observer,
    *,
    plans: bool = False,
) -> Iterator[Tracker]:
    """Tracking of the documents in these files and folders, whose root they share (STA-1). What only `plans`
    makes no store where there is none.
    """
    root = find_root(paths[0] if paths else Path())
    given = [replace(each, path=name_under(root, Path(each.path))) for each in request.given]
    folder = DocumentFolder(
        root,
        filter(None, [baseline_path(settings)]),
        force_exclude=request.force_exclude,
        selection=selection_of(settings),
        given=given,
    )
    passing = tuple(each.path for each in given)
    scope = (*(folder.relative(path) for path in paths), *passing)
    options = track_options(settings, request, scope, str(root))
    reading = replace(options.reading, local=local_options(settings, folder), passing=passing)
    options = replace(options, reading=reading)
    state = state_of_documents(paths, settings)
    if not has_ledger(settings, state) and named_state(settings) is None:
        _tell_of_mirrors_below(root)
    with open_to_check(state, "check", settings, looks_only=plans) as session:
        session.observer = observer
        yield Tracker(folder, session, tracked_standard(session), options)


def tracked_standard(session: Session) -> Standard:
    """How cited pages are named and read."""
    settings = session.settings
    tracked = Component(settings.check.compare, Version(1))
    return standard_of(web_identity(settings), session.policy, None, tracked)


@contextmanager
def open_to_check(
    state: Path, purpose: str, settings: Settings, *, looks_only: bool = False
) -> Iterator[Session]:
    """The store of documents; what only looks gets an empty one where there is none."""
    if looks_only and not has_ledger(settings, state):
        with store_in_memory(settings, state) as session:
            yield session
        return
    with open_store(state, purpose, settings, of="track") as session:
        yield session


def _tell_of_mirrors_below(root: Path) -> None:
    """At the first run: mirrors that were there before keep their own history, until somebody joins them."""
    here = Path.cwd()
    for state in states_below(root):
        mirror = state.parent.relative_to(here) if state.is_relative_to(here) else state.parent
        notice(
            f"{mirror} has a history of its own, so links do not name its files; "
            f"`holdfast store join {mirror}` joins it to that of {root.name}"
        )


def selection_of(settings: Settings) -> Selection:
    """Which files are documents."""
    track = settings.check
    return Selection(DocumentKinds(track.documents.read_as), track.documents.hidden, track.documents.ignore)


def state_of_documents(paths: Sequence[Path], settings: Settings) -> Path:
    """The store that knows these files and folders: that of their root, unless one is named."""
    return named_state(settings) or find_root(paths[0] if paths else Path()) / STATE_NAME


def local_options(settings: Settings, folder: DocumentFolder) -> LocalOptions | None:
    """How local links are read; the folder that `/` means is named from the root."""
    if not settings.check.documents.local_links:
        return None
    top = setting_path(settings, "root_dir")
    if top and not top.is_dir():
        raise UsageError(
            f"root_dir: there is no folder {top}", hint="name the folder that `/` means in a link"
        )
    documents = settings.check.documents
    return LocalOptions(
        folder.relative(top) if top else None, documents.wiki_links, strict=documents.strict_local
    )


def touched_since(paths: Sequence[Path], revision: str) -> dict[str, list[range]]:
    """The lines of the checked documents that a change touched, by path from their root."""
    return touched_lines(find_root(paths[0]), revision)


def track_request(
    *,
    force: bool,
    eager: bool,
    touched: TouchedLines | None = None,
    force_exclude: bool = False,
    lychee_cache: Path | None = None,
    given: Sequence[tuple[str, bytes]] = (),
    pages: Sequence[str] = (),
) -> TrackRequest:
    """What is wished of one run of tracking; `given` are documents that are not read from files, by the name
    that says what they are read as, `pages` those that are read from the web.
    """
    told = read_lycheecache(read_text(lychee_cache, "cache"), str(lychee_cache)) if lychee_cache else ()
    documents = (
        GivenDocument(name, format_of(name) or DocumentFormat.TEXT, content) for name, content in given
    )
    return TrackRequest(force, eager, touched, force_exclude, told, tuple(documents), tuple(pages))
