"""The crawl: a window of fetches ahead, results taken in frontier order.

    ready entries → fetch and harvest, many at a time → the window, in order → effects → the journal

1. The head of the window takes effect first, whoever is ready; the window is bounded in entries and bytes,
   and by `--max-pages`: what that would not keep is not asked for. In an update it is no limit of the window,
   but a budget of questions (`jobs.mirror.turns`).
2. Entries come in the order of depth, source, position. What a page leads to lies deeper and comes later
   than everything in the window, so the window never has to be put in order again.
3. When nothing is ready, the entries that had to wait (a canonical not yet known, a host that wants to be
   left alone, a failure worth another try) are taken in a final pass, in the same order and one after the
   other: as soon as one leads to something new, those behind it give way and wait until that is done.
   They are fetched ahead all the same.
4. What had taken effect when a crash cut it off comes before everything else, in the order it had then.
5. Effects are written in groups while the loop goes on, and acknowledged (`group`) when their files are
   durable. A group that fails ends the crawl: nothing after it takes effect on disk.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Final

from holdfast.core.base.values import dataclass
from holdfast.core.crawl.consequences import OPEN
from holdfast.core.crawl.decision import Ending, TryNext
from holdfast.core.crawl.harvest import Harvest, Result
from holdfast.core.lineage.batch import Effect
from holdfast.core.lineage.ledger_values import Closed, EntryState, FrontierEntry
from holdfast.core.lineage.lineage import Verdict
from holdfast.jobs.mirror.effects import Acknowledging, Effects, put_files
from holdfast.jobs.mirror.knowledge import Knowledge
from holdfast.jobs.mirror.obtain import Obtaining
from holdfast.jobs.mirror.progress import CrawlReporter, Flushed
from holdfast.storage.store_ports import Archive, Batching, Journal

if TYPE_CHECKING:
    from holdfast.adapters.ports import Mirror
    from holdfast.core.crawl.state import CrawlState
    from holdfast.jobs.mirror.obtain import PageAsking
    from holdfast.jobs.mirror.updating import Updating
    from holdfast.jobs.session import Session
    from holdfast.jobs.stop import Stop
    from holdfast.storage.ledger.ledger import Ledger


GROUPS: Final = Batching(most=256, most_bytes=16_000_000, patience=0.5)
"""What a group costs by itself (questions, a commit, a sync) is a tenth of a crawl in groups of 64."""
READY_AT_ONCE: Final = 4
"""Windows of entries that are taken together; those that had to wait may have to be given back."""
HELD_BYTES: Final = 96_000_000
GRACE: Final = 10.0
"""Seconds that the pages in flight have to be finished when the user asks to stop."""


@dataclass(slots=True)
class _Flight:
    """An entry under way, and the addresses that were tried for it."""

    entry: FrontierEntry
    final: bool
    task: asyncio.Task[Result]
    tried: set[str] = field(default_factory=set)

    @property
    def gives_way(self) -> bool:
        """Whether it waits again when something new is found before its turn."""
        return self.final and not self.entry.note.again


class Crawl:
    """One start of one run, from the frontier as it is to its end or an early stop."""

    def __init__(
        self,
        session: Session,
        folder: Mirror,
        state: CrawlState,
        stop: Stop,
        asking: PageAsking,
        *,
        width: int,
        updating: Updating | None = None,
    ) -> None:
        self._session = session
        self._folder = folder
        self._state = state
        self._stop = stop
        self._width = width
        self._journal: Journal[Effect] = session.scribe.journal(
            state.plan.run_id, GROUPS, self._put_files, self._acknowledged
        )
        self._acknowledging = Acknowledging(folder)
        self._knowledge = Knowledge(session, state, self._journal.flush)
        self._updating = updating
        self._turns = updating.turns if updating else None
        self._obtaining = Obtaining(session, state, self._knowledge, asking, updating)
        self._effects = Effects(state, self._knowledge, session.clock)
        self._reporter = CrawlReporter(session, folder, state)
        self._window: deque[_Flight] = deque()
        self._begun_again = deque(state.plan.begun_again)
        self._ready: deque[FrontierEntry] = deque()
        self._held = 0
        self._dry = False
        self._final = False

    async def run(self) -> Ending:
        """Crawl until the frontier is done, or something ends it."""
        waker = asyncio.Event()
        self._stop.wakers.append(waker.set)
        try:
            ending = await self._loop(waker)
            if not self._stop.now:
                await self._journal.flush()
                await self._acknowledging.flush()
        finally:
            self._stop.wakers.remove(waker.set)
            await self._drop_flights()
        self._reporter.tell()
        return ending

    async def _loop(self, waker: asyncio.Event) -> Ending:
        while True:
            if self._stop.soon:
                return await self._wind_down()
            if (ending := self._early_end()) is not None:
                return Ending.FINISHED if await self._is_all_done(ending) else ending
            self._journal.check()
            self._acknowledging.check()
            await self._fill()
            if not self._window:
                if not self._journal.is_idle:
                    await self._journal.flush()
                    continue
                return await self._end()
            if await self._head_is_done(waker):
                await self._take_effect()

    def _early_end(self) -> Ending | None:
        if self._state.progress.abort is not None:
            return Ending.ABORTED
        if not self._room():
            return Ending.MAX_PAGES
        return Ending.NO_SPACE if self._reporter.is_disk_low else None

    def _room(self) -> int:
        """How many entries may be under way: no more than pages are wanted still."""
        most = self._state.plan.order.settings.scope.max_pages if self._updating is None else None
        return self._width if most is None else max(min(self._width, most - self._state.counts.pages), 0)

    async def _end(self) -> Ending:
        """Nothing is left to do: but for what a budget left out, all is done."""
        turns = self._turns
        if turns is None or not (
            waiting := await self._session.scribe.ask(lambda ledger, _: turns.count_waiting(ledger))
        ):
            return Ending.FINISHED
        self._state.counts.not_asked(waiting)
        return Ending.MAX_PAGES

    async def _is_all_done(self, ending: Ending) -> bool:
        """Whether the last page that `--max-pages` admits was the last there is."""
        if ending is not Ending.MAX_PAGES or self._window or self._ready or self._begun_again:
            return False
        await self._journal.flush()
        run_id = self._state.plan.run_id
        left = await self._session.scribe.ask(lambda ledger, _: ledger.frontier.count_entries(run_id))
        return not any(left.get(state) for state in OPEN)

    async def _wind_down(self) -> Ending:
        """Finish what is in flight, unless it takes too long or the user asks again."""
        deadline = self._session.clock.monotonic() + GRACE
        while self._window and not self._stop.now:
            left = deadline - self._session.clock.monotonic()
            done, _ = await asyncio.wait({self._window[0].task}, timeout=max(min(left, 0.1), 0))
            if done:
                await self._take_effect()
            elif left <= 0:
                break
        return Ending.INTERRUPTED

    async def _head_is_done(self, waker: asyncio.Event) -> bool:
        head = self._window[0].task
        if head.done():
            return True
        head.add_done_callback(lambda _: waker.set())
        await waker.wait()
        waker.clear()
        return head.done()

    async def _fill(self) -> None:
        room = self._room()
        while len(self._window) < room and self._held < HELD_BYTES:
            entry = await self._next_entry()
            if entry is None:
                return
            self._start(entry)

    async def _next_entry(self) -> FrontierEntry | None:
        if self._ready:
            return self._ready.popleft()
        if self._begun_again:
            return self._begun_again.popleft()
        if not self._dry:
            self._ready.extend(await self._take(EntryState.READY))
        if not self._ready and any(effect.finding.discovered for effect in self._journal.waiting):
            await self._journal.flush()
            self._ready.extend(await self._take(EntryState.READY))
        if self._ready:
            self._final = False
            return self._ready.popleft()
        self._dry = True
        if self._window or not self._journal.is_idle:
            return None
        turns = self._turns
        if turns is not None and await self._session.scribe.ask(lambda ledger, _: turns.choose(ledger)):
            self._ready.extend(await self._take(EntryState.READY))
            self._dry = self._final = False
            return self._ready.popleft()
        self._ready.extend(await self._take(EntryState.DEFERRED))
        self._final = bool(self._ready)
        return self._ready.popleft() if self._ready else None

    async def _take(self, state: EntryState) -> tuple[FrontierEntry, ...]:
        return await self._session.scribe.ask(lambda ledger, _: self._take_now(ledger, state))

    def _take_now(self, ledger: Ledger, state: EntryState) -> tuple[FrontierEntry, ...]:
        number = self._width * (READY_AT_ONCE if state is EntryState.READY else 1)
        entries = ledger.frontier.take_entries(self._state.plan.run_id, number, state)
        if self._updating is not None:
            self._updating.prepare(ledger, entries)
        return entries

    def _start(self, entry: FrontierEntry) -> None:
        self._reporter.start(entry)
        final = entry.note.final if entry.note.again else self._final
        task = asyncio.create_task(self._obtain(entry, entry.fetch_url, final=final))
        self._window.append(_Flight(entry, final, task, {entry.fetch_url}))

    async def _obtain(self, entry: FrontierEntry, href: str, *, final: bool) -> Result:
        result = await self._obtaining.obtain(entry, href, final=final)
        self._held += result.weight
        return result

    async def _take_effect(self) -> None:
        """The head of the window: decide, and go on."""
        flight = self._window[0]
        result = flight.task.result()
        effect = await self._effects.effect(flight.entry, result, flight.tried)
        if isinstance(effect, TryNext):
            flight.tried.add(effect.href)
            self._held -= result.weight
            flight.task = asyncio.create_task(self._obtain(flight.entry, effect.href, final=flight.final))
            return
        self._window.popleft()
        if effect.response is None:
            self._held -= result.weight
        content = result.made.content.content_sha256 if isinstance(result.made, Harvest) else None
        self._knowledge.note(effect, content)
        key, closed = flight.entry.place.key, effect.finding.closed
        if any(end.key == key and end.state in OPEN for end in closed):
            self._reporter.wait()
        else:
            self._reporter.finish()
        await self._journal.submit(effect)
        if effect.finding.discovered and flight.final:
            await self._give_way()

    def _put_files(self, ledger: Ledger, _: Archive, effects: Sequence[Effect]) -> Flushed:
        """The folder's part of a group, on the scribe's thread."""
        refused = put_files(self._folder, effects)
        total = None
        if self._reporter.wants_total:
            total = sum(ledger.frontier.count_entries(self._state.plan.run_id).values())
        if self._reporter.is_due:
            self._reporter.tell()
        return Flushed(refused, total)

    def _acknowledged(
        self, effects: Sequence[Effect], verdicts: Sequence[Verdict | None], flushed: Flushed
    ) -> None:
        """A group is in archive and ledger, and its files are put."""
        self._acknowledging.add(effects, flushed.refused)
        self._knowledge.forget(effects)
        if self._updating is not None:
            self._updating.note(effects, verdicts)
        self._held -= sum(effect.weight for effect in effects)
        if any(effect.finding.discovered for effect in effects):
            self._dry = False
        self._reporter.flushed(effects, verdicts, flushed)

    async def _give_way(self) -> None:
        """In the final pass, something was found: if it is new, it comes before whatever waited longer."""
        waiting = [flight for flight in self._window if flight.gives_way]
        if self._begun_again or len(waiting) < len(self._window) or not (waiting or self._ready):
            return
        await self._journal.flush()
        found = await self._take(EntryState.READY)
        if not found:
            return
        self._window.clear()
        for flight in waiting:
            flight.task.cancel()
            self._reporter.wait()
        results = await asyncio.gather(*(flight.task for flight in waiting), return_exceptions=True)
        self._held -= sum(result.weight for result in results if isinstance(result, Result))
        entries = [*(flight.entry for flight in waiting), *self._ready]
        back = [Closed(entry.place.key, EntryState.DEFERRED, entry.note) for entry in entries]
        run_id = self._state.plan.run_id
        await self._session.scribe.ask(lambda ledger, _: ledger.frontier.close_entries(run_id, back))
        self._ready = deque(found)
        self._final = False

    async def _drop_flights(self) -> None:
        """Abandon what is under way; its entries stay taken, and are asked for at the next start."""
        for flight in self._window:
            flight.task.cancel()
        await asyncio.gather(*(flight.task for flight in self._window), return_exceptions=True)
        await self._journal.abandon()
        await self._acknowledging.rest()
