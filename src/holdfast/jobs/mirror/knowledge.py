"""What the crawl knows of other URLs while it decides about one: the ledger, and what is not yet in it.

Effects that wait to be written are the overlay; what it does not have, the ledger has, asked through the
scribe.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from holdfast.core.base.errors import ArchiveError
from holdfast.core.base.hashing import ContentHash, UrlKey
from holdfast.core.base.values import dataclass
from holdfast.core.crawl.consequences import DONE, OPEN
from holdfast.core.crawl.duplicates import KnownContent, KnownPageState
from holdfast.core.crawl.harvest import Harvest
from holdfast.core.lineage.frontier_note import NO_NOTE, EntryNote
from holdfast.core.lineage.ledger_values import EntryState, FrontierEntry, PageLink, StoredPage
from holdfast.core.lineage.lineage import CaptureRecord, RecordRef
from holdfast.core.url.url import Place
from holdfast.core.web.capture import Capture
from holdfast.jobs.held_pages import capture_of, page_behind

if TYPE_CHECKING:
    from holdfast.core.crawl.state import CrawlState
    from holdfast.core.lineage.batch import Effect
    from holdfast.jobs.session import Session
    from holdfast.storage.ledger.ledger import Ledger
    from holdfast.storage.store_ports import Archive


_TEXTS: Final = 64
_KEPT: Final = (EntryState.UNCHANGED, EntryState.UNASKED)
_PAGES: Final = (EntryState.PAGE, *_KEPT)
Archived = tuple[Capture, RecordRef]
"""A capture, and where the archive has it."""


@dataclass(frozen=True, slots=True)
class _Facts:
    """Where a URL's entry stands, its note, and the content of its page."""

    state: EntryState | None = None
    note: EntryNote = NO_NOTE
    content: ContentHash | None = None

    @property
    def is_kept(self) -> bool:
        """Whether there is a page that this run asks for later, or not at all."""
        return self.state is EntryState.UNASKED and self.content is not None


class Knowledge:
    """Questions about other URLs, answered as of all effects so far. `flush` makes those durable."""

    def __init__(self, session: Session, state: CrawlState, flush: Callable[[], Awaitable[None]]) -> None:
        self._scribe = session.scribe
        self._refine = session.refine
        self._state = state
        self._flush = flush
        self._recent: dict[UrlKey, _Facts] = {}
        self._offered: set[UrlKey] = set()
        self._texts: OrderedDict[UrlKey, str] = OrderedDict()

    def note(self, effect: Effect, content: ContentHash | None) -> None:
        """An effect that the ledger does not have yet."""
        for closed in effect.finding.closed:
            self._recent[closed.key] = _Facts(closed.state, closed.note, content)
        if effect.finding.discovered:
            self._offered.update(entry.place.key for entry in effect.finding.discovered)

    def forget(self, effects: Iterable[Effect]) -> None:
        """Effects that the ledger has now."""
        for effect in effects:
            for closed in effect.finding.closed:
                self._recent.pop(closed.key, None)
            if effect.finding.discovered:
                self._offered.difference_update(entry.place.key for entry in effect.finding.discovered)

    async def is_done(self, place: Place) -> bool:
        """Whether a URL has come to an end that stands: a page, an alias, a placeholder."""
        return (await self._facts(place)).state in DONE

    async def standing(self, place: Place, *, final: bool) -> KnownPageState:
        """What is known of the target of a canonical link; `final`: nothing more will be."""
        facts = await self._facts(place)
        if facts.state is None or (facts.state in OPEN and not facts.is_kept):
            return KnownPageState(KnownContent.FAILED if final else KnownContent.PENDING)
        if facts.state not in _PAGES or facts.content is None:
            return KnownPageState(KnownContent.FAILED)
        return KnownPageState(KnownContent.FETCHED, place.url, facts.content, facts.note.names)

    async def next_address(self, key: UrlKey, tried: set[str]) -> str | None:
        """Another address of an entry that was not tried yet, in the order they were found (MIR-8)."""
        if key in self._offered:
            await self._flush()
        run_id = self._state.plan.run_id
        found = await self._scribe.ask(lambda ledger, _: ledger.frontier.alternates(run_id, key))
        return next((href for href in found if href not in tried), None)

    async def page(self, key: UrlKey) -> StoredPage | None:
        """A page of the mirror."""
        label = self._state.plan.order.label
        return await self._scribe.ask(lambda ledger, _: ledger.pages.page(label, key))

    async def links_of(self, key: UrlKey) -> tuple[PageLink, ...]:
        """The links that the ledger keeps of a page."""
        recipe = self._state.plan.order.standard.recipe
        return await self._scribe.ask(lambda ledger, _: ledger.history.links_of(recipe, key))

    async def was_dead_end(self, key: UrlKey) -> bool:
        """Whether the links of a page were not followed by the run before (`core.url.url.traps`)."""
        if not (earlier := self._state.plan.earlier):
            return False
        run_id = earlier[0].run_id
        entry = await self._scribe.ask(lambda ledger, _: ledger.frontier.entry(run_id, key))
        return entry is not None and entry.note.dead_end

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
        found = await self._scribe.ask(lambda ledger, archive: self._read_page(ledger, archive, place.key))
        made = await self._refine(found[0], self._state.rules) if found else None
        if not isinstance(made, Harvest):
            return None
        self.remember_text(place.key, made.content.text)
        return made.content.text

    async def archived(self, key: UrlKey) -> Archived | None:
        """The last capture of a URL, from the archive; None where there is none that can be read."""
        label = self._state.plan.order.label
        return await self._scribe.ask(
            lambda ledger, archive: _read(archive, ledger.history.last_capture(label, key))
        )

    async def page_behind(self, place: Place) -> Archived | None:
        """The page that named the Markdown which is its content, from the archive."""
        order = self._state.plan.order
        return await self._scribe.ask(
            lambda ledger, archive: _read(archive, page_behind(ledger, order, place))
        )

    async def _facts(self, place: Place) -> _Facts:
        recent = self._recent.get(place.key)
        if recent is not None and recent.state in _KEPT:
            page = await self.page(place.key)  # no answer says its content: it is the page's that is kept
            return replace(recent, content=page.content_sha256 if page else None)
        if recent is not None:
            return recent
        return await self._scribe.ask(lambda ledger, _: self._known(ledger, place))

    def _known(self, ledger: Ledger, place: Place) -> _Facts:
        entry = self._entry(ledger, place)
        if entry is None:
            return _Facts()
        page = ledger.pages.page(self._state.plan.order.label, place.key)
        return _Facts(entry.state, entry.note, page.content_sha256 if page else None)

    def _entry(self, ledger: Ledger, place: Place) -> FrontierEntry | None:
        """The entry of this run, or of the earlier one that was done with the URL."""
        plan = self._state.plan
        if entry := ledger.frontier.entry(plan.run_id, place.key):
            return entry
        earlier = plan.earlier if place.url in plan.finished else ()
        entries = (ledger.frontier.entry(run.run_id, place.key) for run in earlier)
        return next((entry for entry in entries if entry and entry.state in DONE), None)

    def _read_page(self, ledger: Ledger, archive: Archive, key: UrlKey) -> Archived | None:
        label = self._state.plan.order.label
        page = ledger.pages.page(label, key)
        return _read(archive, capture_of(ledger, label, page) if page else None)


def _read(archive: Archive, record: CaptureRecord | None) -> Archived | None:
    if record is None or record.ref is None:
        return None
    try:
        return archive.read(record.ref), record.ref
    except ArchiveError:
        return None
