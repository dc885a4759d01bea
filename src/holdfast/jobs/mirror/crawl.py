"""The crawl: a window of fetches ahead, results taken in frontier order.

    ready entries → fetch and harvest, many at a time → the window, in order → effects → group → flush

1. The head of the window takes effect first, whoever is ready; the window is bounded in entries and bytes.
2. Entries come in the order of depth, source, position. What a page leads to lies deeper and comes later
   than everything in the window, so the window never has to be put in order again.
3. When nothing is ready, the entries that had to wait (a canonical not yet known, a host that wants to be
   left alone, a failure worth another try) are taken in a final pass, in the same order and one after the
   other: as soon as one leads to something new, those behind it give way and wait until that is done.
   They are fetched ahead all the same.
4. What a crash cut off in the final pass after it had taken effect comes before everything else.
5. A group is flushed when it is large or its first effect has waited `PATIENCE`: small groups cost a sync
   each. A flush runs in another thread while the loop goes on; there is one at a time. One that fails ends
   the crawl: nothing after it takes effect on disk.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import Final

from holdfast.core.capture import Fetched
from holdfast.core.ledger import Closed, EntryState, FrontierEntry
from holdfast.jobs.mirror.effects import Decider, Result, TryNext
from holdfast.jobs.mirror.group import Effect, Flushed, flush
from holdfast.jobs.mirror.harvest import Harvest
from holdfast.jobs.mirror.knowledge import OPEN, Knowledge
from holdfast.jobs.mirror.notes import Note
from holdfast.jobs.mirror.obtain import Obtaining
from holdfast.jobs.mirror.pulse import Pulse
from holdfast.jobs.mirror.state import CrawlState
from holdfast.jobs.mirror.stop import Stop
from holdfast.jobs.mirror.tools import Tools
from holdfast.jobs.mirror.updating import Updating

__all__ = ["Crawl", "Ending"]

GROUP_EFFECTS: Final = 64
GROUP_BYTES: Final = 16_000_000
PATIENCE: Final = 0.1
HELD_BYTES: Final = 96_000_000
GRACE: Final = 10.0
"""Seconds that the pages in flight have to be finished when the user asks to stop."""


class Ending(StrEnum):
    """How a crawl ended; `crawl.status` of the manifest."""

    FINISHED = "finished"
    MAX_PAGES = "max_pages"
    INTERRUPTED = "interrupted"
    ABORTED = "aborted"
    NO_SPACE = "no_space"


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
        return self.final and not Note.parse(self.entry.detail).again


class Crawl:
    """One start of one run, from the frontier as it is to its end or an early stop."""

    def __init__(
        self, tools: Tools, state: CrawlState, stop: Stop, *, width: int, updating: Updating | None = None
    ) -> None:
        self._tools = tools
        self._state = state
        self._stop = stop
        self._width = width
        self._knowledge = Knowledge(tools, state)
        self._updating = updating
        self._obtaining = Obtaining(tools, state, self._knowledge, updating)
        self._decider = Decider(tools, state, self._knowledge, self._flush)
        self._pulse = Pulse(tools, state)
        self._window: deque[_Flight] = deque()
        self._ready: deque[FrontierEntry] = deque(state.begun_again)
        self._group: list[Effect] = []
        self._flushing: asyncio.Task[None] | None = None
        self._due: asyncio.TimerHandle | None = None
        self._gathered = 0
        self._held = 0
        self._dry = False
        self._final = bool(self._ready)

    async def run(self) -> Ending:
        """Crawl until the frontier is done, or something ends it."""
        waker = asyncio.Event()
        self._stop.wakers.append(waker.set)
        try:
            ending = await self._loop(waker)
            if not self._stop.now:
                await self._flush()
        finally:
            self._stop.wakers.remove(waker.set)
            await self._drop_flights()
        self._pulse.beat()
        return ending

    async def _loop(self, waker: asyncio.Event) -> Ending:
        while True:
            if self._stop.soon:
                return await self._wind_down()
            if (ending := self._early_end()) is not None:
                return ending
            if self._flushing is not None and self._flushing.done():
                await self._flushing  # done and still here: it failed, and says how
            await self._fill()
            if not self._window:
                if self._group or self._flushing is not None:
                    await self._flush()
                    continue
                return Ending.FINISHED
            if await self._head_is_done(waker):
                await self._take_effect()

    def _early_end(self) -> Ending | None:
        state, settings = self._state, self._state.order.settings
        if state.abort is not None:
            return Ending.ABORTED
        if settings.max_pages is not None and state.pages >= settings.max_pages:
            return Ending.MAX_PAGES
        return Ending.NO_SPACE if self._pulse.is_disk_low else None

    async def _wind_down(self) -> Ending:
        """Finish what is in flight, unless it takes too long or the user asks again."""
        deadline = self._tools.clock.monotonic() + GRACE
        while self._window and not self._stop.now:
            left = deadline - self._tools.clock.monotonic()
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
        while len(self._window) < self._width and self._held < HELD_BYTES:
            entry = await self._next_entry()
            if entry is None:
                return
            self._start(entry)

    async def _next_entry(self) -> FrontierEntry | None:
        if self._ready:
            return self._ready.popleft()
        if not self._dry:
            self._ready.extend(await self._take(EntryState.READY))
        if not self._ready and any(effect.discovered for effect in self._group):
            await self._flush()
            self._ready.extend(await self._take(EntryState.READY))
        if self._ready:
            self._final = False
            return self._ready.popleft()
        self._dry = True
        if self._window or self._group or self._flushing:
            return None
        self._ready.extend(await self._take(EntryState.DEFERRED))
        self._final = bool(self._ready)
        return self._ready.popleft() if self._ready else None

    async def _take(self, state: EntryState) -> tuple[FrontierEntry, ...]:
        return await self._knowledge.ask(self._take_now, state)

    def _take_now(self, state: EntryState) -> tuple[FrontierEntry, ...]:
        entries = self._tools.ledger.frontier.take_entries(self._state.run_id, self._width, state)
        if self._updating is not None:
            self._updating.prepare(entries)
        return entries

    def _start(self, entry: FrontierEntry) -> None:
        self._pulse.start(entry)
        task = asyncio.create_task(self._obtain(entry, entry.fetch_url, final=self._final))
        self._window.append(_Flight(entry, self._final, task, {entry.fetch_url}))

    async def _obtain(self, entry: FrontierEntry, href: str, *, final: bool) -> Result:
        result = await self._obtaining.obtain(entry, href, final=final)
        self._held += _weight(result)
        return result

    async def _take_effect(self) -> None:
        """The head of the window: decide, and go on."""
        flight = self._window[0]
        result = flight.task.result()
        effect = await self._decider.effect(flight.entry, result, flight.tried)
        if isinstance(effect, TryNext):
            flight.tried.add(effect.href)
            self._held -= _weight(result)
            flight.task = asyncio.create_task(self._obtain(flight.entry, effect.href, final=flight.final))
            return
        self._window.popleft()
        effect = self._unlisted(effect)
        if effect.seen is None:
            self._held -= _weight(result)
        content = result.made.content_sha256 if isinstance(result.made, Harvest) else None
        self._knowledge.note(effect, content)
        self._gather(effect)
        if any(closed.key == flight.entry.place.key and closed.state in OPEN for closed in effect.closed):
            self._pulse.wait()
        else:
            self._pulse.finish()
        if len(self._group) >= GROUP_EFFECTS or self._gathered >= GROUP_BYTES:
            await self._end_of_flush()
            self._start_flush()
        if effect.discovered and flight.final:
            await self._give_way()

    def _gather(self, effect: Effect) -> None:
        self._group.append(effect)
        self._gathered += effect.weight
        if self._due is None:
            self._due = asyncio.get_running_loop().call_later(PATIENCE, self._fall_due)

    def _fall_due(self) -> None:
        self._due = None
        self._start_flush()

    def _start_flush(self) -> None:
        """Begin to flush; while one is under way, its end begins the next."""
        if self._group and self._flushing is None:
            self._flushing = asyncio.create_task(self._flush_group())

    async def _give_way(self) -> None:
        """In the final pass, something was found: if it is new, it comes before whatever waited longer."""
        waiting = [flight for flight in self._window if flight.gives_way]
        if len(waiting) < len(self._window) or not (waiting or self._ready):
            return
        await self._flush()
        found = await self._take(EntryState.READY)
        if not found:
            return
        self._window.clear()
        for flight in waiting:
            flight.task.cancel()
            self._pulse.wait()
        results = await asyncio.gather(*(flight.task for flight in waiting), return_exceptions=True)
        self._held -= sum(_weight(result) for result in results if isinstance(result, Result))
        entries = [*(flight.entry for flight in waiting), *self._ready]
        back = [Closed(entry.place.key, EntryState.DEFERRED, entry.detail) for entry in entries]
        await self._knowledge.ask(self._tools.ledger.frontier.close_entries, self._state.run_id, back)
        self._ready = deque(found)
        self._final = False

    def _unlisted(self, effect: Effect) -> Effect:
        """The checkpoint lists a URL once, however often it is done."""
        listed = self._state.acknowledged
        if not listed:
            return effect
        return replace(effect, processed=tuple(url for url in effect.processed if url not in listed))

    async def _flush(self) -> None:
        """Make everything so far durable, and wait for it."""
        await self._end_of_flush()
        if self._group:
            await self._flush_group()

    async def _end_of_flush(self) -> None:
        while self._flushing is not None:
            await self._flushing

    async def _flush_group(self) -> None:
        effects, self._group, self._gathered = self._group, [], 0
        self._forget_due()
        task = partial(flush, self._tools, self._state.run_id, effects, count=self._pulse.wants_total)
        flushed: Flushed = await self._knowledge.work(task)
        if self._pulse.is_due:
            await self._knowledge.work(self._pulse.beat)
        self._flushing = None
        self._knowledge.forget(effects)
        if self._updating is not None:
            self._updating.note(effects, flushed.committed)
        self._held -= sum(effect.weight for effect in effects)
        if any(effect.discovered for effect in effects):
            self._dry = False
        self._pulse.flushed(flushed)
        if self._due is None:
            self._start_flush()  # what gathered meanwhile has waited long enough

    def _forget_due(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None

    async def _drop_flights(self) -> None:
        """Let go of what is under way; its entries stay taken, and are asked for at the next start."""
        self._group = []
        self._forget_due()
        tasks: list[asyncio.Task[Result] | asyncio.Task[None]] = [flight.task for flight in self._window]
        if self._flushing is not None:
            tasks.append(self._flushing)
        for flight in self._window:
            flight.task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _weight(result: Result) -> int:
    beside = len(result.beside.capture.body) if result.beside else 0
    return beside + (len(result.outcome.capture.body) if isinstance(result.outcome, Fetched) else 0)
