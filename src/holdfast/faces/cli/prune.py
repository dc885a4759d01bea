"""`holdfast store prune`: drop what no item needs."""

from __future__ import annotations

import argparse
import sys

from holdfast import jobs
from holdfast.core.base.errors import ConsentError, ExitStatus
from holdfast.core.base.figures import counted, size
from holdfast.faces.cli.console import answer, end_life_sign, note
from holdfast.faces.cli.flags import add_shared, add_state, settings_from
from holdfast.jobs.upkeep.forget_row import OrphansRemoved

HELP = """\
Drop what no item needs: captures of failures and of things that are not pages. The versions of pages, their
captures and their lineage stay.

--orphans deletes what lies in `archive/orphans` instead: records that the ledger does not know, because it
was lost, or an older one was put back, or a run was killed."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument(
        "--orphans", action="store_true", help="delete the records that the ledger does not know"
    )
    add_shared(parser, "--yes")
    add_state(parser)


def run(args: argparse.Namespace) -> ExitStatus:
    """Drop, and say how much."""
    if args.orphans:
        return _orphans(args)
    done = jobs.upkeep.prune.collect_garbage(settings_from(args))
    if args.json:
        answer("gc", done)
    smaller = size(max(done.freed, 0))
    note(f"dropped {counted(done.purged.captures, 'capture')}; the archive is {smaller} smaller")
    return ExitStatus.SUCCESS


def _orphans(args: argparse.Namespace) -> ExitStatus:
    settings = settings_from(args)
    files = jobs.upkeep.prune.orphan_files(settings)
    if files and not args.yes:
        _ask(files)
    freed = jobs.upkeep.prune.remove_orphans(settings) if files else 0
    if args.json:
        answer("gc-orphans", OrphansRemoved(len(files), freed))
    note(f"deleted {counted(len(files), 'file')}, {size(freed)}")
    return ExitStatus.SUCCESS


def _ask(files: tuple[tuple[str, int], ...]) -> None:
    """Nothing brings these records back: the person who deletes them has to say so."""
    for name, length in files:
        note(f"{name}  {size(length)}")
    end_life_sign()
    if not sys.stdin.isatty():
        raise ConsentError("these records exist nowhere else", hint="--yes deletes them without asking")
    if input("Delete them for good? Type `yes`: ").strip() != "yes":
        raise ConsentError("nothing was deleted")
