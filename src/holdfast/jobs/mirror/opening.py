"""A new run or an old one: what is there already, and what of it can be believed (MIR-5).

    the last run of this mirror     the same plan                       another plan
    none                            a new run                           a new run
    finished                        a new run: what its runs left       a new run from the sources, through
                                    undone, and the lists anew          pages that are there already
    anything else                   goes on                             as above

1. The ledger decides. `_processed.txt` can only make the crawl do more: a URL is finished when the ledger
   calls it done and the file lists it; everything else is asked for again.
2. A corrupt file is renamed to `.corrupt`, with a warning. Without its checkpoint the crawl starts afresh;
   progress and manifest are made anew.
3. Failed and refused entries are tried again at every start.
4. The manifest fixes the layout and the scheme of the mirror from its first day.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from holdfast.core.errors import RefusedError
from holdfast.core.hashing import content_hash
from holdfast.core.ledger import Closed, EntryState, FrontierEntry, Place, RunRecord, RunStatus
from holdfast.core.lineage import Job, Run
from holdfast.core.mirror_plan import LAYOUT_VERSION, Layout, NamePlan
from holdfast.core.traps import Traps
from holdfast.core.url import Url, parse_url
from holdfast.formats.checkpoint import PROCESSED, PROGRESS, Corrupt, progress_flaw, read_processed
from holdfast.formats.mirror_manifest import MANIFEST, read_manifest
from holdfast.jobs.mirror.adopting import adopt
from holdfast.jobs.mirror.knowledge import DONE
from holdfast.jobs.mirror.notes import Note
from holdfast.jobs.mirror.order import Order, scope_of
from holdfast.jobs.mirror.pages import FAILED, SKIPPED
from holdfast.jobs.mirror.state import CrawlState
from holdfast.jobs.mirror.tools import Tools
from holdfast.ports import Ledger

__all__ = ["Opened", "open_run", "remember_names"]

_AGAIN: Final = (EntryState.FAILED, EntryState.REFUSED)
_BATCH: Final = 1_000


@dataclass(frozen=True, slots=True)
class Opened:
    """A run to begin or to go on with."""

    state: CrawlState
    run: Run
    resumed: bool
    manifest_is_missing: bool


def open_run(tools: Tools, order: Order) -> Opened:
    """Find out where this mirror stands, and begin or go on."""
    manifest = _read_manifest(tools)
    processed = _read_processed(tools)
    _check_progress(tools)
    runs = list(tools.ledger.runs.latest_first(label=order.label, job=Job.MIRROR))
    last = runs[0] if runs else None
    same_plan = last is not None and last.run.run_id == order.run_id(len(runs) - 1)
    state = CrawlState(
        order=order,
        run_id=order.run_id(len(runs)),
        scope=scope_of(order),
        names=_names(tools, order, manifest, runs),
        traps=Traps(order.settings.trap_pages, order.settings.trap_similar),
        has_placeholders=tools.folder.has(FAILED) or tools.folder.has(SKIPPED),
        is_of_one_version=all(record.run.recipe == order.standard.recipe for record in runs),
        forgotten=frozenset(stone.place.web_key for stone in tools.ledger.forgetting.tombstones()),
    )
    missing = manifest is None or _is_behind(manifest, runs)
    if last is not None and same_plan and last.status is not RunStatus.FINISHED:
        state.previous = runs[1].run if len(runs) > 1 else None
        _go_on(tools, state, last, processed)
        return Opened(state, last.run, resumed=True, manifest_is_missing=missing)
    run = Run(
        run_id=state.run_id,
        job=Job.MIRROR,
        recipe=order.standard.recipe,
        identity_digest=order.standard.digest,
        started_at=tools.clock.now(),
        label=order.label,
    )
    tools.ledger.runs.begin_run(run)
    if order.settings.update:
        state.previous = last.run if last else None
        state.acknowledged = processed
        if not runs and manifest is not None:
            adopt(tools, state, manifest)
        return Opened(state, run, resumed=False, manifest_is_missing=missing)
    state.goes_through = last is not None and not same_plan
    state.earlier_runs = tuple(record.run.run_id for record in runs)
    _look_back(tools, state, runs, processed)
    return Opened(state, run, resumed=False, manifest_is_missing=missing)


def _is_behind(manifest: dict[str, Any], runs: list[RunRecord]) -> bool:
    """Whether a run that changed something was killed after its end, before the manifest told of it."""
    crawl = manifest.get("crawl", {})
    if not any(record.run.run_id == crawl.get("run_id") for record in runs):
        return False
    for record in runs:
        if record.run.run_id == crawl["run_id"]:
            return record.status is RunStatus.FINISHED and crawl.get("status") != RunStatus.FINISHED
        if record.status is RunStatus.FINISHED and not dict(record.summary).get("quiet"):
            return True
    return False


def _go_on(tools: Tools, state: CrawlState, last: RunRecord, processed: frozenset[str]) -> None:
    """Take up a run where it stopped: what is not done, or not known to be, is ready again; but what belongs
    to the final pass waits for it again. What took effect there and is not known to have is done first:
    before what it led to, as it was (MIR-12).
    """
    ledger, run_id = tools.ledger, last.run.run_id
    state.run_id = run_id
    state.follow = dict(last.summary).get("follow", 0) == 1
    state.is_discovered = dict(last.summary).get("discovered", 0) == 1
    counted: list[tuple[Note, Place]] = []
    unlisted: list[FrontierEntry] = []
    for entry in ledger.frontier.entries(run_id):
        state.position = max(state.position, entry.position)
        state.total += 1
        if entry.state is EntryState.TAKEN:
            unlisted.append(entry)
        elif entry.state in DONE:
            if entry.place.url not in processed or _is_stale(tools, state, entry):
                unlisted.append(entry)
            elif (note := _recount(state, entry)) is not None:
                counted.append((note, entry.place))
    for note, place in sorted(counted, key=lambda each: each[0].turn):
        state.count_for_traps(place, alike=note.alike)
    _reopen(ledger, state, unlisted)
    ledger.runs.update_run(run_id, RunStatus.RUNNING, tools.clock.now())


def _reopen(ledger: Ledger, state: CrawlState, unlisted: list[FrontierEntry]) -> None:
    """Entries that were under way, or done without a line in the checkpoint."""
    ready, late, begun = [], [], []
    for entry in unlisted:
        note = Note.parse(entry.detail)
        if not note.final:
            ready.append(entry.place.key)
        elif entry.state is EntryState.TAKEN and not note.again:
            late.append(Closed(entry.place.key, EntryState.DEFERRED, entry.detail))
        else:
            begun.append(replace(entry, state=EntryState.TAKEN, detail=str(replace(note, again=True))))
    ledger.frontier.close_entries(state.run_id, late)
    ledger.frontier.close_entries(
        state.run_id, [Closed(entry.place.key, entry.state, entry.detail) for entry in begun]
    )
    ledger.frontier.reopen_entries(state.run_id, states=_AGAIN, keys=ready)
    state.begun_again = tuple(begun)


def _is_stale(tools: Tools, state: CrawlState, entry: FrontierEntry) -> bool:
    """Whether a run that is not the first was stopped between the ledger and the file: then the checkpoint
    lists the page since the run before, and says nothing of this one.
    """
    if state.previous is None or entry.state is not EntryState.PAGE:
        return False
    page = tools.ledger.pages.page(state.order.label, entry.place.key)
    file = tools.folder.read(page.facts.path) if page else None
    return file is None or page is None or content_hash(file) != page.facts.file_sha256


def _recount(state: CrawlState, entry: FrontierEntry) -> Note | None:
    """Count an entry that is done; its note, where the traps have to know of it."""
    state.processed += 1
    state.started += 1
    if entry.state is not EntryState.PAGE:
        return None
    state.pages += 1
    return None if entry.listed else Note.parse(entry.detail)


def _look_back(tools: Tools, state: CrawlState, runs: list[RunRecord], processed: frozenset[str]) -> None:
    """What earlier runs were done with and the checkpoint lists; and, where they were of the same plan, what
    they left undone: failures, refusals, lines that are missing. What they kept counts for the traps: a
    pattern that is closed stays closed.
    """
    finished: set[str] = set()
    undone: list[FrontierEntry] = []
    for number, record in enumerate(reversed(runs)):
        same_plan = record.run.run_id == state.order.run_id(number)
        for entry in tools.ledger.frontier.entries(record.run.run_id):
            if entry.state in DONE and entry.place.url in processed:
                finished.add(entry.place.url)
                if same_plan and entry.state is EntryState.PAGE and not entry.listed:
                    state.count_for_traps(entry.place, alike=Note.parse(entry.detail).alike)
            elif same_plan:
                undone.append(entry)
    state.finished = frozenset(finished)
    for batch in _batches(entry for entry in undone if _is_wanted(state, entry)):
        state.position = max(state.position, *(entry.position for entry in batch))
        ready = [replace(entry, state=EntryState.READY, detail="", attempts=0) for entry in batch]
        tools.ledger.frontier.add_entries(state.run_id, ready)


def _is_wanted(state: CrawlState, entry: FrontierEntry) -> bool:
    if entry.place.url in state.finished:
        return False
    url = parse_url(entry.fetch_url)
    return entry.listed or not isinstance(url, Url) or state.traps.refusal(url) is None


def _batches(entries: Iterable[FrontierEntry]) -> Iterator[list[FrontierEntry]]:
    batch: list[FrontierEntry] = []
    for entry in entries:
        batch.append(entry)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _names(tools: Tools, order: Order, manifest: dict[str, Any] | None, runs: list[RunRecord]) -> NamePlan:
    """The mirror's layout and scheme: the manifest's, else those of this order."""
    asked = Layout(order.settings.layout)
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
    if asked.folded is not asked and tools.folder.folds_names():
        asked = asked.folded
    return NamePlan(asked, _scheme(tools, order, runs))


def _scheme(tools: Tools, order: Order, runs: list[RunRecord]) -> str:
    """The scheme of the mirror's first source."""
    for record in reversed(runs):
        for entry in tools.ledger.frontier.entries(record.run.run_id):
            return entry.place.url.partition(":")[0]
    first = order.sources[0]
    if first.url is not None:
        return first.url.scheme
    return "http" if (first.listing or b"").lstrip().lower().startswith(b"http:") else "https"


def remember_names(tools: Tools, state: CrawlState) -> None:
    """Which URL has which name with a short hash in it; other names cannot collide."""
    names = state.names
    for path, url in tools.ledger.pages.paths(state.order.label):
        if names.layout is not Layout.TREE or not path.endswith("/index.md") or len(path) > 150:
            slot = path.casefold() if names.layout.is_folded else path
            names.taken[slot] = url


def _read_processed(tools: Tools) -> frozenset[str]:
    data = tools.folder.read(PROCESSED)
    if data is None:
        return frozenset()
    found = read_processed(data)
    if isinstance(found, Corrupt):
        _set_aside(tools, PROCESSED, found.why, "the crawl starts afresh")
        return frozenset()
    if found.whole < len(data):
        tools.folder.cut(PROCESSED, found.whole)
    return found.urls


def _check_progress(tools: Tools) -> None:
    data = tools.folder.read(PROGRESS)
    if data is not None and (flaw := progress_flaw(data)):
        _set_aside(tools, PROGRESS, flaw, "it is made anew")


def _read_manifest(tools: Tools) -> dict[str, Any] | None:
    data = tools.folder.read(MANIFEST)
    if data is None:
        return None
    found = read_manifest(data)
    if isinstance(found, str):
        _set_aside(tools, MANIFEST, found, "it is made anew from the ledger")
        return None
    return dict(found)


def _set_aside(tools: Tools, path: str, why: str, then: str) -> None:
    tools.folder.move(path, f"{path}.corrupt")
    tools.tell("warning", text=f"{path} is corrupt ({why}); it is now {path}.corrupt, and {then}")
