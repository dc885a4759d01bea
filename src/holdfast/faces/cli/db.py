"""`holdfast db check`: whether the ledger's file is whole."""

from __future__ import annotations

import argparse

from holdfast import jobs
from holdfast.core.base.errors import ExitStatus
from holdfast.core.base.figures import counted
from holdfast.faces.cli.console import answer, note, out, style
from holdfast.faces.cli.flags import add_settings, settings_from

HELP = """Check the ledger's file: read every page of it, every reference between rows, and the laws that rows
must keep. Problems are listed one a line, and the exit status is 1. All else about the ledger is `holdfast
store`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("action", choices=("check",))
    add_settings(parser, "store")


def run(args: argparse.Namespace) -> ExitStatus:
    """Check, and say what is wrong."""
    found = jobs.upkeep.check_store.check_ledger(settings_from(args))
    if args.json:
        answer("db-check", found)
    else:
        for problem in found.problems:
            out(style(problem, "red"))
        note(counted(len(found.problems), "problem"))
    return ExitStatus.FINDINGS if found.problems else ExitStatus.SUCCESS
