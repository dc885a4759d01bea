"""`holdfast cluster worker`: take jobs from the queue, and do them."""

from __future__ import annotations

import argparse

from holdfast import jobs
from holdfast.core.base.errors import ExitStatus, UsageError
from holdfast.core.base.figures import counted
from holdfast.faces.cli.bars import watcher
from holdfast.faces.cli.console import note
from holdfast.faces.cli.flags import add_settings, settings_from

HELP = """\
Take mirrors from the queue of a shared ledger and make them, until told to stop. A job that its worker does
not finish (killed, frozen, cut off) is taken over by the next one when its lease is over; the one that lost
it writes nothing more. Workers write no folder: `holdfast mirror NAME --cluster` and `holdfast restore` do.

The ledger has to be on a server and the archive in a bucket (`ledger` and `archive` in holdfast.toml, or
HOLDFAST_LEDGER and HOLDFAST_ARCHIVE). Ctrl-C, or SIGTERM from systemd, finishes the pages in flight and
gives the job back."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """How many jobs at a time, and for how long."""
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="jobs at a time, a process each")
    parser.add_argument("--drain", action="store_true", help="end when nothing is left in the queue")
    parser.add_argument(
        "--lease", type=float, default=15.0, metavar="SECONDS", help="how long a silent worker keeps its job"
    )
    add_settings(parser, "ledger", "archive", "processes")


def run(args: argparse.Namespace) -> ExitStatus:
    """Work."""
    if args.workers < 1 or args.lease < 1:
        raise UsageError("--workers and --lease are at least 1")
    settings = settings_from(args)
    if args.workers > 1:
        return ExitStatus(
            jobs.cluster.engines.run_local_workers(
                settings, args.workers, drain=args.drain, seconds=args.lease
            )
        )
    options = jobs.cluster.cluster.WorkerOptions(args.drain, args.lease)
    with watcher(quiet=True) as watching:
        done = jobs.running.run_until_stopped(
            lambda stop: jobs.cluster.cluster.work(settings, options, watching, stop),
            watching.say,
            "the pages in flight",
        )
    note(f"{counted(done, 'job')} worked on")
    return ExitStatus.SUCCESS
