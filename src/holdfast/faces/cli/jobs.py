"""`holdfast cluster jobs`: what is in the queue, and who has it."""

from __future__ import annotations

import argparse

from holdfast import jobs
from holdfast.core.base.errors import ExitStatus
from holdfast.core.base.figures import counted
from holdfast.core.base.shown_text import harmless
from holdfast.faces.cli.console import answer, note, out
from holdfast.faces.cli.flags import add_settings, settings_from

HELP = """List the jobs of a shared ledger: where each stands, who has it, how often it was taken. A job that
is taken and not held lost its worker; the next worker takes it over."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to list."""
    parser.add_argument("--open", action="store_true", help="only those that are not over")
    add_settings(parser, "ledger", "archive")


def run(args: argparse.Namespace) -> ExitStatus:
    """List."""
    found = jobs.cluster.cluster.list_jobs(settings_from(args), is_open=args.open)
    if args.json:
        answer("cluster-jobs", found)
        return ExitStatus.SUCCESS
    for job in found.jobs:
        held = "" if job.state != "taken" or job.is_held else " (not heard of)"
        owner = f" by {harmless(job.owner)}{held}" if job.owner and job.state == "taken" else ""
        taken = f", taken {job.attempts} times" if job.attempts > 1 else ""
        out(f"{job.job_id}  {harmless(job.name)}  {job.state}{owner}{taken}")
    note(counted(len(found.jobs), "job"))
    return ExitStatus.SUCCESS
