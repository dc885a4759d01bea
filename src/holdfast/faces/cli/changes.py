"""`holdfast changes`: what came, changed and went in a mirror, the latest first; as a feed if asked."""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime

from holdfast import jobs
from holdfast.core.base.errors import ExitStatus, UsageError
from holdfast.core.events.happenings import Occurrence
from holdfast.core.lineage.versions import start_asked
from holdfast.core.settings.resolve import Settings
from holdfast.faces.cli.console import answer, note, out_lines, style
from holdfast.faces.cli.flags import add_settings, settings_from
from holdfast.questions.log.log_forms import atom_feed, change_lines, event_entry, json_feed
from holdfast.questions.log.page_log import section_lines

HELP = """\
Show what came, changed and went in a mirror, and which of its runs failed, the latest first.

Below a page that changed stand its sections that did. --sections lists nothing else: those that differ
between two moments (--since A, --until B), each a date or a run; without --until, between then and now.

--feed writes an Atom or JSON feed with the differences, for a feed reader:
`holdfast changes DIR --feed atom > changes.xml` after each update."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("folder", metavar="DIR", nargs="?", help="the mirror (default: the one here)")
    parser.add_argument("--since", metavar="DATE", help="only what was seen on that day or later")
    parser.add_argument("--until", metavar="DATE", help="with --sections: up to then, a date or a run")
    parser.add_argument(
        "--sections", action="store_true", help="the sections that differ since a date or a run (--since)"
    )
    parser.add_argument("--limit", type=int, default=50, metavar="N", help="at most so many (50); 0 for all")
    parser.add_argument("--feed", choices=("atom", "json"), help="a feed on standard output")
    add_settings(parser, "store", "content")


def run(args: argparse.Namespace) -> ExitStatus:
    """List them."""
    settings = settings_from(args)
    if args.sections:
        return _sections(args, settings)
    if args.until:
        raise UsageError("--until needs --sections", hint="`holdfast changes --sections --since A --until B`")
    since = start_asked(args.since) if args.since else None
    with jobs.read_store.open_mirror(args.folder, settings) as mirror:
        found = mirror.reader.mirror_changes(mirror.label, since=since, limit=args.limit or None)
        if args.feed:
            name = mirror.place.folder.resolve().name
            _feed(args.feed, name, [mirror.reader.with_diff(event) for event in found.changes])
            return ExitStatus.SUCCESS
    if args.json:
        answer("changes", found)
    elif found.changes:
        out_lines(change_lines(found, style))
    else:
        note("nothing changed")
    return ExitStatus.SUCCESS


def _sections(args: argparse.Namespace, settings: Settings) -> ExitStatus:
    if not args.since or args.feed:
        raise UsageError("--sections needs --since, and makes no feed", hint="such as --since 2026-05-04")
    with jobs.read_store.open_mirror(args.folder, settings) as mirror:
        found = mirror.reader.section_changes(mirror.label, args.since, args.until)
    if args.json:
        answer("section-changes", found)
    elif found.sections:
        out_lines(section_lines(found.sections))
    else:
        note("no section changed")
    return ExitStatus.SUCCESS


def _feed(form: str, name: str, events: list[Occurrence]) -> None:
    entries = map(event_entry, events)
    if form == "json":
        sys.stdout.write(json_feed(name, entries))
        return
    updated = max((event.at for event in events), default=datetime.fromtimestamp(0, UTC))
    sys.stdout.writelines(atom_feed(name, entries, updated))
