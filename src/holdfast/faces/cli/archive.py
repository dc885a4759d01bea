"""`holdfast archive`: whether the archive is whole, and its index for replay tools."""

from __future__ import annotations

import argparse

from holdfast import jobs
from holdfast.core.base.errors import ExitStatus
from holdfast.core.base.figures import counted
from holdfast.core.base.shown_text import harmless
from holdfast.faces.cli.console import answer, note, notes, out, out_lines, style
from holdfast.faces.cli.flags import add_settings, settings_from
from holdfast.jobs.upkeep.forget_row import packed_lines
from holdfast.jobs.upkeep.restore_row import archive_line

HELP = """Check the archive, mend it, or write its index.

check    read every record of every WARC file: gzip members, lengths, digests; then compare with the ledger.
         Problems are listed one a line, and the exit status is 1.
repair   note what cannot be read any more as lost, and write the rest anew; damaged files are kept in
         `archive/orphans`. What is lost is named, once; `holdfast mirror --update --max-age 0s` then fetches
         the pages again.
pack     join the small files of the archive into full ones. In a bucket every batch of pages is an object of
         its own. Files of more than half the size of a full one stay as they are.
export   print the CDXJ index by which pywb and other tools find records. The WARC files
         themselves are what such tools read; they need no export."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("action", choices=("check", "repair", "pack", "export"))
    parser.add_argument(
        "--json", action="store_true", help="check: one JSON document (CDXJ has its JSON in each line)"
    )
    add_settings(parser, "state")


def run(args: argparse.Namespace) -> ExitStatus:
    """Do what was asked."""
    return {"check": _check, "repair": _repair, "pack": _pack, "export": _export}[args.action](args)


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


def _pack(args: argparse.Namespace) -> ExitStatus:
    done = jobs.upkeep.prune.pack_archive(settings_from(args))
    if args.json:
        answer("archive-pack", done)
    else:
        notes(packed_lines(done))
    return ExitStatus.FINDINGS if done.lost else ExitStatus.SUCCESS


def _export(args: argparse.Namespace) -> ExitStatus:
    out_lines(jobs.upkeep.check_store.archive_lines(settings_from(args)))
    return ExitStatus.SUCCESS
