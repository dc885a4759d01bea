"""`holdfast backlinks`: who cites a URL, a host, or whatever matches a pattern."""

from __future__ import annotations

import argparse
from itertools import chain

from holdfast import jobs
from holdfast.core.base.errors import ExitStatus
from holdfast.faces.cli.console import answer, note, notes, out_lines, style
from holdfast.faces.cli.flags import add_settings, settings_from
from holdfast.questions.link_words import backlink_line, backlink_lines, target_lines
from holdfast.questions.rows.resolve_target import is_url

HELP = """\
Show which documents cite a URL, anything on a host, or whatever matches a pattern with `*`, `?` or `[…]`:
document, line and column, the URL as written. A URL is found by its identity, however it is written. Mirrored
pages that link to a URL are shown too. Nothing is asked."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("target", metavar="URL|HOST|PATTERN", help="what is cited")
    add_settings(parser, "store")


def run(args: argparse.Namespace) -> ExitStatus:
    """Show them."""
    with jobs.read_store.open_reader(settings_from(args)) as reader:
        if args.json:
            answer("backlinks", reader.backlinks(args.target))
        elif is_url(args.target):
            found = reader.backlinks(args.target)
            notes(target_lines(found, style))
            out_lines(backlink_lines(found))
        else:
            citations = reader.citing(args.target)
            first = next(citations, None)
            if first is None:
                note(f"{args.target}: not cited by any document")
            else:
                out_lines(map(backlink_line, chain((first,), citations)))
    return ExitStatus.SUCCESS
