"""The part of the ledger that knows what pages are made of."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from holdfast.core.ledger import SeenPage
from holdfast.core.lineage import Item
from holdfast.core.recipe import Recipe
from holdfast.core.section import KeptSection

if TYPE_CHECKING:
    from holdfast.core.search import IndexMark
    from holdfast.core.section_moves import SectionMove

__all__ = ["SectionLedger"]


class SectionLedger(Protocol):
    """The sections of items (SCT-2), and everything that was seen, by number. `Ledger.commit` writes it."""

    def of_item(self, item_id: str) -> tuple[KeptSection, ...]:
        """Read an item's sections, in order; none where they were not read yet."""
        ...

    def of_items(self, items: Collection[str]) -> dict[str, tuple[KeptSection, ...]]:
        """Read the same of many items at once; one without sections is left out."""
        ...

    def between(
        self, label: str, recipe: Recipe, old: datetime, new: datetime | None = None
    ) -> Iterator[SectionMove]:
        """Read which sections of a label's pages differ between two moments, by URL and place on the page;
        without `new`, between then and now.
        """
        ...

    def unread(self, run_id: str) -> tuple[Item, ...]:
        """Read which items of a run have no sections yet: an earlier Holdfast made them."""
        ...

    def fill(self, sections: Mapping[str, tuple[KeptSection, ...]]) -> int:
        """Write the sections of items that have none, by item id. How many items that were."""
        ...

    def mark(self) -> IndexMark:
        """Read up to where this ledger is written."""
        ...

    def seen_after(self, number: int, last: int) -> Iterator[SeenPage]:
        """Read what was observed after an observation, and up to another, in the order it was written."""
        ...
