"""`holdfast changes`: what came and what changed in a mirror, the latest first; as a feed if asked."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.core.errors import ExitStatus, UsageError
from holdfast.core.settings import Settings
from holdfast.core.versions import moment_of
from holdfast.faces.cli.console import harmless, json_document, note, out, style
from holdfast.faces.cli.figures import iso, rows, short, when
from holdfast.faces.cli.flags import add_settings, settings_from
from holdfast.formats.feed import FeedEntry, atom_feed, json_feed
from holdfast.formats.text_diff import compare, unified
from holdfast.wiring import Store
from holdfast.wiring.upkeep import distill_options, place_of, read_mirror

if TYPE_CHECKING:
    from holdfast.jobs.recall import Change

HELP = """\
Show what came and what changed in a mirror, the latest first.

--feed writes an Atom or JSON feed with the differences, for a feed reader:
`holdfast changes DIR --feed atom > changes.xml` after each update."""

_LONGEST = 20_000
"""Characters of a difference that a feed entry holds."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("folder", metavar="DIR", nargs="?", default=".", help="the mirror (default: here)")
    parser.add_argument("--since", metavar="DATE", help="only what was fetched on that day or later")
    parser.add_argument("--limit", type=int, default=50, metavar="N", help="at most so many (50); 0 for all")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--feed", choices=("atom", "json"), help="a feed on standard output")
    form.add_argument("--json", action="store_true", help="one JSON document")
    add_settings(parser, "state", "content")


def run(args: argparse.Namespace) -> ExitStatus:
    """List them."""
    settings = settings_from(args)
    place = place_of(Path(args.folder), settings)
    with read_mirror(place, settings) as store:
        found = list(_changes(args, store, place.label))
        if args.feed:
            _feed(
                args.feed, place.folder.resolve().name, [_entry(change, store, settings) for change in found]
            )
            return ExitStatus.SUCCESS
    if args.json:
        json_document("changes", {"label": place.label, "changes": [_facts(change) for change in found]})
    elif found:
        table = [("FETCHED", "", "VERSION", "RUN", "URL", "TITLE")]
        for change in found:
            item = change.item
            facts = (when(change.now.first_seen), str(change.kind), str(change.now.number))
            table.append((*facts, short(item.run_id), item.canonical_url, harmless(item.title)))
        head, *lines = rows(table)
        out(style(head, "bold"))
        for line in lines:
            out(line)
    else:
        note("nothing changed")
    return ExitStatus.SUCCESS


def _changes(args: argparse.Namespace, store: Store, label: str) -> Iterator[Change]:
    from holdfast.jobs.recall import Change, changes_of  # noqa: PLC0415 # lazy: the parsers

    since = moment_of(args.since) if args.since else None
    if args.since and since is None:
        raise UsageError(f"{args.since!r} is no date", hint="such as 2026-05-04 or 2026-05-04T12:00")
    if since is not None and len(args.since) == 10:
        since = since.replace(hour=0, minute=0, second=0, microsecond=0)
    left = args.limit or sys.maxsize
    for record in store.ledger.runs.latest_first(label=label):
        found = [
            c for c in changes_of(store.ledger, record.run.run_id, record.run.recipe) if isinstance(c, Change)
        ]
        for change in reversed(found):
            if left and (since is None or change.now.first_seen >= since):
                left -= 1
                yield change
        if not left or (since is not None and record.updated_at < since):
            return


def _entry(change: Change, store: Store, settings: Settings) -> FeedEntry:
    from holdfast.jobs.recall import markdown_of  # noqa: PLC0415 # lazy: the parsers

    text = ""
    if change.before:
        options = distill_options(settings)
        old = markdown_of(store.archive, change.before, options)
        new = markdown_of(store.archive, change.now, options)
        text = "\n".join(line for _, line in unified(compare(old, new)))[:_LONGEST]
    item = change.item
    return FeedEntry(
        item.item_id, item.canonical_url, item.title, change.now.first_seen, change.kind.capitalize(), text
    )


def _feed(form: str, name: str, entries: list[FeedEntry]) -> None:
    if form == "json":
        sys.stdout.write(json_feed(name, entries))
        return
    updated = max((entry.at for entry in entries), default=datetime.fromtimestamp(0, UTC))
    sys.stdout.writelines(atom_feed(name, entries, updated))


def _facts(change: Change) -> dict[str, Any]:
    item = change.item
    return {
        "kind": change.kind,
        "url": item.canonical_url,
        "title": item.title,
        "item_id": item.item_id,
        "run_id": item.run_id,
        "version": change.now.number,
        "fetched_at": iso(change.now.first_seen),
    }
