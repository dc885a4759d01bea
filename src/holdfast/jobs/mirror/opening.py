"""A new run or an old one: what is there already, and what of it can be believed (MIR-5).

    the last run of this mirror     the same plan                       another plan
    none                            a new run                           a new run
    finished                        a new run: what its runs left       a new run from the sources, through
                                    undone, and the lists anew          pages that are there already
    anything else                   goes on; an update only with an     as above
                                    update that was cut off

1. The ledger decides. `_processed.txt` can only make the crawl do more: a URL is finished when the ledger
   calls it done and the file lists it; everything else is asked for again.
2. A corrupt file is renamed to `.corrupt`, with a warning. Without its checkpoint the crawl starts afresh;
   progress and manifest are made anew.
3. Failed and refused entries are tried again at every start.
4. The manifest fixes the layout and the scheme of the mirror from its first day.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from holdfast.core.base.errors import RefusedError
from holdfast.core.base.figures import counted, timestamp
from holdfast.core.base.hashing import UrlKey
from holdfast.core.base.long_lists import Fingerprints
from holdfast.core.base.values import dataclass
from holdfast.core.crawl.consequences import DONE
from holdfast.core.crawl.decision import Ending
from holdfast.core.crawl.mirror_spec import Order
from holdfast.core.crawl.state import CrawlPlan, CrawlState, TrapMemory
from holdfast.core.lineage.frontier_note import NO_NOTE, EntryNote
from holdfast.core.lineage.ledger_values import Closed, EntryState, FrontierEntry
from holdfast.core.lineage.lineage import Job, Run, RunRecord, RunStatus
from holdfast.core.mirror.checkpoint import (
    PROCESSED,
    PROGRESS,
    Corrupt,
    CountedPage,
    progress_flaw,
    read_processed,
    read_trap_row,
    trap_row,
)
from holdfast.core.mirror.manifest import MANIFEST, SETTLING, read_manifest
from holdfast.core.mirror.manifest_gist import head_of_manifest
from holdfast.core.mirror.page_files import FAILED, SKIPPED
from holdfast.core.page.sidecar import read_sidecar
from holdfast.core.url.layout import LAYOUT_VERSION, Layout
from holdfast.core.url.name_plan import NamePlan, sidecar_of
from holdfast.core.url.traps import Traps
from holdfast.core.url.url import Url, parse_url
from holdfast.jobs.mirror.discovery import scope_of
from holdfast.jobs.mirror.updating import adopt

if TYPE_CHECKING:
    from holdfast.adapters.ports import Mirror
    from holdfast.storage.ledger.ledger import Ledger

_AGAIN: Final = (EntryState.FAILED, EntryState.REFUSED)
_BATCH: Final = 1_000
_WHOLE: Final = (Ending.FINISHED, Ending.MAX_PAGES)


@dataclass(frozen=True, slots=True)
class Opened:
    """A run to begin or to go on with; `warnings` are what was odd about what was there."""

    state: CrawlState
    run: Run
    resumed: bool
    manifest_is_missing: bool
    warnings: tuple[str, ...] = ()


def open_run(ledger: Ledger, folder: Mirror, order: Order, now: datetime) -> Opened:
    """Find out where this mirror stands, and begin or go on."""
    return _Opening(ledger, folder, order, now).open()


class _Opening:
    def __init__(self, ledger: Ledger, folder: Mirror, order: Order, now: datetime) -> None:
        self._ledger = ledger
        self._folder = folder
        self._order = order
        self._now = now
        self._warnings: list[str] = []
        self._runs = list(ledger.runs.latest_first(label=order.label, job=Job.MIRROR))

    def open(self) -> Opened:
        runs, order = self._runs, self._order
        manifest, processed = self._read_manifest(), self._read_processed()
        self._check_progress()
        last = runs[0] if runs else None
        same_plan = last is not None and order.is_same_plan(last.run.run_id, len(runs) - 1)
        missing = manifest is None or _is_behind(manifest, runs) or _is_cut_off(last)
        plan = self._plan(manifest)
        if last is not None and same_plan and self._goes_on(last):
            plan = replace(plan, run_id=last.run.run_id, earlier=plan.earlier[1:])
            return self._opened(self._go_on(plan, last, processed), last.run, resumed=True, missing=missing)
        run = self._begin(plan)
        if order.settings.update:
            plan = replace(plan, acknowledged=processed, cut_off=self._cut_off(plan, last, processed))
            if not runs and manifest is not None:
                self._adopt(plan)
            state = self._state(plan)
        else:
            plan = replace(plan, goes_through=last is not None and not same_plan)
            state = self._look_back(plan, processed)
        return self._opened(state, run, resumed=False, missing=missing)

    def _goes_on(self, last: RunRecord) -> bool:
        """Whether this start goes on with a run of its plan. An update looks at what is there: it does not go
        on with a run that did not, nor with one that had asked for all that it might.
        """
        if last.status is RunStatus.FINISHED:
            return False
        marks = last.tally.marks
        is_update = bool(marks.is_update) or not marks.is_discovered
        return not self._order.settings.update or (is_update and last.status is not RunStatus.STOPPED)

    def _cut_off(self, plan: CrawlPlan, last: RunRecord | None, processed: Fingerprints) -> frozenset[UrlKey]:
        """What took effect in a run that was killed and may have no file: an update believes no 304."""
        if last is None or last.status is RunStatus.FINISHED:
            return frozenset()
        done = self._ledger.frontier.entries(last.run.run_id, tuple(DONE))
        return frozenset(
            entry.place.key
            for entry in done
            if entry.place.url not in processed or self._is_stale(plan, entry)
        )

    def _opened(self, state: CrawlState, run: Run, *, resumed: bool, missing: bool) -> Opened:
        return Opened(state, run, resumed, missing, tuple(self._warnings))

    def _plan(self, manifest: dict[str, Any] | None) -> CrawlPlan:
        order, runs = self._order, self._runs
        return CrawlPlan(
            order=order,
            run_id=order.run_id(len(runs)),
            scope=scope_of(order),
            names=self._names(manifest),
            earlier=tuple(record.run for record in runs),
            is_of_one_version=all(record.run.recipe == order.standard.recipe for record in runs),
            forgotten=frozenset(stone.place.web_key for stone in self._ledger.forgetting.tombstones()),
        )

    def _state(self, plan: CrawlPlan) -> CrawlState:
        settings = self._order.settings
        state = CrawlState(plan, TrapMemory(Traps(settings.scope.trap_pages, settings.scope.trap_similar)))
        state.progress.has_placeholders = self._folder.has(FAILED) or self._folder.has(SKIPPED)
        return state

    def _begin(self, plan: CrawlPlan) -> Run:
        standard = self._order.standard
        run = Run(
            run_id=plan.run_id,
            job=Job.MIRROR,
            recipe=standard.recipe,
            identity_digest=standard.digest,
            started_at=self._now,
            label=self._order.label,
        )
        self._ledger.runs.begin_run(run, self._order.owed_to)
        return run

    def _adopt(self, plan: CrawlPlan) -> None:
        manifest = read_manifest(self._folder.read(MANIFEST) or b"")
        if isinstance(manifest, str):
            return
        if taken := adopt(self._ledger, self._folder, plan, manifest, self._now):
            self._warnings.append(
                f"the ledger was lost; taken over from the manifest: {counted(taken, 'page')}"
            )

    def _go_on(self, plan: CrawlPlan, last: RunRecord, processed: Fingerprints) -> CrawlState:
        """Take up a run where it stopped: what is not done is ready again, or waits again for the final pass
        where it belongs there. What took effect and is not known to have is done first, in the order it
        had: before what it led to, and before what came after it (MIR-12).
        """
        state, marks = self._state(plan), last.tally.marks
        state.progress.follow = bool(marks.follows)
        state.progress.is_discovered = bool(marks.is_discovered)
        counted = self._folder.rows()
        unlisted: list[FrontierEntry] = []
        for entry in self._ledger.frontier.entries(plan.run_id):
            state.progress.position = max(state.progress.position, entry.position)
            state.turns = max(state.turns, entry.note.turn)
            state.progress.total += 1
            if entry.state is EntryState.TAKEN:
                unlisted.append(entry)
            elif entry.state in DONE:
                if entry.place.url not in processed or self._is_stale(plan, entry):
                    unlisted.append(entry)
                elif (note := _recount(state, entry)) is not None:
                    page = CountedPage(entry.place, note.alike, note.gist)
                    counted.add(trap_row(page, note.turn, state.progress.total))
        for page in map(read_trap_row, counted):
            state.memory.count(page.place, alike=page.alike, gist=page.gist)
        state.plan = replace(plan, begun_again=self._reopen(plan, unlisted))
        self._ledger.runs.begin_run(last.run, self._order.owed_to)
        self._ledger.runs.update_run(plan.run_id, RunStatus.RUNNING, self._now)
        return state

    def _reopen(self, plan: CrawlPlan, unlisted: list[FrontierEntry]) -> tuple[FrontierEntry, ...]:
        """Make ready what was under way; what was done without a line in the checkpoint is to be begun
        again.
        """
        ready, late, begun = [], [], []
        for entry in unlisted:
            note = entry.note
            if entry.state is not EntryState.TAKEN or note.again:
                begun.append(replace(entry, state=EntryState.TAKEN, note=replace(note, again=True)))
            elif note.final:
                late.append(Closed(entry.place.key, EntryState.DEFERRED, note))
            else:
                ready.append(entry.place.key)
        begun.sort(key=lambda entry: entry.note.turn)
        again = [Closed(entry.place.key, entry.state, entry.note) for entry in begun]
        self._ledger.frontier.close_entries(plan.run_id, late)
        self._ledger.frontier.close_entries(plan.run_id, again)
        settings = self._order.settings
        has_budget = settings.update and settings.scope.max_pages is not None
        states = _AGAIN if has_budget else (*_AGAIN, EntryState.UNASKED)
        self._ledger.frontier.reopen_entries(plan.run_id, states=states, keys=ready)
        return tuple(begun)

    def _is_stale(self, plan: CrawlPlan, entry: FrontierEntry) -> bool:
        """Whether a run that is not the first was stopped between the ledger and the files: then the
        checkpoint lists the page since the run before, and says nothing of this one.
        """
        if not plan.earlier or entry.state is not EntryState.PAGE:
            return False
        page = self._ledger.pages.page(plan.order.label, entry.place.key)
        if page is None or not self._folder.holds(page.facts.path, page.facts.file_sha256):
            return True
        if not self._order.has_sidecars or not self._folder.has(page.facts.path):
            return False
        told = read_sidecar(self._folder.read(sidecar_of(page.facts.path)))
        known = (timestamp(page.fetched_at), page.content_sha256)
        return (told.get("fetched_at"), told.get("content_hash")) != known

    def _look_back(self, plan: CrawlPlan, processed: Fingerprints) -> CrawlState:
        """What earlier runs were done with and the checkpoint lists; and, where they were of the same plan,
        what they left undone: failures, refusals, lines that are missing. What they kept counts for the
        traps: a pattern that is closed stays closed.
        """
        state = self._state(plan)
        finished = Fingerprints()
        undone: list[FrontierEntry] = []
        for number, record in enumerate(reversed(self._runs)):
            same_plan = plan.order.is_same_plan(record.run.run_id, number)
            for entry in self._ledger.frontier.entries(record.run.run_id):
                if entry.state in DONE and entry.place.url in processed:
                    finished.add(entry.place.url)
                    if same_plan and entry.state is EntryState.PAGE and not entry.listed:
                        state.memory.count(entry.place, alike=entry.note.alike, gist=entry.note.gist)
                elif same_plan:
                    undone.append(entry)
        state.plan = replace(plan, finished=finished)
        for batch in _batches(entry for entry in undone if _is_wanted(state, entry)):
            state.progress.position = max(state.progress.position, *(entry.position for entry in batch))
            ready = [replace(entry, state=EntryState.READY, note=NO_NOTE, attempts=0) for entry in batch]
            self._ledger.frontier.add_entries(plan.run_id, ready)
        return state

    def _names(self, manifest: dict[str, Any] | None) -> NamePlan:
        """The mirror's layout and scheme: the manifest's, else those of this order."""
        asked = Layout(self._order.settings.files.layout)
        if manifest is not None:
            known = manifest["layout"]
            layout = Layout(known.get("name", asked))
            if known.get("version") != LAYOUT_VERSION:
                raise RefusedError(
                    f"this mirror was laid out by another version ({layout} {known.get('version')})",
                    hint="make the mirror anew in another folder",
                )
            if layout not in (asked, asked.folded):
                raise RefusedError(
                    f"this mirror has the layout {layout}, not {asked}",
                    hint=f"leave out --layout, or make a mirror with the layout {asked} in another folder",
                )
            return NamePlan(layout, known.get("scheme", "https"))
        return NamePlan(asked.folded if self._folder.folds_names() else asked, self._scheme())

    def _scheme(self) -> str:
        """The scheme of the mirror's first source."""
        for record in reversed(self._runs):
            for entry in self._ledger.frontier.entries(record.run.run_id):
                return entry.place.url.partition(":")[0]
        first = self._order.sources[0]
        if first.url is not None:
            return first.url.scheme
        return "http" if (first.listing or b"").lstrip().lower().startswith(b"http:") else "https"

    def _read_processed(self) -> Fingerprints:
        size = sum(map(len, self._folder.pieces(PROCESSED)))
        found = read_processed(self._folder.pieces(PROCESSED))
        if isinstance(found, Corrupt):
            self._set_aside(PROCESSED, found.why, "the crawl starts afresh")
            return Fingerprints()
        if found.whole < size:
            self._folder.cut(PROCESSED, found.whole)
        return found.urls

    def _check_progress(self) -> None:
        data = self._folder.read(PROGRESS)
        if data is not None and (flaw := progress_flaw(data)):
            self._set_aside(PROGRESS, flaw, "it is made anew")

    def _read_manifest(self) -> dict[str, Any] | None:
        if not self._folder.has(MANIFEST):
            return None
        found = head_of_manifest(lambda: self._folder.pieces(MANIFEST))
        if isinstance(found, str):
            self._set_aside(MANIFEST, found, "it is made anew from the ledger")
            return None
        return dict(found)

    def _set_aside(self, path: str, why: str, then: str) -> None:
        self._folder.move(path, f"{path}.corrupt")
        self._warnings.append(f"{path} is corrupt ({why}); it is now {path}.corrupt, and {then}")


def _is_behind(manifest: dict[str, Any], runs: list[RunRecord]) -> bool:
    """Whether a run that changed something was killed after its end, before the manifest told of it, or the
    folder was what the set of pages makes of it.
    """
    crawl = manifest.get("crawl", {})
    if crawl.get(SETTLING):
        return True
    if not any(record.run.run_id == crawl.get("run_id") for record in runs):
        return False
    for record in runs:
        if record.run.run_id == crawl["run_id"]:
            return record.status is RunStatus.FINISHED and crawl.get("status") not in _WHOLE
        if record.status is RunStatus.FINISHED and not record.tally.marks.is_quiet:
            return True
    return False


def _is_cut_off(last: RunRecord | None) -> bool:
    """Whether the last run came to no end: what it changed, the folder may not tell."""
    return last is not None and last.status is not RunStatus.FINISHED


def _recount(state: CrawlState, entry: FrontierEntry) -> EntryNote | None:
    """Count an entry that is done; its note, where the traps have to know of it."""
    state.progress.processed += 1
    state.progress.started += 1
    if entry.state is not EntryState.PAGE:
        return None
    state.counts.pages += 1
    return None if entry.listed else entry.note


def _is_wanted(state: CrawlState, entry: FrontierEntry) -> bool:
    if entry.place.url in state.plan.finished:
        return False
    url = parse_url(entry.fetch_url)
    return entry.listed or not isinstance(url, Url) or state.memory.traps.refusal(url) is None


def _batches(entries: Iterable[FrontierEntry]) -> Iterator[list[FrontierEntry]]:
    batch: list[FrontierEntry] = []
    for entry in entries:
        batch.append(entry)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def remember_names(ledger: Ledger, plan: CrawlPlan) -> None:
    """Which URL has which name with a short hash in it; other names cannot collide."""
    names = plan.names
    for path, url in ledger.pages.paths(plan.order.label):
        if names.layout is not Layout.TREE or not path.endswith("/index.md") or len(path) > 150:
            slot = path.casefold() if names.layout.is_folded else path
            names.taken[slot] = url
