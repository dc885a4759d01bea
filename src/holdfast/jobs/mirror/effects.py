"""From a result to its effect, and from a group of effects to what is durable.

What a decision needs is asked for, the decision is `core.crawl.decision`'s, and what follows from it is put
together: in frontier order, so that it is a function of the responses (MIR-12). What follows once a group of
effects is in archive and ledger has the one order that survives a crash anywhere:

    archive, synced → ledger, one transaction → files, renamed → files, synced → lines of `_processed.txt`

1. Nothing is acknowledged (a line in `_processed.txt`) before page and ledger are durable.
2. Nobody waits for the files but the lines: they are synced beside the crawl, all that gathered together, and
   the lines follow. So a group costs the sync of archive and ledger alone.
3. A crash between two steps leaves entries that the ledger calls done and the checkpoint does not: the
   next start asks for them again, and finds that nothing new has to be written. An update does not list again
   what is listed; there the start looks at the files themselves (`opening`), and a file that was there before
   is never replaced by one that may be lost.
4. At the end of a start the lines themselves are durable.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from holdfast.core.base.difference import nearly_equal, shingles, without_numbers
from holdfast.core.base.figures import timestamp
from holdfast.core.base.shown_text import harmless
from holdfast.core.crawl.consequences import (
    DONE,
    Consequence,
    at_dead_end,
    at_turn,
    consequence,
    in_final_pass,
)
from holdfast.core.crawl.decision import Context, TryNext, canonical_to_check, decide, twin_of
from holdfast.core.crawl.duplicates import Twin, shorter_name
from holdfast.core.crawl.harvest import Harvest, Named, Pointer, Result, stored_steps
from holdfast.core.crawl.mirror_spec import NO_IDENTITY, places
from holdfast.core.lineage.batch import Effect
from holdfast.core.lineage.frontier_note import NO_NOTE
from holdfast.core.lineage.ledger_values import Closed, EntryState, FrontierEntry, PageFacts
from holdfast.core.mirror.checkpoint import FAILED_LOG, PROCESSED
from holdfast.core.mirror.page_files import (
    PLACEHOLDERS,
    File,
    failed_placeholder,
    page_of,
    skipped_placeholder,
)
from holdfast.core.url.redaction import shown
from holdfast.core.url.traps import Trap
from holdfast.core.url.url import Place

if TYPE_CHECKING:
    from holdfast.adapters.ports import Clock, Mirror
    from holdfast.core.crawl.state import CrawlState
    from holdfast.jobs.mirror.knowledge import Knowledge


_OWN: Final = (Twin.OWN, Twin.DISAGREES)
_NOTHING_MORE: Final = Context()
_LOGGED: Final = ("refused", "failed")


class Effects:
    """Turns results into effects, in frontier order."""

    def __init__(self, state: CrawlState, knowledge: Knowledge, clock: Clock) -> None:
        self._state = state
        self._knowledge = knowledge
        self._clock = clock
        self._manner = state.plan.manner

    async def effect(self, entry: FrontierEntry, result: Result, tried: set[str]) -> Effect | TryNext:
        """What follows from one result."""
        decision = decide(entry, result, await self._context(entry, result, tried), self._manner)
        if isinstance(decision, TryNext):
            return decision
        follows = consequence(entry, decision, result)
        self._state.take(entry, follows)
        page, files = self._files(entry, follows)
        closed = follows.finding.closed
        self._state.progress.settle(closed)
        dead_end = not entry.listed and await self._is_dead_end(entry, follows)
        if dead_end:
            self._state.counts.refused[Trap.REPEATED] += closed[0].state is not EntryState.UNASKED
            closed = at_dead_end(closed)
        found = await self._found(entry, follows, dead_end=dead_end)
        if result.named is not None and follows.leads == "stored":
            found = (*self._named(entry, result.named), *found)
        turn = self._state.turn_of(entry, final=result.final)
        if turn or result.final:
            closed = at_turn(closed, turn)
            closed = in_final_pass(closed, entry) if result.final else closed
        return Effect(
            finding=follows.finding.with_ends(page, closed, found),
            response=follows.response,
            beside=result.beside if follows.response else None,
            files=files,
            obsolete=self._stale(closed, entry, result),
            processed=self._unlisted(follows.processed),
            log=self._log(entry, follows),
        )

    def _unlisted(self, urls: tuple[str, ...]) -> tuple[str, ...]:
        """The checkpoint lists a URL once, however often it is done."""
        listed = self._state.plan.acknowledged
        return tuple([url for url in urls if url not in listed]) if listed else urls

    async def _context(self, entry: FrontierEntry, result: Result, tried: set[str]) -> Context:
        """What has to be known beside a result, and no more."""
        if entry.place.key in self._state.progress.settled:
            return Context(is_settled=True)
        if not entry.listed and (trap := self._state.memory.refusal(entry.fetch_url)):
            return Context(trap=trap)
        if result.is_failure:
            return Context(next_address=await self._knowledge.next_address(entry.place.key, tried))
        if isinstance(result.made, Harvest):
            return await self._of_page(entry, result.made, final=result.final)
        return _NOTHING_MORE

    async def _of_page(self, entry: FrontierEntry, made: Harvest, *, final: bool) -> Context:
        if made.place.key != entry.place.key and await self._knowledge.is_done(made.place):
            return Context(is_done=True)
        known = _NOTHING_MORE
        if pointer := canonical_to_check(entry, made):
            known = replace(known, canonical=await self._knowledge.standing(pointer.place, final=final))
            if twin_of(made, known, self._manner)[0] is Twin.COMPARE:
                other = await self._knowledge.text_of(pointer.place)
                same = other is not None and nearly_equal(shingles(made.content.text), shingles(other))
                known = replace(known, same_text=same)
        twin, _ = twin_of(made, known, self._manner)
        if twin not in _OWN:
            return known
        if (shorter := await self._twin(made)) is not None:
            return replace(known, twin=shorter)
        if made.skip is not None or entry.listed:
            return known
        return replace(known, alike=await self._alike(made))

    async def _twin(self, made: Harvest) -> Place | None:
        """The shorter address that shows an equal page already; one that comes later is told apart at the
        end (`jobs.mirror.job.close_run`).
        """
        order = self._state.plan.order
        name = shorter_name(made.place.url) if order.settings.dedupe and made.skip is None else None
        place = places(order.standard)(name) if name else None
        if place is None or place.key == made.place.key:
            return None
        known = await self._knowledge.standing(place, final=True)
        return place if known.content == made.content.content_sha256 else None

    async def _alike(self, made: Harvest) -> bool | None:
        """Whether a page is like the one before it of the same pattern; None where that is not asked."""
        before = self._state.memory.to_compare(made.place)
        text = await self._knowledge.text_of(before) if before else None
        if text is None:
            return None
        return nearly_equal(shingles(without_numbers(made.content.text)), shingles(without_numbers(text)))

    def _files(self, entry: FrontierEntry, follows: Consequence) -> tuple[PageFacts | None, tuple[File, ...]]:
        """The files that a decision leaves in the folder; of a page also its facts."""
        plan = self._state.plan
        if follows.page is not None:
            capture, made = follows.page.capture, follows.page.made
            self._knowledge.remember_text(made.place.key, made.content.text)
            placed = plan.names.place(plan.canonical(made.place))
            return page_of(plan.order, entry.depth, made, capture, placed.path)
        if follows.stands_for is None:
            return None, ()
        place, skipped = follows.stands_for
        canonical = plan.canonical(place)
        if skipped is None:
            return None, (failed_placeholder(plan.names, canonical, entry.fetch_url, follows.why),)
        return None, (skipped_placeholder(plan.names, canonical, skipped, follows.why),)

    async def _is_dead_end(self, entry: FrontierEntry, follows: Consequence) -> bool:
        """Whether a page only repeats what many before it said; one that is not read again, as it was."""
        state = self._state
        if follows.page is not None:
            made = follows.page.made
            return state.memory.leads_nowhere(made.place, made.content.gist)
        if follows.leads != "stored" or not state.progress.follow:
            return False
        return await self._knowledge.was_dead_end(entry.place.key)

    async def _found(
        self, entry: FrontierEntry, follows: Consequence, *, dead_end: bool
    ) -> tuple[FrontierEntry, ...]:
        """The entries that a decision leads to. A page that is not read again keeps its stored links
        (MIR-11), beside what it names.
        """
        state = self._state
        match follows.leads:
            case Harvest() as made:
                return self._linked(entry, replace(made, steps=(), refused=()) if dead_end else made)
            case Pointer(place, href):
                return (state.progress.next_entry(place, href, entry),)
            case "stored" if state.progress.follow and not dead_end:
                links = await self._knowledge.links_of(entry.place.key)
                return state.admitted(stored_steps(links, state.rules), entry)
            case _:
                return ()

    def _named(self, entry: FrontierEntry, named: Named) -> Iterator[FrontierEntry]:
        """The entry of what one that is not read again leads to. A list's date is that of both."""
        place = named.place
        if named.is_same:
            yield replace(
                entry, place=place, fetch_url=named.href, state=EntryState.READY, note=NO_NOTE, attempts=0
            )
            return
        for found in self._state.admitted(((place.url, place.key, place.web_key, named.href),), entry):
            yield replace(found, lastmod=entry.lastmod)

    def _linked(self, entry: FrontierEntry, made: Harvest) -> tuple[FrontierEntry, ...]:
        """The entries that a page leads to: its canonical and, where links are followed, its links."""
        state = self._state
        for href, reason in made.refused:
            if not state.progress.is_first_offer(href):
                continue
            if reason.startswith(NO_IDENTITY):
                state.counts.without_identity(href, reason)
            else:
                state.counts.refused[reason] += 1
        steps = list(made.steps)
        if (pointer := made.canonical) and not pointer.refusal and pointer.place.key != made.place.key:
            place = pointer.place
            steps.insert(0, (place.url, place.key, place.web_key, pointer.href))
        return state.admitted(steps, entry)

    def _stale(self, closed: Iterable[Closed], entry: FrontierEntry, result: Result) -> tuple[str, ...]:
        """The placeholders that stand for nothing any more (MIR-6)."""
        if not self._state.progress.has_placeholders:
            return ()
        plan, stale = self._state.plan, []
        names = (result.made.place, *result.made.hops) if isinstance(result.made, Harvest) else ()
        places = {place.key: place for place in (entry.place, *names)}
        for end in closed:
            if end.key in places and (end.state in DONE or end.state is EntryState.FAILED):
                own, canonical = PLACEHOLDERS.get(end.state), plan.canonical(places[end.key])
                others = (folder for folder in PLACEHOLDERS.values() if folder != own)
                stale += [plan.names.placeholder(canonical, folder) for folder in others]
        return tuple(stale)

    def _log(self, entry: FrontierEntry, follows: Consequence) -> str:
        if follows.word not in _LOGGED:
            return ""
        line = harmless(" ".join(follows.why.split()))
        return f"{timestamp(self._clock.now())}\t{follows.word}\t{shown(entry.fetch_url)}\t{line}\n"


def put_files(folder: Mirror, effects: Sequence[Effect]) -> dict[str, str]:
    """Write what effects leave in the folder; files that were refused, with the reason."""
    files = {path: content for effect in effects for path, content in effect.files}
    times = {
        path: effect.response.capture.fetched_at.timestamp()
        for effect in effects
        if effect.response
        for path, _ in effect.files
    }
    refused = folder.put_all(files, times) if files else {}
    for effect in effects:
        for path in effect.obsolete:
            folder.remove(path)
    return refused


class Acknowledging:
    """The lines of effects whose files are put: written once these are durable, in the order they came. After
    a failure nothing more is written, and `check` and `flush` raise it.
    """

    def __init__(self, folder: Mirror) -> None:
        self._folder = folder
        self._lines: list[str] = []
        self._log: list[str] = []
        self._working: asyncio.Task[None] | None = None
        self._failure: BaseException | None = None

    def add(self, effects: Sequence[Effect], refused: dict[str, str]) -> None:
        """Acknowledge effects soon; not those whose files were refused."""
        for effect in effects:
            if not refused or not any(path in refused for path, _ in effect.files):
                self._lines += [f"{url}\n" for url in effect.processed]
            if effect.log:
                self._log.append(effect.log)
        if self._working is None and self._failure is None and (self._lines or self._log):
            self._working = asyncio.create_task(self._work())

    def check(self) -> None:
        """Raise what failed, if something did."""
        if self._failure is not None:
            raise self._failure

    async def flush(self) -> None:
        """Wait until everything that was added is acknowledged, durably."""
        await self.rest()
        if self._failure is None:
            await asyncio.to_thread(self._folder.settle)
        self.check()

    async def rest(self) -> None:
        """Wait until nothing is at work."""
        if self._working is not None:
            await asyncio.wait([self._working])

    async def _work(self) -> None:
        try:
            while self._lines or self._log:
                lines, log, self._lines, self._log = self._lines, self._log, [], []
                await asyncio.to_thread(self._acknowledge, "".join(lines), "".join(log))
        except BaseException as error:  # noqa: BLE001 - kept: every later call raises it
            self._failure = error
        finally:
            self._working = None

    def _acknowledge(self, lines: str, log: str) -> None:
        self._folder.settle()
        if log:
            self._folder.append(FAILED_LOG, log.encode("utf-8", "replace"))
        if lines:
            self._folder.append(PROCESSED, lines.encode())
