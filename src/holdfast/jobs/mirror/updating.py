"""An update, while the crawl runs: what is known of each entry from before, and what became of it (MIR-11).

1. The decision is `core.crawl.state.updates`'s. A page's fetch time is the ledger's; without one (a ledger
   that was lost), the manifest's, else the sidecar's, else the file's own.
2. An entry that had no page (an alias, a duplicate, something skipped) is known from the last run that had
   it, which need not be the run before: a plain second start has nothing to do, and knows of nothing. It is
   left alone on the same terms.
3. A page that is left alone or not modified keeps its links: where links are followed, those that are stored
   are followed. Whatever is found by lists or links, an entry that is not read again leads to what it led to:
   the page that it is another name of, and the one that it names as canonical. Its date counts for those too.
4. The pages of a folder whose ledger is lost are taken over, so that not all are fetched: only files that are
   what the manifest says of them, and only under the version they were made with. They have no capture in the
   archive: they can be compared and kept, not made again.
5. With a budget, what is to be asked for waits for its turn (`jobs.mirror.turns`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from holdfast.core.base.hashing import UrlKey
from holdfast.core.base.values import dataclass
from holdfast.core.crawl.consequences import OPEN
from holdfast.core.crawl.decision import Ending
from holdfast.core.crawl.harvest import LeftAlone, Named
from holdfast.core.crawl.mirror_spec import place_of
from holdfast.core.crawl.state import CrawlPlan
from holdfast.core.crawl.updates import (
    Absence,
    Ask,
    Departures,
    Fate,
    Happening,
    Keep,
    KnownPage,
    UpdateReport,
    Why,
    decide,
    departures,
)
from holdfast.core.lineage.frontier_note import EntryNote
from holdfast.core.lineage.ledger_values import (
    Alias,
    AliasReason,
    Closed,
    EntryState,
    Finding,
    FrontierEntry,
    StoredPage,
)
from holdfast.core.lineage.lineage import CaptureRecord, Run, Unchanged, Verdict
from holdfast.core.mirror.page_files import KeptFile, adopted_page, whole_rows
from holdfast.core.url.name_plan import sidecar_of
from holdfast.core.url.redaction import shown
from holdfast.core.url.url import Place, Url, parse_url
from holdfast.core.web.capture import NO_VALIDATORS, Validators
from holdfast.jobs.held_pages import capture_of, is_taken_elsewhere, page_behind
from holdfast.jobs.mirror.turns import Turns, is_ours, waiting

if TYPE_CHECKING:
    from holdfast.adapters.ports import Mirror
    from holdfast.core.crawl.state import CrawlState
    from holdfast.core.lineage.batch import Effect
    from holdfast.jobs.session import Session
    from holdfast.storage.ledger.ledger import Ledger


_NO_PAGE = (EntryState.ALIAS, EntryState.DUPLICATE, EntryState.SKIPPED)
_STILL_THERE = (EntryState.PAGE, EntryState.UNCHANGED, EntryState.UNASKED)
_NOT_THERE = ("404", "410")
_REASONS = {Why.LASTMOD: "lastmod is newer", Why.BACK: "it was gone", Why.MAX_AGE: "asked by max-age"}


@dataclass(frozen=True, slots=True)
class UpdatePlan:
    """What to do about an entry: keep it, or ask, with the last answer's validators where a 304 will do.
    `named` is what it leads to if it is not read again.
    """

    decision: Keep | Ask
    answer: StoredPage | CaptureRecord | None = None
    kept: LeftAlone | None = None
    named: Named | None = None

    @property
    def validators(self) -> Validators:
        """ETag and Last-Modified to ask with."""
        if self.answer is None or not isinstance(self.decision, Ask) or not self.decision.conditional:
            return NO_VALIDATORS
        return Validators(self.answer.etag, self.answer.last_modified)


class Updating:
    """One update. What takes a ledger runs on the scribe's thread."""

    def __init__(
        self, session: Session, folder: Mirror, state: CrawlState, max_age: timedelta | None
    ) -> None:
        self._session = session
        self._folder = folder
        self._state = state
        self._max_age = max_age
        self._had: dict[UrlKey, Why] = {}
        self._urls: dict[UrlKey, str] = {}
        self._plans: dict[UrlKey, UpdatePlan] = {}
        self._happenings: list[Happening] = []
        self._is_alone: bool | None = None
        self.turns = Turns(state)

    def prepare(self, ledger: Ledger, entries: Iterable[FrontierEntry]) -> None:
        """Plan many entries in one turn of the ledger, which a flush may hold for long."""
        entries = tuple(entries)
        label, keys = self._state.plan.order.label, [entry.place.key for entry in entries]
        pages = ledger.pages.pages_of(label, keys)
        for entry in entries:
            self._plans[entry.place.key] = self._plan(ledger, entry, pages.get(entry.place.key))

    def prepared(self, entry: FrontierEntry) -> UpdatePlan | None:
        """The plan that was made for an entry, once."""
        return self._plans.pop(entry.place.key, None)

    def plan(self, ledger: Ledger, entry: FrontierEntry) -> UpdatePlan:
        """What to do about an entry, by the table."""
        return self._plan(ledger, entry, ledger.pages.page(self._state.plan.order.label, entry.place.key))

    def _plan(self, ledger: Ledger, entry: FrontierEntry, page: StoredPage | None) -> UpdatePlan:
        plan = self._plan_at_once(ledger, entry, page)
        if isinstance(plan.decision, Keep) or self._is_cut_off(entry) or self.turns.has_come_to(entry):
            return plan
        return replace(plan, kept=waiting(plan.named))

    def _plan_at_once(self, ledger: Ledger, entry: FrontierEntry, page: StoredPage | None) -> UpdatePlan:
        plan = self._state.plan
        self._urls[entry.place.key] = entry.place.url
        if page is None:
            return self._plan_without_page(ledger, entry)
        recipe = plan.order.standard.recipe
        same = not self._is_cut_off(entry) and (
            plan.is_of_one_version or ledger.history.current_item(recipe, entry.place.key) is not None
        )
        known = KnownPage(page.fetched_at, gone=page.gone_at is not None, same_version=same)
        decision = self._decide(known, entry.lastmod)
        self._had[entry.place.key] = decision.why
        last = self._last_entry(ledger, entry.place.key)
        names = last[1].note.names if last else None
        if isinstance(decision, Keep):
            kept = LeftAlone(EntryState.UNCHANGED, EntryNote(str(decision.why), names=names))
            return UpdatePlan(decision, kept=kept, named=self._named(ledger, names, only_known=True))
        answer = self._answer(ledger, page) if self._can_confirm(ledger, page, decision) else None
        return UpdatePlan(decision, answer, named=self._named(ledger, names))

    def _is_cut_off(self, entry: FrontierEntry) -> bool:
        """Whether its end took effect when a run was killed: a 304 would not bring a file that is lost."""
        return entry.note.again or entry.place.key in self._state.plan.cut_off

    def _can_confirm(self, ledger: Ledger, page: StoredPage, decision: Ask) -> bool:
        """Whether a 304 would say what the page says. It observes what its URL showed last, which is another
        item where another mirror, or a citation of the same recipe, saw one since: then this mirror needs an
        answer of its own. And a page of which there is no capture stays so by a 304: where everything is
        asked about, it is asked for whole.
        """
        order = self._state.plan.order
        if self._is_alone is None:
            runs = ledger.runs.latest_first()
            self._is_alone = all(
                each.run.label == order.label or each.run.recipe != order.standard.recipe for each in runs
            )
        if not self._is_alone:
            current = ledger.history.current_item(order.standard.recipe, page.place.key)
            if current is not None and current.item_id != page.item_id:
                return False
        return decision.why is not Why.MAX_AGE or capture_of(ledger, order.label, page) is not None

    def _answer(self, ledger: Ledger, page: StoredPage) -> StoredPage | CaptureRecord | None:
        """What a 304 would confirm: the page's own last answer. Nothing, where its content came from
        elsewhere and is not wanted from there any more.
        """
        order = self._state.plan.order
        if not is_taken_elsewhere(page, order.standard):
            return page
        prefers = order.settings.files.prefer_markdown
        return page_behind(ledger, order, page.place) if prefers else None

    def _plan_without_page(self, ledger: Ledger, entry: FrontierEntry) -> UpdatePlan:
        last = self._last_entry(ledger, entry.place.key, asked=True)
        if last is None or last[1].state not in _NO_PAGE or self._is_cut_off(entry):
            return UpdatePlan(self._decide(None, entry.lastmod))
        run, before = last
        note = before.note
        asked_at = note.asked_at or run.started_at
        same = run.recipe == self._state.plan.order.standard.recipe
        decision = self._decide(KnownPage(asked_at, same_version=same), entry.lastmod)
        if isinstance(decision, Ask):
            return UpdatePlan(Ask(decision.why, conditional=False))
        alias = self._alias(ledger, entry.place)
        named = self._named(ledger, alias.target.url if alias else note.names, only_known=True)
        if named is not None and alias is not None and alias.reason is AliasReason.REDIRECT:
            named = replace(named, is_same=True)
        note = EntryNote(note.words, names=note.names, asked_at=asked_at)
        return UpdatePlan(decision, kept=LeftAlone(before.state, note), named=named)

    def _alias(self, ledger: Ledger, place: Place) -> Alias | None:
        """What a URL is another name of, in this mirror."""
        label = self._state.plan.order.label
        aliases = (name.alias for name in ledger.pages.names_of(place.web_key) if name.label == label)
        return next((alias for alias in aliases if alias.place.key == place.key), None)

    def _named(self, ledger: Ledger, names: str | None, *, only_known: bool = False) -> Named | None:
        """The URL that an entry names, by the address that its page was fetched from. `only_known`: a page of
        the mirror, or another name of one; for an entry that is left alone nothing else is asked for.
        """
        plan, url = self._state.plan, parse_url(names) if names else None
        place = place_of(url, plan.order.standard) if isinstance(url, Url) else None
        if place is None or not isinstance(url, Url) or plan.scope.refusal(url) is not None:
            return None
        page = ledger.pages.page(plan.order.label, place.key)
        if page is None and only_known and not ledger.pages.targets_of(plan.order.label, [place.key]):
            return None
        return Named(place, page.fetch_url if page else url.href)

    def _last_entry(
        self, ledger: Ledger, key: UrlKey, *, asked: bool = False
    ) -> tuple[Run, FrontierEntry] | None:
        """What the last run that knew of a URL made of it; `asked`: one in which it did not wait in vain."""
        for run in self._state.plan.earlier:
            entry = ledger.frontier.entry(run.run_id, key)
            if entry is not None and not (asked and entry.state is EntryState.UNASKED):
                return run, entry
        return None

    def _decide(self, known: KnownPage | None, lastmod: datetime | None) -> Keep | Ask:
        return decide(known, lastmod, self._session.clock.now(), self._max_age)

    def note(self, effects: Sequence[Effect], verdicts: Sequence[Verdict | None]) -> None:
        """Effects that are durable now, and what the ledger made of them."""
        for effect, verdict in zip(effects, verdicts, strict=True):
            seen = effect.response
            for closed in effect.finding.closed:
                if closed.state in OPEN:
                    continue
                url = self._urls.pop(closed.key, None)
                if url is None and seen and seen.place.key == closed.key:
                    url = seen.place.url
                fate = self._fate(closed, verdict)
                if url is not None and fate is not None:
                    self._happenings.append(Happening(shown(url), *fate))

    def _fate(self, closed: Closed, verdict: Verdict | None) -> tuple[Fate, str] | None:
        """What became of an entry, and why; None where it never was a page, or is gone as before."""
        had = self._had.get(closed.key)
        words = closed.note.words
        match closed.state:
            case EntryState.UNCHANGED:
                return Fate.UNCHANGED, "lastmod" if closed.attempts == 0 else "304"
            case EntryState.PAGE if isinstance(verdict, Unchanged):
                return Fate.UNCHANGED, "same content"
            case EntryState.PAGE:
                return (Fate.CHANGED, _REASONS.get(had, "")) if had else (Fate.NEW, "")
            case EntryState.FAILED if had and words in _NOT_THERE:
                return None if had is Why.BACK else (Fate.GONE, words)
            case EntryState.FAILED | EntryState.REFUSED:
                return Fate(str(closed.state)), words
            case EntryState.ALIAS if had:
                return Fate.MOVED, words.replace("is ", "now ", 1)
            case EntryState.DUPLICATE | EntryState.SKIPPED if had:
                return Fate.NO_PAGE, words
            case _:
                return None

    def finish(self, ledger: Ledger, ending: Ending) -> UpdateReport:
        """Mark the pages that are gone, delete those that may be, where the crawl came to its end; where that
        is the end of the budget, those that said so themselves.
        """
        if ending is Ending.MAX_PAGES:
            return replace(self._departed(ledger, "not every page was asked"), budget=self.turns.budget)
        if ending is Ending.FINISHED:
            return self._departed(ledger)
        return UpdateReport(tuple(self._happenings))

    def _departed(self, ledger: Ledger, partial: str | None = None) -> UpdateReport:
        plan = self._state.plan
        label = plan.order.label
        gone = dict(self._missing(ledger, ledger.pages.pages_without(label, plan.run_id, _STILL_THERE)))
        if not gone:
            return UpdateReport(tuple(self._happenings))
        pages = {page.place.key: page for page in ledger.pages.by_path(label) if is_ours(page, plan)}
        gone = {key: absence for key, absence in gone.items() if key in pages}
        partial = partial or self._partial(ledger, gone)
        done = departures(pages, gone, partial=partial, prune=plan.order.settings.delete_gone)
        self._carry_out(ledger, done, pages)
        named = "no link leads to it" if self._state.progress.follow else "no list names it"
        for key in done.mark:
            if gone[key] is Absence.UNNAMED:
                why = f"{named} any more"
                self._happenings.append(Happening(shown(pages[key].place.url), Fate.GONE, why))
        deleted = tuple(pages[key].facts.path for key in done.delete)
        return UpdateReport(tuple(self._happenings), deleted, done.held_back)

    def _missing(self, ledger: Ledger, pages: Iterable[StoredPage]) -> Iterator[tuple[UrlKey, Absence]]:
        """Pages that were not found, and by what that is known."""
        run_id = self._state.plan.run_id
        begun = ledger.runs.run(run_id)
        for page in list(pages):
            entry = ledger.frontier.entry(run_id, page.place.key)
            is_denied = entry is not None and (entry.state in _NO_PAGE or _was_not_there(entry))
            if entry is not None and not is_denied:
                continue
            if page.gone_at and begun and page.gone_at < begun.run.started_at:
                yield page.place.key, Absence.MARKED
            else:
                yield page.place.key, Absence.DENIED if is_denied else Absence.UNNAMED

    def _carry_out(self, ledger: Ledger, done: Departures, pages: dict[UrlKey, StoredPage]) -> None:
        state, folder = self._state, self._folder
        label, now = state.plan.order.label, self._session.clock.now()
        fresh = [key for key in done.mark if pages[key].gone_at is None]
        if fresh:
            ledger.pages.mark_gone(label, fresh, now)
        if done.delete:
            for key in done.delete:
                path = pages[key].facts.path
                folder.remove(path)
                folder.remove(sidecar_of(path))
            ledger.pages.drop_pages(label, done.delete, now)
        state.counts.departed += len(fresh) + len(done.delete)

    def _partial(self, ledger: Ledger, gone: Mapping[UrlKey, Absence]) -> str | None:
        """What is missing of the discovery. A link that never led to a page hides nothing; a page that went
        away in this run hides what only it linked to, until the next one.
        """
        state, went = self._state, False
        if state.progress.is_partial:
            return "not every list could be read"
        if not state.progress.follow:
            return None
        for entry in ledger.frontier.entries(state.plan.run_id, (EntryState.FAILED,)):
            if entry.depth == 0 or not _was_not_there(entry):
                return "pages failed, and what they link to is not known"
            went = went or gone.get(entry.place.key) is Absence.DENIED
        return "pages that may have linked there went away in this run" if went else None


def _was_not_there(entry: FrontierEntry) -> bool:
    return entry.state is EntryState.FAILED and entry.note.words in _NOT_THERE


def adopt(ledger: Ledger, folder: Mirror, plan: CrawlPlan, manifest: Mapping[str, Any], at: datetime) -> int:
    """Take over what the manifest and the files confirm; how many pages that were."""
    if manifest.get("normalization_version") != str(plan.order.standard.recipe):
        return 0
    findings = list(_findings(folder, plan, manifest))
    if findings:
        ledger.commit(plan.run_id, findings, at)
    return len(findings)


def _findings(folder: Mirror, plan: CrawlPlan, manifest: Mapping[str, Any]) -> Iterator[Finding]:
    for row in whole_rows(manifest):
        path = row["path"]
        if (data := folder.read(path)) is not None:
            kept = KeptFile(data, folder.read(sidecar_of(path)), folder.time_of(path))
            finding = adopted_page(plan.run_id, plan.order.standard, manifest, row, kept)
            if finding is not None:
                yield finding
