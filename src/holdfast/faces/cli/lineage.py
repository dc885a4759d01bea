"""`holdfast lineage`: items, and what superseded what."""

from __future__ import annotations

import argparse

from holdfast.core.base.errors import ExitStatus
from holdfast.core.url.redaction import shown
from holdfast.faces.cli.console import answer, note, notes, out_lines, style
from holdfast.faces.cli.flags import add_settings, reader_from
from holdfast.questions.log.items import lineage_lines
from holdfast.questions.log.page_log import name_lines

HELP = """Show an item, or a URL's items, and what superseded what.

An item is named by its id or the beginning of it. An edge leads from the new item to the old one; it says
whether equal content or the equal URL decided, and what else matched. Of a URL, what was merged with it, and
why, is said too."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("what", metavar="ITEM|URL")
    add_settings(parser, "store", "overrides")


def run(args: argparse.Namespace) -> ExitStatus:
    """Show them."""
    with reader_from(args) as reader:
        found = reader.lineage(args.what)
    if args.json:
        answer("lineage", found)
    else:
        for entry in found.items:
            out_lines(lineage_lines(entry, style))
        notes(name_lines(found.names))
        if not found.items and not found.names:
            note(f"no item is known of {shown(args.what)}")
    return ExitStatus.SUCCESS if found.items or found.names else ExitStatus.FINDINGS
