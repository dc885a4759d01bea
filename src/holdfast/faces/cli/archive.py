"""`holdfast archive`: whether the archive is whole, and what to do where it is not."""

from __future__ import annotations

import argparse

from holdfast import jobs
from holdfast.core.base.errors import ExitStatus
from holdfast.core.base.figures import counted
from holdfast.core.base.shown_text import harmless
from holdfast.faces.cli.console import answer, note, out, style
from holdfast.faces.cli.flags import add_settings, settings_from
from holdfast.jobs.upkeep.restore_row import archive_line

HELP = """Check the archive, or mend it. All else about the archive is `holdfast store`.

check    read every record of every WARC file: gzip members, lengths, digests; then compare with the ledger.
         Problems are listed one a line, and the exit status is 1.
repair   note what cannot be read any more as lost, and write the rest anew; damaged files are kept in
         `archive/orphans`. What is lost is named, once; `holdfast mirror --update --max-age 0s` then fetches
         the pages again."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("action", choices=("check", "repair"))
    add_settings(parser, "store")


def run(args: argparse.Namespace) -> ExitStatus:
    """Do what was asked."""
    return _check(args) if args.action == "check" else _repair(args)


def _check(args: argparse.Namespace) -> ExitStatus:
    found = jobs.upkeep.check_store.check_archive(settings_from(args))
    if args.json:
        answer("archive-check", found)
    else:
        for problem in found.problems:
            out(style(problem, "red"))
        note(archive_line(found))
    return ExitStatus.FINDINGS if found.problems else ExitStatus.SUCCESS


def _repair(args: argparse.Namespace) -> ExitStatus:
    done = jobs.upkeep.prune.repair_archive(settings_from(args))
    if args.json:
        answer("archive-repair", done)
    else:
        for url in done.urls:
            out(harmless(url))
    note(f"{counted(done.kept, 'capture')} kept, {counted(done.lost, 'capture')} lost")
    return ExitStatus.SUCCESS
