"""The items of a URL, or one by its id, and what superseded what: `log --items`.

An item is told with the edges that leave it and those that reach it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Final

from holdfast.core.base.errors import NotKeptError, UsageError
from holdfast.core.base.figures import short, when
from holdfast.core.base.json_shape import (
    ANY_OBJECT,
    DATE_TIME,
    HASH,
    RECIPE,
    TEXT,
    WEB_URL,
    Shape,
    array,
    at,
    one_of,
    record,
)
from holdfast.core.base.values import dataclass
from holdfast.core.lineage.ledger_values import NamedAlias, Relations
from holdfast.core.lineage.lineage import Edge, EdgeKind, Item
from holdfast.core.targets.command_target import CommandTarget, TargetKind
from holdfast.core.url.policy import Policy
from holdfast.core.url.redaction import shown
from holdfast.questions.log.page_log import NAMES, history, name_lines
from holdfast.questions.rows.parameters import FROM, ROWS, TARGET
from holdfast.questions.rows.parts import part_after
from holdfast.questions.rows.question import Line, Note, Paint, Saying, question

if TYPE_CHECKING:
    from holdfast.storage.ledger.ledger import Ledger


@dataclass(frozen=True, slots=True)
class ItemLineage:
    """An item, and the edges that leave and reach it."""

    item: Item
    relations: Relations


@dataclass(frozen=True, slots=True)
class ItemList:
    """The items that were asked for, in the order in which they were made; of a URL also `names`, what it
    was merged with.
    """

    items: tuple[ItemLineage, ...]
    names: tuple[NamedAlias, ...] = ()
    next: str | None = None


@question(listed="items", switch_of="log")
def items(
    ledger: Ledger,
    policy: Policy,
    /,
    target: Annotated[CommandTarget, TARGET, "a page, an item"],
    *,
    limit: Annotated[int | None, ROWS, "at most so many"] = 50,
    from_: Annotated[str, FROM, "where they begin: `next` of the part before"] = "",
) -> ItemList:
    """Show a page's items, or an item, and what superseded what.

    An edge leads from the new item to the old one; it says whether equal content or the equal URL decided,
    and what else matched. What was merged with a page is told, and why.

    Example:
        for part in holdfast.items("https://example.com/page").parts:
            for entry in part.value.items:
                print(entry.item.item_id, [edge.kind for edge in entry.relations.outgoing])
    """
    names: tuple[NamedAlias, ...] = ()
    match target.kind:
        case TargetKind.ITEM:
            found = list(ledger.history.items(target.value))
        case TargetKind.PAGE | TargetKind.SECTION:
            known = history(ledger, policy, target.value.partition("#")[0])
            names = known.names
            seen = {o.item.item_id: o.item for o in known.observations if o.item}
            found = sorted(seen.values(), key=lambda item: item.created_at)
        case _:
            raise UsageError("--items is of a page or an item", hint="holdfast log URL --items")
    if not found and not names:
        raise NotKeptError(f"no item is known of {shown(target.value)}")
    rows, following = part_after(found, from_, limit, lambda item: item.item_id)
    told = tuple(ItemLineage(item, ledger.history.relations(item.item_id)) for item in rows)
    return ItemList(told, names, following)


_EDGE: Final = record(edge_id=HASH, kind=one_of(EdgeKind), source=HASH, target=HASH, metadata=ANY_OBJECT)

ITEM_LINEAGE: Final = record(
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


@items.json
def _json() -> Shape:
    return record(items=array(ITEM_LINEAGE), names=NAMES)


@items.words
def _words(found: ItemList, say: Saying) -> Iterator[Line]:
    for entry in found.items:
        yield from lineage_lines(entry, say.paint)
    yield from map(Note, name_lines(found.names))


@items.rows("item", "created", "url", "title", "content", "run", "normalization", "supersedes")
def _rows(found: ItemList) -> Iterator[tuple[object, ...]]:
    for item, relations in ((each.item, each.relations) for each in found.items):
        facts = (item.content_sha256, item.run_id, str(item.recipe))
        old = " ".join(edge.target for edge in relations.outgoing)
        yield item.item_id, item.created_at, item.place.url, item.title, *facts, old


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
