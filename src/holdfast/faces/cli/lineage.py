"""`holdfast lineage`: items, and what superseded what."""

from __future__ import annotations

import argparse

from holdfast.core.errors import ExitStatus
from holdfast.core.ledger import Relations
from holdfast.core.lineage import Edge, EdgeKind, Item
from holdfast.core.redaction import shown
from holdfast.faces.cli.console import answer, note, out, style
from holdfast.faces.cli.figures import short, when
from holdfast.faces.cli.flags import add_settings
from holdfast.faces.cli.merged import name_lines
from holdfast.faces.cli.reading import reader_from

HELP = """Show an item, or a URL's items, and what superseded what.

An item is named by its id or the beginning of it. An edge leads from the new item to the old one; it says
whether equal content or the equal URL decided, and what else matched. Of a URL, what was merged with it, and
why, is said too."""

_WORDS = {
    EdgeKind.SUPERSEDES: ("supersedes", "superseded by"),
    EdgeKind.REPROCESSED_FROM: ("reprocessed from", "reprocessed as"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("what", metavar="ITEM|URL")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    add_settings(parser, "state", "overrides")


def run(args: argparse.Namespace) -> ExitStatus:
    """Show them."""
    with reader_from(args) as reader:
        found = reader.lineage(args.what)
    if args.json:
        answer("lineage", found)
    else:
        for entry in found.items:
            _print(entry.item, entry.relations)
        for line in name_lines(found.names):
            note(line)
        if not found.items and not found.names:
            note(f"no item is known of {shown(args.what)}")
    return ExitStatus.SUCCESS if found.items or found.names else ExitStatus.FINDINGS


def _print(item: Item, relations: Relations) -> None:
    out(f"{style(short(item.item_id), 'bold')}  {when(item.created_at)}  {item.title}")
    out(f"    {item.place.url}")
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
