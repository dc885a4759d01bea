"""`holdfast watch`: documents as they change, and jobs when they are due."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from holdfast import jobs
from holdfast.core.base.errors import ExitStatus, UsageError
from holdfast.faces.cli.bars import TrackProgress, tell_targets
from holdfast.faces.cli.check_inputs import paths_from
from holdfast.faces.cli.console import note, out
from holdfast.faces.cli.flags import add_settings, environment_of, settings_from
from holdfast.jobs.sync.scheduling import service_unit

if TYPE_CHECKING:
    from holdfast.adapters.ports import Event
    from holdfast.core.findings.report import ReportFinding


HELP = """\
Read documents again when they change on disk, and tell which problems come and go: a line with + for one
that came, with - for one that went. Run the jobs of holdfast.toml that have a schedule (every = "6h") when
they are due, one at a time; when each ran is remembered over restarts.

Nothing is asked for documents without your consent: give --fetch-urls, or set fetch_external_urls = true in
holdfast.toml."""

_OWN: Final = ("findings", "trouble", "begins", "ended", "next")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="documents and folders; by default this folder"
    )
    parser.add_argument("--once", action="store_true", help="run the jobs that are due, and leave: for cron")
    parser.add_argument(
        "--print-unit", action="store_true", help="print a systemd unit and a cron line for this folder"
    )
    parser.add_argument(
        "--fetch-urls",
        dest="fetch_external_urls",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="consent to ask the URLs that the documents cite",
    )
    add_settings(parser, "allow_private", "content_rate_limit", "check.max_age", "store")


def run(args: argparse.Namespace) -> ExitStatus:
    """Watch, or do what is due."""
    if args.print_unit:
        out(service_unit(str(Path.cwd()), [sys.executable, "-P", "-m", "holdfast", "watch"]))
        return ExitStatus.SUCCESS
    paths = paths_from(args.paths)
    settings = settings_from(args, start=paths[0])

    def tell() -> None:
        tell_targets(jobs.check.check.state_of_documents(paths, settings), settings)

    with (
        jobs.sync.watching.open_job_book(paths[0], environment_of(args)) as book,
        WatchProgress() as progress,
    ):
        if args.once:
            return _once(book, progress, tell)
        note(_beginning(paths, asks=settings.check.asking.fetch_external_urls))
        jobs.sync.watching.scheduler_of(book, progress).say_next()
        work = jobs.sync.watching.watch(paths, settings, os.environ, book, progress, tell)
        jobs.running.run_as_service(work)
    return ExitStatus.INTERRUPTED


def _once(book: jobs.sync.watching.JobBook, progress: WatchProgress, tell: Callable[[], None]) -> ExitStatus:
    if not book.jobs:
        raise UsageError("no job has a schedule", hint='add every = "6h" to a job of holdfast.toml')
    scheduler = jobs.sync.watching.scheduler_of(book, progress)
    failed = jobs.running.run_as_service(scheduler.run_due())
    if failed is None:
        return ExitStatus.INTERRUPTED
    tell()
    scheduler.say_next()
    return ExitStatus.FAILED if failed else ExitStatus.SUCCESS


class WatchProgress(TrackProgress):
    """What a watcher sees, as lines: problems to standard output, the rest to standard error."""

    def notice(self, event: Event) -> None:
        """Tell."""
        facts: dict[str, Any] = dict(event.facts)
        if event.name in _OWN:
            self.wipe()
        match event.name:
            case "findings":
                _show(facts["came"], facts["went"])
            case "trouble":
                note(f"warning: {facts['text']}")
            case "begins":
                note(f"{facts['job']}: begins")
            case "ended":
                note(f"{facts['job']}: {_ending(facts)}")
            case "next":
                note(f"next: {facts['job']} at {facts['at']:%Y-%m-%d %H:%M}")
            case _:
                super().notice(event)


def _beginning(paths: Sequence[Path], *, asks: bool) -> str:
    asked = "new and due URLs are asked" if asks else "no URL is asked (--fetch-urls asks them)"
    return f"watching {', '.join(map(str, paths))}; {asked}; Ctrl-C ends it"


def _ending(facts: Mapping[str, Any]) -> str:
    return f"failed with status {facts['status']}" if facts["failed"] else "ended"


def _show(came: Sequence[ReportFinding], went: Sequence[ReportFinding]) -> None:
    for sign, findings in (("-", went), ("+", came)):
        for finding in findings:
            out(f"{sign} {finding.document}:{finding.line}: {finding.code} {finding.message}")
    sys.stdout.flush()
