"""Where sections are looked up. An index can be thrown away: ledger and archive make it anew.

It is never ahead of the ledger: it says up to where it was read (`mark`), and is brought up to date from
there (`jobs.indexing`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from holdfast.core.answers.search import Snippet
    from holdfast.core.hashing import UrlKey
    from holdfast.core.search import FoundSection, IndexedPage, IndexMark, PageInIndex, SearchQuery

__all__ = ["SearchIndex"]


class SearchIndex(Protocol):
    """Sections by their words, now and as they were. Not for two threads at once."""

    def mark(self) -> IndexMark | None:
        """Read up to where it is built; None where it is empty, or was made by other rules."""
        ...

    def clear(self) -> None:
        """Write: empty it."""
        ...

    def known(self, web_keys: Collection[UrlKey]) -> dict[UrlKey, list[PageInIndex]]:
        """Read what it has of the pages that these keys join."""
        ...

    def add(self, before: IndexMark | None, pages: Sequence[IndexedPage], mark: IndexMark) -> bool:
        """Write pages, in order, and up to where that is. False, and nothing is written, where somebody else
        wrote meanwhile: it is not at `before` any more.
        """
        ...

    def settle(
        self, before: IndexMark | None, standing: Mapping[UrlKey, datetime | None], mark: IndexMark
    ) -> bool:
        """Write which mirrored pages, by their own keys, are there (None) or gone since when, and that it is
        up to date.
        """
        ...

    def forget(self, web_keys: Collection[UrlKey]) -> None:
        """Write: take out the pages that these keys join, every version of them, and leave none of their
        words in the file.
        """
        ...

    def rebase(self, before: IndexMark, after: IndexMark) -> None:
        """Write that the ledger forgot, from one mark to another, just what was taken out here before it."""
        ...

    def find(self, query: SearchQuery, limit: int) -> list[FoundSection]:
        """Read the sections that answer, the best first."""
        ...

    def snippets(self, query: SearchQuery, found: Collection[int]) -> dict[int, Snippet]:
        """Read the passage of each section that says it best."""
        ...

    def texts(self, found: Collection[int]) -> dict[int, str]:
        """Read the whole text of sections."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...
