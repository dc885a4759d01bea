"""`holdfast lsp`: a language server for editors."""

from __future__ import annotations

import argparse
import os
import sys

from holdfast import faces
from holdfast.core.base.errors import ExitStatus
from holdfast.core.settings.resolve import all_settings
from holdfast.faces.cli.console import note
from holdfast.faces.cli.flags import add_settings, environment_of
from holdfast.faces.cli.listening import signals_end_it

HELP = """\
Serve editors over standard input and output (the Language Server Protocol): diagnostics of links to the web,
as the ledger knows them, and of links to files, as they are while you type; hover, quick fixes, completion of
files and sections, and the way to the copy that was kept.

Nothing is asked while you type. The command holdfast.check asks one URL, and only with consent: give
--fetch-urls, or set fetch_external_urls = true in holdfast.toml."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument(
        "--stdio", action="store_true", help="talk over standard input and output, which it does anyway"
    )
    parser.add_argument(
        "--fetch-urls",
        dest="fetch_external_urls",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="consent that the editor's command asks the URL it is given for",
    )
    add_settings(parser, "allow_private", "local_links", "root_dir", "wiki_links", "strict_local", "store")


def run(args: argparse.Namespace) -> ExitStatus:
    """Serve until the editor leaves."""
    table = all_settings()
    flags = {name: value for name, value in vars(args).items() if name in table and value is not None}
    if sys.stdin.isatty():
        note("an editor talks to this command over standard input and output; Ctrl-C ends it")
    signals_end_it()
    # doubles: the server closes what it is given, and standard output is flushed at the end
    with os.fdopen(os.dup(0), "rb") as asked, os.fdopen(os.dup(1), "wb") as answers:
        faces.lsp_server.make_server(flags, environment_of(args)).start_io(asked, answers)
    return ExitStatus.SUCCESS
