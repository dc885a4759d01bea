"""The pages of mirrors, as files and as addresses: one part of the ledger."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Protocol

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

__all__ = ["PageLedger"]


class PageLedger(Protocol):
    """The mirrors' files as they are now, and the other names of their pages."""

    def page(self, label: str, key: UrlKey) -> StoredPage | None:
        """Read a mirror's page by its url key."""
        ...

    def pages_of(self, label: str, keys: Collection[UrlKey]) -> dict[UrlKey, StoredPage]:
        """Read a mirror's pages of these URLs; one that has none is left out."""
        ...

    def by_path(self, label: str, after: str = "", *, only_gone: bool = False) -> Iterator[StoredPage]:
        """Read a mirror's pages, in the order of their paths' UTF-8 bytes, from the first after a path; all,
        or those that are gone.
        """
        ...

    def count(self, label: str) -> PageCounts:
        """Read how many pages a mirror has."""
        ...

    def left_between(self, label: str, since: datetime, until: datetime | None = None) -> Iterator[LeftPage]:
        """Read which pages of a mirror left it after a moment, and up to another, in the order of time: found
        gone, taken out of its folder, forgotten. They may have come back.
        """
        ...

    def absences(self, label: str, key: UrlKey) -> tuple[datetime, ...]:
        """Read since when a page was not there, each time that it left."""
        ...

    def paths(self, label: str) -> Iterator[tuple[str, str]]:
        """Read the paths of a mirror's pages, in order, each with its URL."""
        ...

    def pages_without(self, label: str, run_id: str, states: Collection[EntryState]) -> Iterator[StoredPage]:
        """Read a mirror's pages that have no entry of a run in one of these states, by path."""
        ...

    def mirrored(self, web_key: UrlKey) -> tuple[MirroredAs, ...]:
        """Read which files of which mirrors stand for a URL, whatever policy mirrored it (ID-12)."""
        ...

    def addresses_of(self, content: ContentHash) -> tuple[str, ...]:
        """Read where mirrors have pages of a content that are not gone, under whatever recipe."""
        ...

    def pages_linking_to(self, web_key: UrlKey) -> Iterator[PageBacklink]:
        """Read the current pages that point to a URL."""
        ...

    def aliases(self, label: str) -> Iterator[Alias]:
        """Read a mirror's aliases, in the order of their URLs."""
        ...

    def targets_of(self, label: str, keys: Collection[UrlKey]) -> dict[UrlKey, UrlKey]:
        """Read what these URLs are other names of in a mirror; one that is not an alias is left out."""
        ...

    def names_of(self, web_key: UrlKey) -> tuple[NamedAlias, ...]:
        """Read what a URL was merged with: what it is another name of, and the other names of it (MIR-8)."""
        ...

    def mark_gone(self, label: str, keys: Collection[UrlKey], at: datetime | None) -> None:
        """Write that pages are gone from the site since `at`, or, with None, that they are back."""
        ...

    def drop_pages(self, label: str, keys: Collection[UrlKey], at: datetime) -> None:
        """Write that a mirror has these files no more since `at`; captures and items stay."""
        ...
