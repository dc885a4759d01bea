"""`holdfast lineage`: items, and what superseded what."""

from __future__ import annotations

import argparse
import re
from typing import Any

from holdfast.core.errors import ExitStatus, UsageError
from holdfast.core.ledger import Relations
from holdfast.core.lineage import Edge, EdgeKind, Item
from holdfast.core.settings import Settings
from holdfast.faces.cli.console import json_document, note, out, style
from holdfast.faces.cli.figures import iso, short, when
from holdfast.faces.cli.flags import add_settings, settings_from
from holdfast.faces.cli.history import web_key_of
from holdfast.wiring import Store, read_store

HELP = """Show an item, or a URL's items, and what superseded what.

An item is named by its id or the beginning of it. An edge leads from the new item to the old one; it says
whether equal content or the equal URL decided, and what else matched."""

_WORDS = {
    EdgeKind.SUPERSEDES: ("supersedes", "superseded by"),
    EdgeKind.REPROCESSED_FROM: ("reprocessed from", "reprocessed as"),
}
_ITEM = re.compile(r"[0-9a-f]{4,64}\Z")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("what", metavar="ITEM|URL")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    add_settings(parser, "state", "overrides")


def run(args: argparse.Namespace) -> ExitStatus:
    """Show them."""
    settings = settings_from(args)
    with read_store(settings) as store:
        items = _items(args.what, store, settings)
        found = [(item, store.ledger.history.relations(item.item_id)) for item in items]
    if args.json:
        facts = [item_facts(item, relations) for item, relations in found]
        json_document("lineage", {"items": facts})
    else:
        for item, relations in found:
            _print(item, relations)
        if not found:
            note(f"no item is known of {args.what}")
    return ExitStatus.SUCCESS if found else ExitStatus.FINDINGS


def item_facts(item: Item, relations: Relations) -> dict[str, Any]:
    """An item and its edges as JSON has them."""
    return {
        "item_id": item.item_id,
        "canonical_url": item.canonical_url,
        "url_key": item.url_key,
        "web_key": item.web_key,
        "content_sha256": item.content_sha256,
        "normalization_version": str(item.recipe),
        "run_id": item.run_id,
        "capture_id": item.capture_id,
        "created_at": iso(item.created_at),
        "title": item.title,
        "outgoing": [_edge_facts(edge) for edge in relations.outgoing],
        "incoming": [_edge_facts(edge) for edge in relations.incoming],
    }


def _items(what: str, store: Store, settings: Settings) -> list[Item]:
    """The items that a text names."""
    if not _ITEM.match(what):
        _, key = web_key_of(what, settings)
        seen = {o.item.item_id: o.item for o in store.ledger.history.of_url(key) if o.item}
        return sorted(seen.values(), key=lambda item: item.created_at)
    items = store.ledger.history.items(what)
    if len(items) > 1:
        names = ", ".join(short(item.item_id) for item in items)
        raise UsageError(f"several items begin with {what}: {names}", hint="give more digits")
    return list(items)


def _edge_facts(edge: Edge) -> dict[str, Any]:
    ends = {"edge_id": edge.edge_id, "kind": edge.kind, "source": edge.source, "target": edge.target}
    return {**ends, "metadata": dict(edge.metadata)}


def _print(item: Item, relations: Relations) -> None:
    out(f"{style(short(item.item_id), 'bold')}  {when(item.created_at)}  {item.title}")
    out(f"    {item.canonical_url}")
    out(f"    content {short(item.content_sha256)}, run {short(item.run_id)}, {item.recipe}")
    for edge in relations.outgoing:
        out(f"    {_WORDS[edge.kind][0]} {short(edge.target)}{_why(edge)}")
    for edge in relations.incoming:
        out(f"    {_WORDS[edge.kind][1]} {short(edge.source)}{_why(edge)}")


def _why(edge: Edge) -> str:
    facts = dict(edge.metadata)
    if not facts:
        return ""
    other = facts["canonical_uri_match"]
    passed = f"; the same URL's {short(str(other))} was passed over" if facts["conflict_resolved"] else ""
    return style(f" ({facts['reason']}{passed})", "dim")
