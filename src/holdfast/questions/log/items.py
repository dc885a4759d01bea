"""The items of a URL, or one by its id, and what superseded what: question, value, JSON, words.

An item is told with the edges that leave it and those that reach it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from holdfast.core.base.errors import UsageError
from holdfast.core.base.figures import short, when
from holdfast.core.base.json_shape import (
    ANY_OBJECT,
    DATE_TIME,
    HASH,
    RECIPE,
    TEXT,
    WEB_URL,
    Schema,
    array,
    at,
    one_of,
    record,
)
from holdfast.core.base.values import dataclass
from holdfast.core.lineage.ledger_values import NamedAlias, Relations
from holdfast.core.lineage.lineage import Edge, EdgeKind, Item
from holdfast.core.url.policy import Policy
from holdfast.questions.log.page_log import ITEM, NAMES, history

if TYPE_CHECKING:
    from holdfast.questions.rows.question import Paint
    from holdfast.storage.ledger.ledger import Ledger


@dataclass(frozen=True, slots=True)
class ItemLineage:
    """An item, and the edges that leave and reach it."""

    item: Item
    relations: Relations


@dataclass(frozen=True, slots=True)
class Lineage:
    """The items that were asked for, in the order in which they were made; of a URL also `names`, what it
    was merged with.
    """

    items: tuple[ItemLineage, ...]
    names: tuple[NamedAlias, ...] = ()


def lineage(ledger: Ledger, name: str, policy: Policy) -> Lineage:
    """An item by its id or the beginning of it, or a URL's items, with their edges."""
    merged: tuple[NamedAlias, ...] = ()
    if not ITEM.match(name):
        known = history(ledger, name, policy)
        merged = known.names
        seen = {o.item.item_id: o.item for o in known.observations if o.item}
        items = sorted(seen.values(), key=lambda item: item.created_at)
    else:
        items = list(ledger.history.items(name))
        if len(items) > 1:
            names = ", ".join(item.item_id[:12] for item in items)
            raise UsageError(f"several items begin with {name}: {names}", hint="give more digits")
    told = tuple(ItemLineage(item, ledger.history.relations(item.item_id)) for item in items)
    return Lineage(told, merged)


_EDGE: Final = record(edge_id=HASH, kind=one_of(EdgeKind), source=HASH, target=HASH, metadata=ANY_OBJECT)

LINEAGE: Final = Schema(
    "lineage",
    "What `holdfast lineage --json` prints: items and their edges.",
    record(
        items=array(
            record(
                item_id=at("item.item_id", HASH),
                canonical_url=at("item.place.url", WEB_URL),
                url_key=at("item.place.key", HASH),
                web_key=at("item.place.web_key", HASH),
                content_sha256=at("item.content_sha256", HASH),
                normalization_version=at("item.recipe", RECIPE),
                run_id=at("item.run_id", HASH),
                capture_id=at("item.capture_id", HASH),
                created_at=at("item.created_at", DATE_TIME),
                title=at("item.title", TEXT),
                outgoing=at("relations.outgoing", array(_EDGE)),
                incoming=at("relations.incoming", array(_EDGE)),
            )
        ),
        names=NAMES,
    ),
)


_WORDS: Final = {
    EdgeKind.SUPERSEDES: ("supersedes", "superseded by"),
    EdgeKind.REPROCESSED_FROM: ("reprocessed from", "reprocessed as"),
}


def lineage_lines(entry: ItemLineage, paint: Paint) -> Iterator[str]:
    """An item, and the edges that lead from and to it."""
    item = entry.item
    yield f"{paint(short(item.item_id), 'bold')}  {when(item.created_at)}  {item.title}"
    yield f"    {item.place.url}"
    yield f"    content {short(item.content_sha256)}, run {short(item.run_id)}, {item.recipe}"
    for edge in entry.relations.outgoing:
        yield f"    {_WORDS[edge.kind][0]} {short(edge.target)}{_why(edge, paint)}"
    for edge in entry.relations.incoming:
        yield f"    {_WORDS[edge.kind][1]} {short(edge.source)}{_why(edge, paint)}"


def _why(edge: Edge, paint: Paint) -> str:
    facts = dict(edge.metadata)
    if not facts:
        return ""
    other = facts["canonical_uri_match"]
    passed = f"; the same URL's {short(str(other))} was passed over" if facts["conflict_resolved"] else ""
    return paint(f" ({facts['reason']}{passed})", "dim")
