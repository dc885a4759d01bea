"""`holdfast archive`: whether the archive is whole, and its index for replay tools."""

from __future__ import annotations

import argparse

from holdfast.core.errors import ExitStatus
from holdfast.faces.cli.console import json_document, note, out, style
from holdfast.faces.cli.figures import counted, size
from holdfast.faces.cli.flags import add_settings, settings_from
from holdfast.wiring import archive_index, read_store, survey_archive

HELP = """Check the archive, or write its index.

check    read every record of every WARC file: gzip members, lengths, digests; then compare with the ledger.
         Problems are listed one a line, and the exit status is 1.
export   print the CDXJ index by which pywb and other tools find records. The WARC files
         themselves are what such tools read; they need no export."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("action", choices=("check", "export"))
    parser.add_argument(
        "--json", action="store_true", help="check: one JSON document (CDXJ has its JSON in each line)"
    )
    add_settings(parser, "state")


def run(args: argparse.Namespace) -> ExitStatus:
    """Check or export."""
    return _check(args) if args.action == "check" else _export(args)


def _check(args: argparse.Namespace) -> ExitStatus:
    with read_store(settings_from(args)) as store:
        survey = survey_archive(store)
        problems = list(survey.problems())
        total = sum(store.ledger.archived.ends().values())
    if args.json:
        counts = {"files": survey.files, "records": survey.records, "captures": survey.captures}
        json_document("archive-check", {**counts, "bytes": total, "problems": problems})
    else:
        for problem in problems:
            out(style(problem, "red"))
        files, records = counted(survey.files, "file"), counted(survey.records, "record")
        captures = counted(survey.captures, "capture")
        note(f"{files}, {records}, {captures}, {size(total)}: {counted(len(problems), 'problem')}")
    return ExitStatus.FINDINGS if problems else ExitStatus.SUCCESS


def _export(args: argparse.Namespace) -> ExitStatus:
    with read_store(settings_from(args)) as store:
        lines = archive_index(store)
    for line in lines:
        out(line)
    return ExitStatus.SUCCESS
