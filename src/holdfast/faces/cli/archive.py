"""`holdfast archive`: its small files joined, and its index for replay tools."""

from __future__ import annotations

import argparse

from holdfast import jobs
from holdfast.core.base.errors import ExitStatus
from holdfast.faces.cli.console import answer, notes, out_lines
from holdfast.faces.cli.flags import add_settings, settings_from
from holdfast.jobs.upkeep.forget_row import packed_lines

HELP = """Join the small files of the archive, or write its index. `holdfast verify` checks it.

pack     join the small files of the archive into full ones. In a bucket every batch of pages is an object of
         its own. Files of more than half the size of a full one stay as they are.
export   print the CDXJ index by which pywb and other tools find records. The WARC files
         themselves are what such tools read; they need no export."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("action", choices=("pack", "export"))
    parser.add_argument(
        "--json", action="store_true", help="pack: one JSON document (CDXJ has its JSON in each line)"
    )
    add_settings(parser, "state")


def run(args: argparse.Namespace) -> ExitStatus:
    """Do what was asked."""
    return {"pack": _pack, "export": _export}[args.action](args)


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
