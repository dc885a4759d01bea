"""`holdfast gc`: drop what no item needs."""

from __future__ import annotations

import argparse

from holdfast.core.errors import ExitStatus
from holdfast.faces.cli.console import answer, note
from holdfast.faces.cli.figures import counted, size
from holdfast.faces.cli.flags import add_settings, settings_from
from holdfast.wiring.upkeep import collect_garbage

HELP = """\
Drop what no item needs: captures of failures and of things that are no pages, and archive files that nothing
refers to. The versions of pages, their captures and their lineage stay."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("--json", action="store_true", help="one JSON document")
    add_settings(parser, "state")


def run(args: argparse.Namespace) -> ExitStatus:
    """Drop, and say how much."""
    done = collect_garbage(settings_from(args))
    if args.json:
        answer("gc", done)
    smaller = size(max(done.freed, 0))
    note(f"dropped {counted(done.purged.captures, 'capture')}; the archive is {smaller} smaller")
    return ExitStatus.SUCCESS
