"""How an incoming item relates to the items that are there: the conflict rules as a table (LIN-2 … LIN-4).

An incoming item is looked up twice among the items of its own recipe, never of another (VER-4): by its
canonical URL and by its content hash. Of each kind the most recently created counts; on equal time the
larger `item_id`. Then the first row that fits decides:

    content equals the URL's current item                     → Unchanged
    by content   by URL    same item?                           selected           conflict_resolved
    none         none                                         → New
    none         B                                            → canonical_uri      no
    A            none                                         → content_sha256     no
    A            B         yes                                → content_sha256     no
    A            B         no                                 → content_sha256     yes

The current item of a URL comes from the URL's own captures (LIN-5), so it is handed in, not found here:
content wins, so the newest item in a chain may be another URL's.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Final, NamedTuple

from holdfast.core.hashing import ContentHash
from holdfast.core.lineage import Edge, EdgeKind, Item, New, Superseding, Unchanged, Verdict
from holdfast.core.values import dataclass

__all__ = ["EDGE_KEYS", "TABLE", "Matches", "Reason", "Row", "Selected", "decide", "latest"]

EDGE_KEYS: Final = ("reason", "conflict_resolved", "canonical_uri_match", "content_sha256_match", "selected")
"""The metadata of a `supersedes` edge: these keys, in this order, and no others (LIN-4)."""


class Reason(StrEnum):
    """Why one item supersedes another."""

    CONTENT = "same_content_sha256"
    URL = "same_canonical_uri"


class Selected(StrEnum):
    """Which look-up found the item that is superseded."""

    CONTENT = "content_sha256"
    URL = "canonical_uri"


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table: what was found, and what follows. `selected` is None where nothing was."""

    by_content: bool
    by_url: bool
    same_item: bool
    selected: Selected | None
    conflict_resolved: bool = False


TABLE: Final = (
    Row(by_content=False, by_url=False, same_item=False, selected=None),
    Row(by_content=False, by_url=True, same_item=False, selected=Selected.URL),
    Row(by_content=True, by_url=False, same_item=False, selected=Selected.CONTENT),
    Row(by_content=True, by_url=True, same_item=True, selected=Selected.CONTENT),
    Row(by_content=True, by_url=True, same_item=False, selected=Selected.CONTENT, conflict_resolved=True),
)
_ROWS: Final = {(row.by_content, row.by_url, row.same_item): row for row in TABLE}
_REASONS: Final = {Selected.CONTENT: Reason.CONTENT, Selected.URL: Reason.URL}


class Matches(NamedTuple):
    """What the two look-ups found, and the URL's current item; all of the incoming item's recipe."""

    current: Item | None
    by_url: Item | None
    by_content: Item | None


def decide(item_id: str, content: ContentHash, found: Matches) -> Verdict:
    """The verdict on an incoming item."""
    if found.current is not None and found.current.content_sha256 == content:
        return Unchanged(found.current)
    row = _row(found)
    old = found.by_content if row.selected is Selected.CONTENT else found.by_url
    if row.selected is None or old is None:
        return New()
    metadata = (
        ("reason", str(_REASONS[row.selected])),
        ("conflict_resolved", row.conflict_resolved),
        ("canonical_uri_match", found.by_url.item_id if found.by_url else None),
        ("content_sha256_match", found.by_content.item_id if found.by_content else None),
        ("selected", str(row.selected)),
    )
    return Superseding(old, Edge(EdgeKind.SUPERSEDES, item_id, old.item_id, metadata))


def latest(items: Iterable[Item]) -> Item | None:
    """The most recently created; on equal time the one with the larger id (LIN-3)."""
    return max(items, key=lambda item: (item.created_at, item.item_id), default=None)


def _row(found: Matches) -> Row:
    a, b = found.by_content, found.by_url
    return _ROWS[a is not None, b is not None, a is not None and b is not None and a.item_id == b.item_id]
