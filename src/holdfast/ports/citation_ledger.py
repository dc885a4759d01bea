"""What is known of documents and what they cite: one part of the ledger."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from holdfast.core.hashing import UrlKey
from holdfast.core.link_state import LinkState

if TYPE_CHECKING:
    from holdfast.core.citation import Backlink, Citation, CitedPlace, Document, LedgerEvent
    from holdfast.core.cited_order import PlacesWanted
    from holdfast.core.event_kind import EventKind

__all__ = ["CitationLedger"]


class CitationLedger(Protocol):
    """Documents, the URLs they cite, and what became of those (TRK-8)."""

    def put_documents(self, documents: Iterable[tuple[Document, Sequence[Citation]]]) -> None:
        """Write documents, each whole: what it cited before is replaced."""
        ...

    def drop_documents(self, paths: Collection[str]) -> None:
        """Write that documents were deleted; the places they cited stay known."""
        ...

    def documents(self) -> Iterator[Document]:
        """Read all documents, by path."""
        ...

    def of_document(self, path: str) -> tuple[Citation, ...]:
        """Read what a document cites, in the order it stands there."""
        ...

    def put_places(self, places: Iterable[CitedPlace], events: Iterable[LedgerEvent] = ()) -> None:
        """Write what is known of cited URLs, and what happened, in one transaction."""
        ...

    def place(self, web_key: UrlKey) -> CitedPlace | None:
        """Read what is known of a URL."""
        ...

    def places(self, states: Collection[LinkState] = (), *, cited: bool = True) -> Iterator[CitedPlace]:
        """Read places by URL, of these states where some are named; only those still cited unless told."""
        ...

    def places_part(self, wanted: PlacesWanted, limit: int) -> tuple[CitedPlace, ...]:
        """Read at most so many places, in the order and from the place in it that is wanted; those that
        nobody cites any more among them.
        """
        ...

    def count_states(self) -> dict[LinkState, int]:
        """Read how many cited URLs are in each state."""
        ...

    def uncharted(self) -> Iterator[Citation]:
        """Read one citation of each cited URL of which nothing is known yet, in any order."""
        ...

    def backlinks(self, web_key: UrlKey) -> tuple[Backlink, ...]:
        """Read which documents cite a URL, and where."""
        ...

    def backlinks_of_host(self, host: str) -> Iterator[Backlink]:
        """Read which documents cite anything on a host."""
        ...

    def backlinks_like(self, pattern: str) -> Iterator[Backlink]:
        """Read which documents cite a URL that matches a glob (`*`, `?`, `[…]`)."""
        ...

    def events(self, since: datetime, kinds: Collection[EventKind] = ()) -> Iterator[LedgerEvent]:
        """Read what happened at a time or later, in order."""
        ...
