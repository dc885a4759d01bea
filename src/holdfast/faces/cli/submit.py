"""`holdfast cluster submit`: put named mirrors in the queue."""

from __future__ import annotations

import argparse

from holdfast import jobs
from holdfast.core.base.errors import ExitStatus, LockedError, UsageError
from holdfast.core.lineage.shared_jobs import JobList
from holdfast.faces.cli.console import answer, note
from holdfast.faces.cli.flags import add_settings, settings_file_of
from holdfast.faces.cli.mirror import named_request

HELP = """Put mirrors in the queue of a shared ledger, by the names that [mirror.NAME] in holdfast.toml gives
them. Workers (`holdfast cluster worker`) on any machine make them. What is in the queue already is left as it
is."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which ones."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="a [mirror.NAME] of holdfast.toml")
    parser.add_argument("--all", action="store_true", help="every one of them")
    add_settings(parser, "ledger", "archive", "update")


def run(args: argparse.Namespace) -> ExitStatus:
    """Submit."""
    known = settings_file_of(args).jobs.get("mirror", {})
    names = sorted(known) if args.all else args.names
    if not names or (args.all and args.names):
        raise UsageError(
            "name mirrors, or --all of them", hint=f"holdfast.toml has {', '.join(known) or 'none'}"
        )
    if unknown := [name for name in names if name not in known]:
        raise UsageError(
            f"holdfast.toml has no [mirror.{unknown[0]}]",
            hint=f"it has {', '.join(known)}" if known else "make one, with its source and its output",
        )
    made = []
    for name in names:
        try:
            made.append(jobs.cluster.cluster.submit_mirror(named_request(args, name), name))
        except LockedError as error:
            if not args.all:
                raise
            note(error.message)
    if args.json:
        answer("cluster-jobs", JobList(tuple(made)))
    else:
        for job in made:
            note(f"{job.name}: job {job.job_id}")
    return ExitStatus.SUCCESS
