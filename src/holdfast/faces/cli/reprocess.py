"""`holdfast store reprocess`: another recipe for what was seen already."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from holdfast import jobs
from holdfast.core.base.errors import ExitStatus
from holdfast.core.lineage.lineage import RunStatus
from holdfast.core.url.policy import Component, Version
from holdfast.faces.cli.bars import watcher
from holdfast.faces.cli.console import answer, note, notes
from holdfast.faces.cli.flags import add_settings, settings_from
from holdfast.jobs.upkeep.restore_row import reprocessed_lines

if TYPE_CHECKING:
    from holdfast.jobs.upkeep.restore_row import Reprocessed

HELP = """\
Go over a run's captures with another URL policy (--policy) or another content hash (--content): a new run,
from the archive, without a request. Old items stay; each new one points to its origin.

RUN is a run's id or the beginning of it (`holdfast log --runs`). Start the same command again to go on
where it was stopped."""

_HASHES = {"text": Component("text", Version(1)), "body": Component("body", Version(1))}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("of_run", metavar="RUN")
    parser.add_argument(
        "--compare",
        dest="component",
        choices=sorted(_HASHES),
        help="what the content hash is made of, text or whole body; by default as the run had it",
    )
    parser.add_argument("--quiet", "-q", action="store_true", help="no progress")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    add_settings(
        parser,
        "policy",
        "overrides",
        "allow_query",
        "trailing_slash",
        "identity_version",
        "processes",
        "scheduler",
        "store",
    )


def run(args: argparse.Namespace) -> ExitStatus:
    """Reprocess, and say how it went."""
    settings = settings_from(args)
    component = _HASHES.get(args.component)
    with watcher(quiet=args.quiet) as watching:
        done: Reprocessed = jobs.running.run_until_stopped(
            lambda stop: jobs.upkeep.mirrors.reprocess_run(args.of_run, component, settings, watching, stop),
            watching.say,
            "the captures in flight",
        )
    if args.json:
        answer("store-reprocess", done)
    notes(reprocessed_lines(done))
    if done.status is not RunStatus.FINISHED:
        note("\nhint: the same command goes on where it stopped")
        return ExitStatus.INTERRUPTED
    return ExitStatus.FINDINGS if done.failed else ExitStatus.SUCCESS
