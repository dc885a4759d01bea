"""The mirrors' files and aliases, in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from datetime import datetime

from holdfast.adapters.memory.state import MemoryState
from holdfast.core.batch import PageRow
from holdfast.core.errors import LedgerError
from holdfast.core.hashing import ContentHash, UrlKey
from holdfast.core.ledger import (
    Alias,
    EntryState,
    LeftPage,
    MirroredAs,
    NamedAlias,
    PageBacklink,
    PageCounts,
    StoredPage,
)
from holdfast.core.page_of_capture import stored_page
from holdfast.core.place import Place

__all__ = ["MemoryPages", "check_out", "leave", "name_aliases"]


class MemoryPages:
    """The `PageLedger` port."""

    def __init__(self, state: MemoryState) -> None:
        self._state = state

    def page(self, label: str, key: UrlKey) -> StoredPage | None:
        """A mirror's page."""
        found = self._state.mirrors.pages.get(label, {}).get(key)
        return found[0] if found else None

    def pages_of(self, label: str, keys: Collection[UrlKey]) -> dict[UrlKey, StoredPage]:
        """A mirror's pages of these URLs."""
        found = {key: self.page(label, key) for key in keys}
        return {key: page for key, page in found.items() if page is not None}

    def mirrored(self, web_key: UrlKey) -> tuple[MirroredAs, ...]:
        """Which files stand for a URL."""
        stored = (
            (label, page) for label, pages in self._state.mirrors.pages.items() for page, _ in pages.values()
        )
        found = [MirroredAs(label, p.facts.path) for label, p in stored if p.place.web_key == web_key]
        return tuple(sorted(found, key=lambda file: (file.label, file.path)))

    def addresses_of(self, content: ContentHash) -> tuple[str, ...]:
        """Where mirrors have pages of a content that are not gone."""
        stored = (page for pages in self._state.mirrors.pages.values() for page, _ in pages.values())
        found = {page.fetch_url for page in stored if page.content_sha256 == content and page.gone_at is None}
        return tuple(sorted(found))

    def pages_without(self, label: str, run_id: str, states: Collection[EntryState]) -> Iterator[StoredPage]:
        """A mirror's pages that a run did not bring to such an end."""
        there = self._state.frontiers.get(run_id, {}).values()
        done = {entry.place.key for entry in there if entry.state in states}
        yield from (page for page in self.by_path(label) if page.place.key not in done)

    def paths(self, label: str) -> Iterator[tuple[str, str]]:
        """Paths and URLs of a mirror's pages."""
        yield from ((page.facts.path, page.place.url) for page in self.by_path(label))

    def by_path(self, label: str, after: str = "", *, only_gone: bool = False) -> Iterator[StoredPage]:
        """A mirror's pages by path."""
        known = self._state.mirrors.pages.get(label, {}).values()
        pages = [page for page, _ in known if not only_gone or page.gone_at is not None]
        later = (page for page in pages if page.facts.path.encode() > after.encode())
        yield from sorted(later, key=lambda page: (page.facts.path.encode(), page.place.url))

    def count(self, label: str) -> PageCounts:
        """How many pages a mirror has."""
        pages = list(self.by_path(label))
        gone = sum(page.gone_at is not None for page in pages)
        return PageCounts(len(pages), gone, sum(page.facts.size for page in pages))

    def left_between(self, label: str, since: datetime, until: datetime | None = None) -> Iterator[LeftPage]:
        """Which pages left a mirror in a stretch of time."""
        left = self._state.mirrors.absences.get(label, set())
        for at, place in sorted(left, key=lambda one: (one[0], one[1].url)):
            if since < at and (until is None or at <= until):
                page = self.page(label, place.key)
                yield LeftPage(place, at, page.title if page else "")

    def absences(self, label: str, key: UrlKey) -> tuple[datetime, ...]:
        """Since when a page was not there, each time."""
        return tuple(
            sorted(at for at, place in self._state.mirrors.absences.get(label, ()) if place.key == key)
        )

    def mark_gone(self, label: str, keys: Collection[UrlKey], at: datetime | None) -> None:
        """Pages are gone, or back."""
        pages = self._state.mirrors.pages.get(label, {})
        for key in set(keys) & pages.keys():
            page, links = pages[key]
            pages[key] = (replace(page, gone_at=at), links)
            if at is not None and page.gone_at is None:
                leave(self._state, label, page.place, at)

    def drop_pages(self, label: str, keys: Collection[UrlKey], at: datetime) -> None:
        """A mirror no longer has these files."""
        for key in keys:
            page, _ = self._state.mirrors.pages.get(label, {}).pop(key, (None, ()))
            if page is not None and page.gone_at is None:
                leave(self._state, label, page.place, at)

    def aliases(self, label: str) -> Iterator[Alias]:
        """A mirror's aliases by URL."""
        yield from sorted(
            self._state.mirrors.aliases.get(label, {}).values(), key=lambda alias: alias.place.url
        )

    def targets_of(self, label: str, keys: Collection[UrlKey]) -> dict[UrlKey, UrlKey]:
        """What URLs are other names of."""
        aliases = self._state.mirrors.aliases.get(label, {}).values()
        return {alias.place.key: alias.target.key for alias in aliases if alias.place.key in keys}

    def names_of(self, web_key: UrlKey) -> tuple[NamedAlias, ...]:
        """What a URL was merged with."""
        found = (
            NamedAlias(label, alias) for label in self._state.mirrors.aliases for alias in self.aliases(label)
        )
        own = (n for n in found if web_key in (n.alias.place.web_key, n.alias.target.web_key))
        return tuple(sorted(own, key=lambda named: (named.label, named.alias.place.url)))

    def pages_linking_to(self, web_key: UrlKey) -> Iterator[PageBacklink]:
        """The pages that point to a URL."""
        found = [
            PageBacklink(page.place, link)
            for pages in self._state.mirrors.pages.values()
            for page, links in pages.values()
            for link in links
            if link.target.web_key == web_key
        ]
        yield from sorted(found, key=lambda backlink: backlink.page.url)


def leave(state: MemoryState, label: str, place: Place, at: datetime) -> None:
    """A page is not there any more."""
    state.mirrors.absences.setdefault(label, set()).add((at, place))


def check_out(state: MemoryState, label: str, change: PageRow) -> None:
    """What a finding does to the mirror's file."""
    pages = state.mirrors.pages.setdefault(label, {})
    known = pages[change.place.key][0] if change.place.key in pages else None
    facts = change.facts or (known.facts if known else None)
    if facts is None:
        return
    page = stored_page(change.place, facts, change.item, change.capture)
    for key, (other, _) in pages.items():
        if other.facts.path == facts.path and key != change.place.key:
            raise LedgerError(f"{facts.path} is the page of {other.place.url}, not of {page.place.url}")
    if known and change.is_confirmed:
        page = _confirmed(known, page)
    pages[change.place.key] = (page, state.seen.links[change.links_of])


def name_aliases(state: MemoryState, label: str, aliases: Iterable[Alias]) -> None:
    """Write aliases; the last word on each counts. A place named as its own alias is no alias."""
    known = state.mirrors.aliases.setdefault(label, {})
    for alias in aliases:
        known[alias.place.key] = alias
        if alias.target.key == alias.place.key:
            del known[alias.place.key]


def _confirmed(known: StoredPage, page: StoredPage) -> StoredPage:
    """A 304 has no type and may repeat no validators: what was known of the answer stays."""
    return replace(
        page,
        fetch_url=known.fetch_url,
        status=known.status,
        content_type=known.content_type,
        etag=page.etag or known.etag,
        last_modified=page.last_modified or known.last_modified,
    )
