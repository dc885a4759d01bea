"""`holdfast cluster`: workers on a Dask cluster, or on this machine."""

from __future__ import annotations

import argparse

from holdfast import jobs
from holdfast.core.base.errors import ExitStatus, UsageError
from holdfast.faces.cli.flags import add_settings, settings_from

HELP = """\
Run workers where the user's Dask cluster runs. Each is a task of the cluster, which restarts it on another
machine when one is lost; what it works on, in which order, and how politely is decided by the ledger, never
by the cluster. Without --scheduler the workers are processes of this machine.

Every machine needs the same Holdfast, and reaches the ledger and the archive."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where, and how many."""
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="of a Dask cluster, such as tcp://10.0.0.1:8786"
    )
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="how many workers")
    parser.add_argument("--drain", action="store_true", help="end when nothing is left in the queue")
    parser.add_argument(
        "--lease", type=float, default=15.0, metavar="SECONDS", help="how long a silent worker keeps its job"
    )
    add_settings(parser, "ledger", "archive", "processes")


def run(args: argparse.Namespace) -> ExitStatus:
    """Run workers."""
    if args.workers < 1 or args.lease < 1:
        raise UsageError("--workers and --lease are at least 1")
    settings = settings_from(args)
    if args.scheduler is None:
        done = jobs.cluster.engines.run_local_workers(
            settings, args.workers, drain=args.drain, seconds=args.lease
        )
    else:
        done = jobs.cluster.engines.run_dask_workers(
            settings, args.workers, args.scheduler, drain=args.drain, seconds=args.lease
        )
    return ExitStatus(done)
