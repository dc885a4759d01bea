"""Documents and what they cite, in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Any

from holdfast.core.citation import Backlink, Citation, CitedPlace, Document, LedgerEvent
from holdfast.core.cited_order import PlacesWanted, in_cited_order
from holdfast.core.event_kind import EventKind
from holdfast.core.hashing import UrlKey
from holdfast.core.link_state import LinkState

__all__ = ["MemoryCitations"]


class MemoryCitations:
    """The `CitationLedger` port."""

    def __init__(self) -> None:
        self._documents: dict[str, tuple[Document, tuple[Citation, ...]]] = {}
        self._places: dict[UrlKey, CitedPlace] = {}
        self._events: list[LedgerEvent] = []

    def put_documents(self, documents: Iterable[tuple[Document, Sequence[Citation]]]) -> None:
        """Replace documents whole."""
        for document, citations in documents:
            self._documents[document.path] = (document, tuple(citations))

    def drop_documents(self, paths: Collection[str]) -> None:
        """These documents were deleted."""
        for path in paths:
            self._documents.pop(path, None)

    def documents(self) -> Iterator[Document]:
        """All documents, by path."""
        yield from (document for _, (document, _) in sorted(self._documents.items()))

    def of_document(self, path: str) -> tuple[Citation, ...]:
        """What a document cites."""
        return self._documents[path][1] if path in self._documents else ()

    def put_places(self, places: Iterable[CitedPlace], events: Iterable[LedgerEvent] = ()) -> None:
        """What is known of cited URLs, and what happened."""
        self._places.update({place.place.web_key: place for place in places})
        self._events.extend(events)

    def place(self, web_key: UrlKey) -> CitedPlace | None:
        """What is known of a URL."""
        return self._places.get(web_key)

    def places(self, states: Collection[LinkState] = (), *, cited: bool = True) -> Iterator[CitedPlace]:
        """Places by URL."""
        keys = {backlink.citation.place.web_key for backlink in self._all()}
        for place in sorted(self._places.values(), key=lambda place: place.place.url):
            if (not states or place.state in states) and (not cited or place.place.web_key in keys):
                yield place

    def places_part(self, wanted: PlacesWanted, limit: int) -> tuple[CitedPlace, ...]:
        """Some places, in order."""
        return tuple(in_cited_order(list(self._places.values()), wanted)[:limit])

    def count_states(self) -> dict[LinkState, int]:
        """How many cited URLs are in each state."""
        return dict(Counter(place.state for place in self.places()))

    def uncharted(self) -> Iterator[Citation]:
        """One citation of each URL of which nothing is known."""
        first: dict[UrlKey, Citation] = {}
        for backlink in self._all():
            if backlink.citation.place.web_key not in self._places:
                first.setdefault(backlink.citation.place.web_key, backlink.citation)
        yield from sorted(first.values(), key=lambda citation: citation.place.url)

    def backlinks(self, web_key: UrlKey) -> tuple[Backlink, ...]:
        """Which documents cite a URL."""
        return tuple(b for b in self._all() if b.citation.place.web_key == web_key)

    def backlinks_of_host(self, host: str) -> Iterator[Backlink]:
        """Which documents cite a host."""
        yield from (b for b in self._all() if b.citation.place.host == host)

    def backlinks_like(self, pattern: str) -> Iterator[Backlink]:
        """Which documents cite a URL that matches."""
        yield from (b for b in self._all() if fnmatchcase(b.citation.place.url, pattern))

    def events(self, since: datetime, kinds: Collection[EventKind] = ()) -> Iterator[LedgerEvent]:
        """What happened since."""
        chosen = [e for e in self._events if e.at >= since and (not kinds or e.kind in kinds)]
        yield from sorted(chosen, key=lambda event: event.at)

    def all(self) -> tuple[object, ...]:
        """Everything, for who looks through it."""
        return (tuple(self._documents.values()), tuple(self._places.values()), tuple(self._events))

    def rekey(self, with_new_keys: Callable[[Any], Any]) -> int:
        """Replace keys; of places that become one, the one that was looked at last stays. How many went."""
        self._documents = with_new_keys(self._documents)
        self._events = with_new_keys(self._events)
        found: dict[UrlKey, CitedPlace] = {}
        for place in map(with_new_keys, self._places.values()):
            other = found.setdefault(place.place.web_key, place)
            if place.checked_at and (other.checked_at is None or place.checked_at > other.checked_at):
                found[place.place.web_key] = place
        merged = len(self._places) - len(found)
        self._places = found
        return merged

    def _all(self) -> Iterator[Backlink]:
        for path, (_, citations) in sorted(self._documents.items()):
            yield from (Backlink(path, citation) for citation in citations)
