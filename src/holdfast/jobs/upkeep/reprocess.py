"""Another recipe for what was seen already (VER-5): archive → distill → ledger, and nothing else.

1. A reprocessing is a run of its own, with `reprocessing_of`. The run it goes over and its items stay as
   they are; each new item points to its origin by a `reprocessed_from` edge.
2. Its id is a function of the run and the recipe, so a second start goes on where the first was stopped,
   and a third finds nothing to do.
3. Captures are taken in the order in which they were written, whatever the number of workers: the items are
   the same ones.
4. What was fetched and could not be converted then (it took too long, too much memory, a worker died) is
   tried again: with another recipe like everything else, with the run's own recipe alone.
5. With the run's own recipe, the sections of items are written, too, that an earlier Holdfast made without
   (SCT-2): read from the archive, written beside. An item is its text, which stays: only what it is made of
   is added, once. Stopped, it goes on the next time.
6. There is no fetcher among the arguments, and a contract forbids the import: it cannot reach the network.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from holdfast.core.base.errors import UsageError
from holdfast.core.base.hashing import id_of
from holdfast.core.crawl.consequences import page_links
from holdfast.core.crawl.harvest import Harvest, HarvestRules
from holdfast.core.crawl.mirror_spec import Standard, place_of
from holdfast.core.lineage.ledger_values import Draft, EntryState, Finding, Observation, PageLink
from holdfast.core.lineage.lineage import (
    CaptureRecord,
    Item,
    Job,
    New,
    Run,
    RunRecord,
    RunStatus,
    RunTally,
    Superseding,
    Unchanged,
    Verdict,
)
from holdfast.core.mirror.checkpoint import Progress
from holdfast.core.page.distill_options import DistillOptions
from holdfast.core.page.section import KeptSection
from holdfast.core.url.redaction import shown
from holdfast.core.url.url import Url, parse_url
from holdfast.jobs.converting import Converted, converted, rules_for
from holdfast.jobs.upkeep.restore_row import Reprocessed

if TYPE_CHECKING:
    from holdfast.jobs.session import Session
    from holdfast.jobs.stop import Stop
    from holdfast.storage.ledger.ledger import Ledger

BATCH: Final = 200
_NOT_MODIFIED: Final = 304
_VERDICTS: Final = ("new", "changed", "unchanged")


async def reprocess(
    session: Session, origin: RunRecord, standard: Standard, options: DistillOptions, stop: Stop
) -> Reprocessed:
    """Go over a run's captures with another recipe."""
    if standard.recipe == origin.run.recipe:
        filled = await fill_sections(session, origin, rules_for(standard, _outlined(options)), stop)
        if stop.soon or not any(_unread(session.ledger, origin)):
            return _filled(origin, filled, stopped=stop.soon)
    run = _run(session, origin, standard)
    before = session.ledger.runs.run(run.run_id)
    resumed = before is not None and before.run.run_id == run.run_id
    if resumed and before is not None and before.status is RunStatus.FINISHED:
        return _was_done(before, origin)
    begun = before.run if resumed and before else run
    session.ledger.runs.begin_run(begun)
    return await _Walk(session, origin, run, standard, resumed=resumed).go(options, stop)


def _filled(origin: RunRecord, filled: Filled, *, stopped: bool) -> Reprocessed:
    """What asking for the same recipe again came to: the sections that were missing."""
    if not filled.written and not stopped:
        raise UsageError(
            f"the run was made with {origin.run.recipe} already",
            hint="choose another --policy or another --content",
        )
    return Reprocessed(
        run_id=origin.run.run_id,
        origin=origin.run.run_id,
        recipe=str(origin.run.recipe),
        status=RunStatus.INTERRUPTED if stopped else RunStatus.FINISHED,
        resumed=False,
        total=filled.items,
        counts={"with sections now": filled.written, "failed": len(filled.failed)},
        failed=filled.failed,
        seal=origin.seal,
    )


def _outlined(options: DistillOptions) -> DistillOptions:
    return replace(options, outline=True)


class _Walk:
    """One start of a reprocessing."""

    def __init__(
        self, session: Session, origin: RunRecord, run: Run, standard: Standard, *, resumed: bool
    ) -> None:
        self._session = session
        self._origin = origin
        self._run = run
        self._standard = standard
        self._resumed = resumed
        again = standard.recipe == origin.run.recipe
        self._done = _done_in(session.ledger, run.run_id)
        self._seen = _to_read(session.ledger, origin, again=again)
        self._counts = dict.fromkeys(_VERDICTS, 0)
        self._failed: list[tuple[str, str]] = []
        self._fresh = 0
        self._began = session.clock.monotonic()

    async def go(self, options: DistillOptions, stop: Stop) -> Reprocessed:
        """Every capture that is not done, in batches that are durable one by one."""
        session = self._session
        session.tell("opened", resumed=self._resumed)
        batch: list[Finding] = []
        rules = rules_for(self._standard, _outlined(options), keep_links=True)
        pages = converted(list(self._todo()), session, lambda _: rules)
        async for page in pages:
            if stop.soon:
                break
            self._take(page, batch)
            if len(batch) >= BATCH:
                await asyncio.to_thread(self._commit, batch)
        self._commit(batch)
        return self._end(stopped=stop.soon)

    def _todo(self) -> Iterator[tuple[Observation, CaptureRecord]]:
        for observation in self._seen:
            if observation.capture.capture_id not in self._done:
                yield observation, self._holder(observation)

    def _holder(self, observation: Observation) -> CaptureRecord:
        """The capture whose body shows the item: a 304 has none of its own, and confirms an earlier one."""
        capture, item = observation.capture, observation.item
        if capture.status != _NOT_MODIFIED or item is None:
            return capture
        seen = self._session.ledger.history.of_url(item.place.web_key, item.recipe)
        return next((o.capture for o in seen if o.capture.capture_id == item.capture_id), capture)

    def _take(self, page: Converted[Observation], batch: list[Finding]) -> None:
        capture, item, made = page.asked.capture, page.asked.item, page.made
        self._fresh += 1
        progress = Progress(
            len(self._done) + self._fresh,
            len(self._seen),
            self._fresh,
            self._session.clock.monotonic() - self._began,
        )
        self._session.tell(
            "processing", number=progress.processed, total=len(self._seen), url=shown(capture.url)
        )
        if made is None or made.skip is not None:
            self._failed.append((capture.url, page.flaw or (made.skip if made else None) or "no page"))
        else:
            links, digest = self._links(page, made)
            draft = Draft(
                made.content.content_sha256,
                made.content.title,
                links,
                item.item_id if item else None,
                made.place,
                made.content.sections,
                digest,
            )
            batch.append(Finding(capture=capture, made=draft))
        outcomes = {"failed": len(self._failed)}
        self._session.tell("processed", progress=progress, outcomes=outcomes)

    def _links(
        self, page: Converted[Observation], made: Harvest
    ) -> tuple[tuple[PageLink, ...], bytes | None]:
        """A page's links, and their digest where that is known; where the content is its own Markdown, they
        stand in the page that named it.
        """
        if page.capture is None or page.capture.alternate_of is None:
            return page_links(made.links), made.links_digest
        recipe, key = self._origin.run.recipe, page.asked.capture.place.key
        stored = self._session.ledger.history.links_of(recipe, key)
        return tuple(replaced(stored, self._standard)), None

    def _commit(self, batch: list[Finding]) -> None:
        if not batch:
            return
        run_id, now = self._run.run_id, self._session.clock.now()
        for verdict in self._session.ledger.commit(run_id, batch, now):
            self._counts[_word(verdict)] += 1
        batch.clear()

    def _end(self, *, stopped: bool) -> Reprocessed:
        run_id, now, runs = self._run.run_id, self._session.clock.now(), self._session.ledger.runs
        counts = {**self._counts, "failed": len(self._failed)}
        seal, tally = None, RunTally(counts)
        if stopped:
            runs.update_run(run_id, RunStatus.INTERRUPTED, now, tally)
        else:
            seal = runs.end_run(run_id, now, tally)
        return Reprocessed(
            run_id=self._run.run_id,
            origin=self._origin.run.run_id,
            recipe=str(self._run.recipe),
            status=RunStatus.INTERRUPTED if stopped else RunStatus.FINISHED,
            resumed=self._resumed,
            total=len(self._seen),
            counts=counts,
            failed=tuple(self._failed),
            seal=seal,
        )


def _done_in(ledger: Ledger, run_id: str) -> set[str]:
    """The captures that a run has gone over."""
    return {o.capture.capture_id for o in ledger.history.of_run(run_id) if o.item}


def _to_read(ledger: Ledger, origin: RunRecord, *, again: bool) -> list[Observation]:
    """What a run saw: pages; with the same recipe `again`, only those that could not be read."""
    is_unread = _unread_by(ledger, origin)
    seen = ledger.history.of_run(origin.run.run_id)
    return [o for o in seen if (o.item and not again) or is_unread(o)]


def _unread(ledger: Ledger, origin: RunRecord) -> Iterable[Observation]:
    """Pages that a run fetched and could not convert."""
    return filter(_unread_by(ledger, origin), ledger.history.of_run(origin.run.run_id))


def _unread_by(ledger: Ledger, origin: RunRecord) -> Callable[[Observation], bool]:
    """Whether a run fetched a page and could not convert it: for a mirror, the answers of entries that
    failed; for a tracking run, which keeps nothing but pages, every answer without an item.
    """
    entries = ledger.frontier.entries(origin.run.run_id, (EntryState.FAILED,))
    failed = {entry.place.key for entry in entries}

    def is_unread(observation: Observation) -> bool:
        capture = observation.capture
        is_page = origin.run.job is Job.TRACK or capture.place.key in failed
        is_good = 200 <= capture.status < 300 and capture.ref is not None
        return is_page and observation.item is None and is_good

    return is_unread


def _run(session: Session, origin: RunRecord, standard: Standard) -> Run:
    return Run(
        run_id=id_of("reprocess run", origin.run.run_id, str(standard.recipe)),
        job=Job.REPROCESS,
        recipe=standard.recipe,
        identity_digest=standard.digest,
        started_at=session.clock.now(),
        label=origin.run.label,
        reprocessing_of=origin.run.run_id,
    )


def _was_done(record: RunRecord, origin: RunRecord) -> Reprocessed:
    counts = {word: record.tally.counts.get(word, 0) for word in (*_VERDICTS, "failed")}
    return Reprocessed(
        run_id=record.run.run_id,
        origin=origin.run.run_id,
        recipe=str(record.run.recipe),
        status=record.status,
        resumed=True,
        total=sum(counts.values()),
        counts=counts,
        failed=(),
        seal=record.seal,
        was_done=True,
    )


def _word(verdict: Verdict | None) -> str:
    match verdict:
        case New():
            return "new"
        case Superseding() as found:
            return "changed" if found.is_change else "new"
        case Unchanged() | None:
            return "unchanged"


def replaced(links: Iterable[PageLink], standard: Standard) -> Iterator[PageLink]:
    """Links that the ledger keeps, with their places by another standard."""
    for link in links:
        url = parse_url(link.href)
        if isinstance(url, Url) and (place := place_of(url, standard)) is not None:
            yield link._replace(target=place)


FILLED_AT_ONCE: Final = 200


class Filled(NamedTuple):
    """Of how many items without sections these were written; which could not be read, each with why."""

    items: int
    written: int
    failed: tuple[tuple[str, str], ...] = ()


async def fill_sections(session: Session, run: RunRecord, rules: HarvestRules, stop: Stop) -> Filled:
    """Write the sections of a run's items that have none."""
    unread = session.ledger.sections.unread(run.run.run_id)
    began = session.clock.monotonic()
    found: dict[str, tuple[KeptSection, ...]] = {}
    failed: list[tuple[str, str]] = []
    written = number = 0
    async for page in converted(_bodies(session, unread), session, lambda _: rules):
        if stop.soon:
            break
        number += 1
        url = shown(page.asked.place.url)
        session.tell("processing", number=number, total=len(unread), url=url)
        if page.made is None or page.made.skip is not None:
            failed.append((url, page.flaw or (page.made.skip if page.made else None) or "no page"))
        else:
            found[page.asked.item_id] = page.made.content.sections
        elapsed = session.clock.monotonic() - began
        progress = Progress(number, len(unread), number, elapsed)
        session.tell("processed", progress=progress, outcomes={"failed": len(failed)})
        if len(found) >= FILLED_AT_ONCE:
            written += session.ledger.sections.fill(found)
            found = {}
    if found:
        written += session.ledger.sections.fill(found)
    return Filled(len(unread), written, tuple(failed))


def _bodies(session: Session, items: tuple[Item, ...]) -> Iterator[tuple[Item, CaptureRecord]]:
    """Items, each with the capture that brought it."""
    for item in items:
        if (capture := _brought(item, session.ledger)) is not None:
            yield item, capture


def _brought(item: Item, ledger: Ledger) -> CaptureRecord | None:
    seen = ledger.history.of_url(item.place.web_key, item.recipe)
    return next((o.capture for o in seen if o.capture.capture_id == item.capture_id), None)
