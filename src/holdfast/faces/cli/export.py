"""`holdfast export`: a mirror as records, for search engines and language models."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from holdfast import jobs
from holdfast.core.base.errors import ExitStatus, UsageError
from holdfast.core.base.figures import counted
from holdfast.core.page.corpus import EXPORT_FORMATS, ExportUnit, ExportWish
from holdfast.faces.cli.console import note
from holdfast.faces.cli.flags import add_settings, add_shared, settings_from

HELP = """\
Write a mirror as records: its sections, or its pages, with stable ids.

With --after, a date or a run, only what is new, changed or gone since then comes: what a vector store has to
add, replace and delete. JSON lines go to standard output; --map sends them through a program of yours (one
that adds embeddings, say) and prints what it prints."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("folder", metavar="DIR", nargs="?", help="the mirror (default: the one here)")
    parser.add_argument("--unit", choices=tuple(map(str, ExportUnit)), default="section", help="(section)")
    parser.add_argument("--format", choices=EXPORT_FORMATS, default="jsonl", help="(jsonl)")
    add_shared(parser, "--output")
    parser.add_argument("--after", metavar="RUN|DATE", help="what is new, changed or gone since then")
    parser.add_argument("--same", action="store_true", help="with --after: what is the same, too")
    parser.add_argument("--max-tokens", type=int, metavar="N", help="longer records come in parts")
    parser.add_argument(
        "--from", dest="last_id", metavar="ID", help="go on after this record of an export that was cut off"
    )
    parser.add_argument("--map", metavar="CMD", help="a program that the JSON lines go through")
    add_settings(parser, "store", "content")


def run(args: argparse.Namespace) -> ExitStatus:
    """Export."""
    if args.format != "jsonl" and not args.output:
        raise UsageError(f"{args.format} is a file", hint="name it with --output FILE")
    if args.map and (args.output or args.format != "jsonl"):
        raise UsageError("--map prints JSON lines", hint="leave out --output and --format; redirect with >")
    wish = ExportWish(ExportUnit(args.unit), None, args.same, args.max_tokens, args.last_id)
    with jobs.read_store.open_mirror(args.folder, settings_from(args)) as mirror:
        records = mirror.reader.export(mirror.label, wish, args.after)
        if args.output:
            count = jobs.write_export.write_records(records, Path(args.output), args.format)
            note(f"{counted(count, 'record')} in {args.output}")
            return ExitStatus.SUCCESS
        lines = jobs.write_export.record_lines(records)
        for line in jobs.write_export.mapped(lines, args.map, os.environ) if args.map else lines:
            sys.stdout.buffer.write(line)
    return ExitStatus.SUCCESS
