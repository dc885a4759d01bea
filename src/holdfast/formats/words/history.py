"""What a URL said, capture by capture, and what superseded what."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Final

from holdfast.core.answers.history import ItemLineage, PageHistory
from holdfast.core.figures import rows, short, when
from holdfast.core.hashing import UrlKey
from holdfast.core.ledger import Observation
from holdfast.core.lineage import Edge, EdgeKind
from holdfast.core.recipe import Recipe
from holdfast.core.versions import page_key
from holdfast.formats.words.paint import Paint
from holdfast.formats.words.sections import move_lines

__all__ = ["history_lines", "lineage_lines"]

_WORDS: Final = {
    EdgeKind.SUPERSEDES: ("supersedes", "superseded by"),
    EdgeKind.REPROCESSED_FROM: ("reprocessed from", "reprocessed as"),
}


def history_lines(found: PageHistory, paint: Paint) -> Iterator[str]:
    """A table of captures; below each that brought another version, the sections that differ."""
    table = [("FETCHED", "STATUS", "", "CONTENT", "ITEM", "RUN", "TITLE")]
    begun: set[tuple[Recipe, UrlKey]] = set()
    for observation in found.observations:
        capture, item = observation.capture, observation.item
        what = _what(observation, begun)
        begun.update([(item.recipe, page_key(item))] if item else ())
        ids = (short(item.content_sha256), short(item.item_id)) if item else ("-", "-")
        title = item.title if item else ""
        table.append(
            (when(capture.fetched_at), str(capture.status), what, *ids, short(capture.run_id), title)
        )
    head, *lines = rows(table)
    yield paint(head, "bold")
    for line, observation in zip(lines, found.observations, strict=True):
        yield line if observation.is_new else paint(line, "dim")
        yield from move_lines(found.sections.get(observation.capture.capture_id, ()), paint)


def _what(observation: Observation, begun: Container[tuple[Recipe, UrlKey]]) -> str:
    """What a capture brought, in the words of `changes`: a first version is new, another one changed."""
    item = observation.item
    if item is None:
        return "-"
    if not observation.is_new:
        return "same"
    return "changed" if (item.recipe, page_key(item)) in begun else "new"


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
