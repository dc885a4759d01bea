"""`holdfast db`: the ledger's file."""

from __future__ import annotations

import argparse

from holdfast.core.errors import ExitStatus
from holdfast.faces.cli.console import answer, note, out, style
from holdfast.faces.cli.figures import counted
from holdfast.faces.cli.flags import add_settings, settings_from
from holdfast.wiring.checks import check_ledger_file, migrate_ledger_file

HELP = """Check the ledger's file, or bring its schema up to date.

check     read every page of the file, every reference between rows, and the laws that rows must keep.
          Problems are listed one a line, and the exit status is 1.
migrate   apply the schema steps that this version of Holdfast brings; the file is copied first."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("action", choices=("check", "migrate"))
    parser.add_argument("--json", action="store_true", help="one JSON document")
    add_settings(parser, "state")


def run(args: argparse.Namespace) -> ExitStatus:
    """Check or migrate."""
    return _check(args) if args.action == "check" else _migrate(args)


def _check(args: argparse.Namespace) -> ExitStatus:
    found = check_ledger_file(settings_from(args))
    if args.json:
        answer("db-check", found)
    else:
        for problem in found.problems:
            out(style(problem, "red"))
        note(counted(len(found.problems), "problem"))
    return ExitStatus.FINDINGS if found.problems else ExitStatus.SUCCESS


def _migrate(args: argparse.Namespace) -> ExitStatus:
    done = migrate_ledger_file(settings_from(args))
    if args.json:
        answer("db-migrate", done)
    elif done.before == done.after:
        note(f"the schema is {done.after} already; nothing to do")
    else:
        note(f"schema {done.before} is now {done.after}; the file as it was is {done.copy}")
    return ExitStatus.SUCCESS
