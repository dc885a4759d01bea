"""`holdfast links`: what a document cites."""

from __future__ import annotations

import argparse
from pathlib import Path

from holdfast import jobs
from holdfast.core.base.errors import ExitStatus
from holdfast.faces.cli.console import answer, out_lines, style
from holdfast.faces.cli.flags import add_settings, settings_from
from holdfast.questions.link_words import link_lines

HELP = """\
Show what a document cites, as the last `holdfast check` read it: line and column, what became of the URL, the
URL as written, its text. A URL that is also mirrored shows its file. Nothing is asked."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("document", metavar="DOC", help="a checked document")
    add_settings(parser, "store")


def run(args: argparse.Namespace) -> ExitStatus:
    """Show them."""
    settings = settings_from(args)
    state, document = jobs.places.document_path(settings, Path(args.document))
    with jobs.read_store.open_reader(settings, state) as reader:
        found = reader.links(document)
    if args.json:
        answer("links", found)
    else:
        out_lines(link_lines(found, style))
    return ExitStatus.SUCCESS
