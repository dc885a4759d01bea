"""`holdfast runs`: what was done, when, and how it ended."""

from __future__ import annotations

import argparse

from holdfast import jobs
from holdfast.core.base.errors import ExitStatus
from holdfast.core.lineage.lineage import Job
from holdfast.faces.cli.console import answer, note, out_lines, style
from holdfast.faces.cli.flags import add_state, settings_from
from holdfast.questions.log.runs import run_lines

HELP = """List the runs of a store, the latest first.

A run that says it is running while nobody holds the store was interrupted, and is shown so; starting
the same job again resumes it. The seal is a digest over every URL and content that a finished run saw: runs
over equal responses have equal seals."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("--job", choices=[str(job) for job in Job], help="only runs of this job")
    parser.add_argument("--label", help="only runs of this mirror or checked folder")
    parser.add_argument(
        "--limit", type=int, default=20, metavar="N", help="how many, 20 by default; 0 for all"
    )
    add_state(parser)


def run(args: argparse.Namespace) -> ExitStatus:
    """List them."""
    job = Job(args.job) if args.job else None
    with jobs.read_store.open_reader(settings_from(args)) as reader:
        found = reader.runs(label=args.label, job=job, limit=args.limit or None)
    if args.json:
        answer("runs", found)
    elif found.runs:
        out_lines(run_lines(found, style))
    else:
        note("there are no runs")
    return ExitStatus.SUCCESS
