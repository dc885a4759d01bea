"""The mirror's pages and aliases, in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from holdfast.core.errors import LedgerError
from holdfast.core.hashing import UrlKey
from holdfast.core.ledger import (
    Alias,
    Confirmed,
    Finding,
    MirroredAs,
    PageBacklink,
    PageFacts,
    PageLink,
    Place,
    StoredPage,
)
from holdfast.core.lineage import CaptureRecord, Item

__all__ = ["MemoryCheckout", "Seen"]


@dataclass(frozen=True, slots=True)
class Seen:
    """A capture observed under one recipe: the item, and the links as they were."""

    run_id: str
    place: Place
    capture: CaptureRecord
    order: int
    item: Item
    links: tuple[PageLink, ...]


class MemoryCheckout:
    """The part of `PageLedger` that is about files."""

    def __init__(self) -> None:
        self._pages: dict[str, dict[UrlKey, tuple[StoredPage, tuple[PageLink, ...]]]] = {}
        self._aliases: dict[str, dict[UrlKey, Alias]] = {}

    def _check_out(self, label: str, finding: Finding, seen: Seen | None) -> None:
        pages = self._pages.setdefault(label, {})
        known = pages[seen.place.key][0] if seen and seen.place.key in pages else None
        confirmed = isinstance(finding.made, Confirmed)
        facts = finding.page or (known.facts if known and confirmed else None)
        if facts is None:
            return
        if seen is None:
            raise LedgerError(f"the page {facts.path} comes with nothing observed")
        for key, (other, _) in pages.items():
            if other.facts.path == facts.path and key != seen.place.key:
                raise LedgerError(f"{facts.path} is the page of {other.place.url}, not of {seen.place.url}")
        page = _stored(seen, facts)
        if known and confirmed:
            page = _confirmed(known, page)
        pages[seen.place.key] = (page, seen.links)

    def _name_aliases(self, label: str, aliases: Iterable[Alias]) -> None:
        for alias in aliases:
            self._aliases.setdefault(label, {})[alias.place.key] = alias

    def page(self, label: str, key: UrlKey) -> StoredPage | None:
        """A mirror's page."""
        found = self._pages.get(label, {}).get(key)
        return found[0] if found else None

    def pages_of(self, label: str, keys: Collection[UrlKey]) -> dict[UrlKey, StoredPage]:
        """A mirror's pages of these URLs."""
        found = {key: self.page(label, key) for key in keys}
        return {key: page for key, page in found.items() if page is not None}

    def mirrored(self, web_key: UrlKey) -> tuple[MirroredAs, ...]:
        """Which files stand for a URL."""
        stored = ((label, page) for label, pages in self._pages.items() for page, _ in pages.values())
        found = [MirroredAs(label, p.facts.path) for label, p in stored if p.place.web_key == web_key]
        return tuple(sorted(found, key=lambda file: (file.label, file.path)))

    def paths(self, label: str) -> Iterator[tuple[str, str]]:
        """Paths and URLs of a mirror's pages."""
        yield from ((page.facts.path, page.place.url) for page in self.pages(label))

    def pages(self, label: str) -> Iterator[StoredPage]:
        """A mirror's pages by path."""
        pages = [page for page, _ in self._pages.get(label, {}).values()]
        yield from sorted(pages, key=lambda page: (page.facts.path.encode(), page.place.url))

    def mark_gone(self, label: str, keys: Collection[UrlKey], at: datetime | None) -> None:
        """Pages are gone, or back."""
        pages = self._pages.get(label, {})
        for key in set(keys) & pages.keys():
            page, links = pages[key]
            pages[key] = (replace(page, gone_at=at), links)

    def drop_pages(self, label: str, keys: Collection[UrlKey]) -> None:
        """A mirror has these files no more."""
        for key in keys:
            self._pages.get(label, {}).pop(key, None)

    def aliases(self, label: str) -> Iterator[Alias]:
        """A mirror's aliases by URL."""
        yield from sorted(self._aliases.get(label, {}).values(), key=lambda alias: alias.place.url)

    def pages_linking_to(self, web_key: UrlKey) -> Iterator[PageBacklink]:
        """The pages that point to a URL."""
        found = [
            PageBacklink(page.place, link)
            for pages in self._pages.values()
            for page, links in pages.values()
            for link in links
            if link.target.web_key == web_key
        ]
        yield from sorted(found, key=lambda backlink: backlink.page.url)


def _stored(seen: Seen, facts: PageFacts) -> StoredPage:
    capture = seen.capture
    return StoredPage(
        place=seen.place,
        facts=facts,
        item_id=seen.item.item_id,
        content_sha256=seen.item.content_sha256,
        fetch_url=capture.final_url,
        status=capture.status,
        fetched_at=capture.fetched_at,
        content_type=capture.content_type,
        etag=capture.etag,
        last_modified=capture.last_modified,
    )


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
