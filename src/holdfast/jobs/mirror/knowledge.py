"""What the crawl knows of other URLs while it decides about one: the ledger, and what is not yet in it.

Effects that wait to be flushed are the overlay; what it does not have, the ledger has. Every use of the
ledger takes its turn: a flush may be under way in another thread.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, TypeVar

from holdfast.core.capture import Capture
from holdfast.core.duplicates import KnownContent, KnownPageState
from holdfast.core.errors import ArchiveError
from holdfast.core.hashing import ContentHash, UrlKey
from holdfast.core.ledger import EntryState, FrontierEntry, Place
from holdfast.core.lineage import CaptureRecord, RecordRef
from holdfast.jobs.mirror.elsewhere import page_behind
from holdfast.jobs.mirror.group import Effect
from holdfast.jobs.mirror.harvest import Harvest
from holdfast.jobs.mirror.notes import Note
from holdfast.jobs.mirror.state import CrawlState
from holdfast.jobs.mirror.tools import Tools

__all__ = ["DONE", "OPEN", "Knowledge"]

OPEN: Final = frozenset((EntryState.READY, EntryState.TAKEN, EntryState.DEFERRED))
DONE: Final = frozenset(
    (EntryState.PAGE, EntryState.UNCHANGED, EntryState.DUPLICATE, EntryState.ALIAS, EntryState.SKIPPED)
)
_TEXTS: Final = 64

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Recent:
    state: EntryState
    note: str
    content: ContentHash | None


class Knowledge:
    """Questions about other URLs, answered as of all effects so far."""

    def __init__(self, tools: Tools, state: CrawlState) -> None:
        self._tools = tools
        self._state = state
        self._turn = asyncio.Lock()
        self._recent: dict[UrlKey, _Recent] = {}
        self._offered: set[UrlKey] = set()
        self._texts: OrderedDict[UrlKey, str] = OrderedDict()

    async def ask(self, question: Callable[..., T], *values: object) -> T:
        """Use the ledger in turn, in this thread."""
        async with self._turn:
            return question(*values)

    async def work(self, task: Callable[..., T], *values: object) -> T:
        """Use ledger and archive in turn, in another thread."""
        async with self._turn:
            return await asyncio.to_thread(task, *values)

    def note(self, effect: Effect, content: ContentHash | None) -> None:
        """An effect that the ledger does not have yet."""
        for closed in effect.closed:
            self._recent[closed.key] = _Recent(closed.state, closed.detail, content)
        self._offered.update(entry.place.key for entry in effect.discovered)

    def forget(self, effects: Iterable[Effect]) -> None:
        """Effects that the ledger has now."""
        for effect in effects:
            for closed in effect.closed:
                self._recent.pop(closed.key, None)
            self._offered.difference_update(entry.place.key for entry in effect.discovered)

    def is_offered(self, key: UrlKey) -> bool:
        """Whether a waiting effect brings this entry, or another address for it."""
        return key in self._offered

    async def is_done(self, place: Place) -> bool:
        """Whether a URL has come to an end that stands: a page, an alias, a placeholder."""
        state, _, _ = await self._facts(place)
        return state in DONE

    async def standing(self, place: Place, *, final: bool) -> KnownPageState:
        """What is known of the target of a canonical link; `final`: nothing more will be."""
        state, note, content = await self._facts(place)
        if state is None or state in OPEN:
            return KnownPageState(KnownContent.FAILED if final else KnownContent.PENDING)
        if state not in (EntryState.PAGE, EntryState.UNCHANGED) or content is None:
            return KnownPageState(KnownContent.FAILED)
        return KnownPageState(KnownContent.FETCHED, place.url, content, Note.parse(note).names)

    async def _facts(self, place: Place) -> tuple[EntryState | None, str, ContentHash | None]:
        """Where a URL's entry stands, its note, and the content of its page."""
        if recent := self._recent.get(place.key):
            return recent.state, recent.note, recent.content
        entry = await self.ask(self._entry, place)
        if entry is None:
            return None, "", None
        page = await self.ask(self._tools.ledger.pages.page, self._state.order.label, place.key)
        return entry.state, entry.detail, page.content_sha256 if page else None

    def _entry(self, place: Place) -> FrontierEntry | None:
        """The entry of this run, or of the earlier one that was done with the URL."""
        ledger, state = self._tools.ledger, self._state
        if entry := ledger.frontier.entry(state.run_id, place.key):
            return entry
        earlier = state.earlier_runs if place.url in state.finished else ()
        entries = (ledger.frontier.entry(run_id, place.key) for run_id in earlier)
        return next((entry for entry in entries if entry and entry.state in DONE), None)

    async def alternates(self, key: UrlKey) -> tuple[str, ...]:
        """The other addresses of an entry, as the ledger has them."""
        return await self.ask(self._tools.ledger.frontier.alternates, self._state.run_id, key)

    def remember_text(self, key: UrlKey, text: str) -> None:
        """Keep the texts of the last pages at hand."""
        self._texts[key] = text
        self._texts.move_to_end(key)
        if len(self._texts) > _TEXTS:
            self._texts.popitem(last=False)

    async def text_of(self, place: Place) -> str | None:
        """The normalized text of a page that took effect: at hand, or made anew from the archive."""
        if place.key in self._texts:
            self._texts.move_to_end(place.key)
            return self._texts[place.key]
        capture = await self.archived(place.key)
        made = await self._tools.refine(capture[0], self._state.rules) if capture else None
        if not isinstance(made, Harvest):
            return None
        self.remember_text(place.key, made.text)
        return made.text

    async def archived(self, key: UrlKey) -> tuple[Capture, RecordRef] | None:
        """The last capture of a URL, from the archive; None where there is none that can be read."""
        return await self.work(self._read_last, key)

    async def page_behind(self, place: Place) -> tuple[Capture, RecordRef] | None:
        """The page that named the Markdown which is its content, from the archive."""
        return await self.work(self._read_behind, place)

    def _read_behind(self, place: Place) -> tuple[Capture, RecordRef] | None:
        record = page_behind(self._tools.ledger, self._state.order, place)
        return self._read(record) if record else None

    def _read_last(self, key: UrlKey) -> tuple[Capture, RecordRef] | None:
        last = self._tools.ledger.history.last_capture(self._state.order.label, key)
        return self._read(last) if last else None

    def _read(self, record: CaptureRecord) -> tuple[Capture, RecordRef] | None:
        if record.ref is None:
            return None
        try:
            return self._tools.archive.read(record.ref), record.ref
        except ArchiveError:
            return None
