"""One result, and what follows from it. Called in frontier order, so what follows is a function of the
responses alone (MIR-12).

    fetched, a page                     a file, an item, its links
    fetched, redirected                 the same under the final URL; the requested one becomes its alias
    fetched, names another canonical    a duplicate, or a wait until the other is known, or a file (ID-10)
    fetched, no page                    a placeholder in `_skipped/`
    refused                             a count, a line in the log
    failed, gone, timed out             the next address of the same key; then a placeholder in `_failed/`,
                                        another try at the end, or the end of the run (MIR-6)
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import assert_never

from holdfast.core.canonical import CanonicalUrl
from holdfast.core.capture import (
    Capture,
    Deferred,
    Denied,
    Failed,
    Fetched,
    Gone,
    NotModified,
    Outcome,
    RedirectedAway,
    TimedOut,
)
from holdfast.core.duplicates import Claim, Twin, judge
from holdfast.core.ledger import Closed, Draft, EntryState, FrontierEntry, Place
from holdfast.core.lineage import RecordRef
from holdfast.core.outcome import describe
from holdfast.core.redaction import redacted, shown
from holdfast.core.scope import OutOfScope
from holdfast.core.similarity import nearly_equal, shingles, without_numbers
from holdfast.core.traps import pattern_of
from holdfast.core.url import Url, parse_url
from holdfast.jobs.mirror import endings
from holdfast.jobs.mirror.group import Effect, Seen
from holdfast.jobs.mirror.harvest import Harvest, Step, stored_steps
from holdfast.jobs.mirror.knowledge import DONE, Knowledge
from holdfast.jobs.mirror.notes import Note
from holdfast.jobs.mirror.order import OnError
from holdfast.jobs.mirror.pages import PLACEHOLDERS, page_links, page_of
from holdfast.jobs.mirror.state import CrawlState
from holdfast.jobs.mirror.tools import Tools, Unreadable
from holdfast.jobs.mirror.updating import Kept

__all__ = ["Decider", "Result", "TryNext"]


@dataclass(frozen=True, slots=True)
class Result:
    """How an entry came out. No outcome: it was not asked for, an earlier run has the page; `kept` says how
    it ends. `ref` is set when the capture was read from the archive; `final`: this is the last pass, nothing
    waits any more. `beside` is another answer that was needed for it: the page that named its own
    Markdown, or Markdown that was not taken; `confirms`: see `Seen`.
    """

    outcome: Outcome | None
    made: Harvest | Unreadable | None = None
    ref: RecordRef | None = None
    final: bool = False
    kept: Kept | None = None
    beside: Seen | None = None
    confirms: str | None = None


@dataclass(frozen=True, slots=True)
class TryNext:
    """The address that was asked failed; the entry has another (MIR-8)."""

    href: str


class Decider:
    """Turns results into effects, in frontier order. `flush` makes all effects so far durable."""

    def __init__(
        self, tools: Tools, state: CrawlState, knowledge: Knowledge, flush: Callable[[], Awaitable[None]]
    ) -> None:
        self._tools = tools
        self._state = state
        self._knowledge = knowledge
        self._flush = flush

    async def effect(self, entry: FrontierEntry, result: Result, tried: set[str]) -> Effect | TryNext:
        """What follows from one result."""
        if entry.place.key in self._state.settled:
            return Effect()
        if not entry.listed and (trap := self._trap(entry.fetch_url)):
            return self._refused(entry, trap, trap)
        effect = await self._by_outcome(entry, result, tried)
        if isinstance(effect, TryNext):
            return effect
        if effect.seen is not None and (result.beside or result.confirms):
            seen = replace(effect.seen, confirms=result.confirms)
            effect = replace(effect, seen=seen, beside=result.beside)
        if self._state.has_placeholders:
            effect = replace(effect, obsolete=tuple(self._stale(effect, entry, result)))
        return endings.of_final_pass(effect, entry) if result.final else effect

    async def _by_outcome(self, entry: FrontierEntry, result: Result, tried: set[str]) -> Effect | TryNext:
        match result.outcome:
            case None:
                return await self._through(entry, result.kept)
            case Fetched(capture):
                return await self._fetched(entry, capture, result, tried)
            case NotModified(capture):
                found = await self._stored(entry)
                return replace(endings.confirmed(self._state, entry, capture), discovered=found)
            case RedirectedAway(target):
                return self._refused(entry, "redirected out of scope", f"redirects to {redacted(target)}")
            case Denied(denial, detail):
                return self._refused(entry, str(denial), detail)
            case Deferred(until, detail) if not result.final:
                return endings.deferred(entry, Note(detail, until=until))
            case Failed() | Gone() | TimedOut() | Deferred():
                return await self._failure(entry, result, tried, describe(result.outcome))
            case _:
                assert_never(result.outcome)

    async def _fetched(
        self, entry: FrontierEntry, capture: Capture, result: Result, tried: set[str]
    ) -> Effect | TryNext:
        made = result.made
        if not isinstance(made, Harvest):
            why = made.why if made else "it was not read"
            return await self._failure(entry, result, tried, f"cannot be converted: {why}")
        if made.place.key != entry.place.key and await self._knowledge.is_done(made.place):
            return endings.also_known(self._state, entry, made)
        seen = Seen(capture, made.place, result.ref)
        if made.refresh and made.refresh.place.key not in (made.place.key, entry.place.key):
            if made.refresh.refusal:
                words = f"refreshes to {shown(made.refresh.href)}"
                return self._refused(entry, "redirected out of scope", words)
            return endings.refreshed(self._state, entry, made, made.refresh, seen)
        if made.skip is not None:
            return self._with_links(endings.skipped(self._state, entry, made, seen, made.skip), entry, made)
        twin, words = await self._twin(made, final=result.final)
        if twin is Twin.WAIT:
            note = Note(words, waiting=made.place.key, final=True)
            closed = Closed(entry.place.key, EntryState.DEFERRED, str(note))
            return Effect(closed=(closed,), seen=seen, discovered=self._found(entry, made))
        if twin is Twin.DUPLICATE and made.canonical:
            twin_of = endings.duplicate(self._state, entry, made, made.canonical, seen, words)
            return self._with_links(twin_of, entry, made)
        return await self._page(entry, made, seen, words)

    async def _through(self, entry: FrontierEntry, kept: Kept | None) -> Effect:
        """A page of an earlier run: its stored links lead on."""
        if kept is not None:
            return replace(endings.kept(self._state, entry, kept), discovered=await self._stored(entry))
        self._state.outcomes["already done"] += 1
        closed = Closed(entry.place.key, EntryState.UNCHANGED, "was there already")
        return Effect(closed=(closed,), discovered=await self._stored(entry))

    async def _stored(self, entry: FrontierEntry) -> tuple[FrontierEntry, ...]:
        """What a page that is not read again leads to: a 304 keeps the stored links (MIR-11)."""
        if not self._state.follow:
            return ()
        ledger, recipe = self._tools.ledger, self._state.order.standard.recipe
        links = await self._knowledge.ask(ledger.history.links_of, recipe, entry.place.key)
        return self._admitted(stored_steps(links, self._state.rules), entry)

    async def _page(self, entry: FrontierEntry, made: Harvest, seen: Seen, words: str) -> Effect:
        state = self._state
        alike = None if entry.listed else await self._alike(made)
        placed = state.names.place(self._canonical(made.place))
        facts, files = page_of(state.order, entry, made, seen.capture, placed.path)
        names = made.canonical.place.url if made.canonical else None
        turn = 0 if entry.listed else state.count_for_traps(made.place, alike=alike)
        note = Note(words, names=names if names != made.place.url else None, alike=alike, turn=turn)
        state.pages += 1
        state.outcomes["page"] += 1
        state.warnings.update(made.warnings)
        self._knowledge.remember_text(made.place.key, made.text)
        closed, known = endings.ends(state, entry, made, EntryState.PAGE, str(note))
        return Effect(
            closed=closed,
            seen=seen,
            made=Draft(made.content_sha256, made.title, page_links(made.links)),
            page=facts,
            aliases=endings.aliases_of(entry, made),
            discovered=known + self._found(entry, made),
            files=files,
            processed=endings.urls_of(entry, made),
        )

    async def _twin(self, made: Harvest, *, final: bool) -> tuple[Twin, str]:
        """Whether a page is a duplicate of what it names, and the reason in words (ID-10)."""
        pointer = made.canonical
        if pointer is None or pointer.place.key == made.place.key:
            return Twin.OWN, ""
        words = f"names {pointer.place.url} as canonical"
        if pointer.refusal:
            return Twin.OWN, f"{words}, which is not admitted: {pointer.refusal}"
        claim = Claim(made.place.url, made.content_sha256, pointer.place.url)
        standing = await self._knowledge.standing(pointer.place, final=final)
        twin = judge(self._state.order.canonical_mode, claim, standing)
        if twin is Twin.COMPARE:
            other = await self._knowledge.text_of(pointer.place)
            equal = other is not None and nearly_equal(shingles(made.text), shingles(other))
            twin = Twin.DUPLICATE if equal else Twin.DISAGREES
        if twin is Twin.DISAGREES:
            self._state.outcomes["canonical disagreement"] += 1
            words += ", but they are not the same"
        return twin, words

    async def _alike(self, made: Harvest) -> bool | None:
        """Whether a page is like the one before it of the same pattern; None where that is not asked."""
        url = parse_url(made.place.url)
        if not isinstance(url, Url) or not self._state.traps.wants_comparison(url):
            return None
        before = self._state.last_of_pattern.get(pattern_of(url) or "")
        text = await self._knowledge.text_of(before) if before else None
        if text is None:
            return None
        return nearly_equal(shingles(without_numbers(made.text)), shingles(without_numbers(text)))

    async def _failure(
        self, entry: FrontierEntry, result: Result, tried: set[str], words: str
    ) -> Effect | TryNext:
        if self._knowledge.is_offered(entry.place.key):
            await self._flush()
        for href in await self._knowledge.alternates(entry.place.key):
            if href not in tried:
                return TryNext(href)
        outcome, on_error = result.outcome, self._state.order.on_error
        if outcome is None:
            raise ValueError("what was not asked for cannot fail")
        transient = isinstance(outcome, TimedOut) or (isinstance(outcome, Failed) and outcome.transient)
        if transient and not result.final and on_error is OnError.RETRY:
            return endings.deferred(entry, Note(f"to be tried again: {words}"))
        if on_error is OnError.ABORT:
            self._state.abort = f"{shown(entry.fetch_url)}: {words}"
        return endings.failed(self._state, entry, self._tools.clock.now(), outcome=outcome, words=words)

    def _refused(self, entry: FrontierEntry, reason: str, words: str) -> Effect:
        return endings.refused(self._state, entry, self._tools.clock.now(), reason=reason, words=words)

    def _with_links(self, effect: Effect, entry: FrontierEntry, made: Harvest) -> Effect:
        return replace(effect, discovered=effect.discovered + self._found(entry, made))

    def _found(self, entry: FrontierEntry, made: Harvest) -> tuple[FrontierEntry, ...]:
        """The entries that a page leads to: its canonical and, where links are followed, its links."""
        state = self._state
        for href, reason in made.refused:
            if state.is_first_offer(href):
                state.refused[reason] += 1
        steps = list(made.steps)
        if (pointer := made.canonical) and not pointer.refusal and pointer.place.key != made.place.key:
            place = pointer.place
            steps.insert(0, (place.url, place.key, place.web_key, pointer.href))
        return self._admitted(steps, entry)

    def _admitted(self, steps: Iterable[Step], entry: FrontierEntry) -> tuple[FrontierEntry, ...]:
        """The entries that links make: each address once, within depth, and in no trap."""
        state = self._state
        found = []
        for url, key, web_key, href in steps:
            if not state.is_first_offer(href) or state.skips(url):
                continue
            if (refusal := self._refusal(href, entry.depth + 1)) is not None:
                state.refused[refusal] += 1
                continue
            found.append(state.next_entry(Place(url, key, web_key), href, entry))
        return tuple(found)

    def _refusal(self, href: str, depth: int) -> str | None:
        limit = self._state.scope.max_depth
        return OutOfScope.DEPTH if limit is not None and depth > limit else self._trap(href)

    def _trap(self, href: str) -> str | None:
        url = parse_url(href)
        trap = self._state.traps.refusal(url) if isinstance(url, Url) else None
        return None if trap is None else str(trap)

    def _stale(self, effect: Effect, entry: FrontierEntry, result: Result) -> Iterator[str]:
        """The placeholders that stand for nothing any more (MIR-6)."""
        names = (result.made.place, *result.made.hops) if isinstance(result.made, Harvest) else ()
        places = {place.key: place for place in (entry.place, *names)}
        for closed in effect.closed:
            if closed.key in places and (closed.state in DONE or closed.state is EntryState.FAILED):
                own, canonical = PLACEHOLDERS.get(closed.state), self._canonical(places[closed.key])
                for folder in PLACEHOLDERS.values():
                    if folder != own:
                        yield self._state.names.placeholder(canonical, folder)

    def _canonical(self, place: Place) -> CanonicalUrl:
        return CanonicalUrl(place.url, self._state.order.standard.policy.component)
