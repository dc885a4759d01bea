"""`holdfast sync`: what is kept and checked here, brought up to date: now, or when it is due."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from holdfast import jobs
from holdfast.core.base.errors import ExitStatus, UsageError
from holdfast.core.base.figures import parse_duration
from holdfast.core.findings.report_lines import summary_lines
from holdfast.core.settings.resolve import Settings
from holdfast.faces.cli.bars import TrackProgress, tell_targets, watcher
from holdfast.faces.cli.check_inputs import paths_from
from holdfast.faces.cli.console import answer, note, notes, out
from holdfast.faces.cli.flags import add_settings, add_shared, environment_of, settings_from
from holdfast.jobs.mirror.summary import report_lines
from holdfast.jobs.sync.scheduling import service_unit

if TYPE_CHECKING:
    from holdfast.adapters.ports import Event
    from holdfast.core.findings.report import ReportFinding


HELP = """\
Bring mirrors and checked documents up to date: those that are named, or all that is kept or named here and
below. It lists them first. A mirror goes on by what it remembers: where it came from, and which pages there
are.

Mirrors are asked for. What documents cite is asked with your consent alone: give --fetch-urls, or set
fetch_external_urls = true in holdfast.toml; else their local links are checked. What a store that came with
its folder remembers is not asked until you trust it (`holdfast config trust`).

--due does the jobs of holdfast.toml that have a schedule (every = "6h") and are due, one at a time, for cron.
--watch goes on for good: it does so when they are due, and reads documents again when they change on disk; a
line with + is a problem that came, one with - a problem that went. When each job ran is remembered over
restarts.

Exit status 0 when the work was done, also where upstream took pages away; 1 when what --fail-on names
happened, 3 when a part could not be done, 4 when it is a stranger's, 130 when interrupted."""

_OWN: Final = ("findings", "trouble", "begins", "ended", "next")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument(
        "targets",
        nargs="*",
        metavar="TARGET",
        help="mirrors, documents, folders; by default all that is here",
    )
    add_shared(parser, "--dry-run")
    when = parser.add_mutually_exclusive_group()
    when.add_argument("--due", action="store_true", help="do the jobs that are due, and leave: for cron")
    when.add_argument(
        "--watch", action="store_true", help="go on: jobs when they are due, documents as they change"
    )
    when.add_argument(
        "--print-unit", action="store_true", help="print a systemd unit and a cron line for this folder"
    )
    asks = parser.add_mutually_exclusive_group()
    asks.add_argument(
        "--fetch-urls",
        dest="fetch_external_urls",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="consent to ask the URLs that the documents cite",
    )
    asks.add_argument("--offline", action="store_true", help="ask nobody: check local links, and no mirror")
    parser.add_argument(
        "--max-age", metavar="TIME", help="leave alone what was looked at less than that ago: `12h`, `7d`"
    )
    parser.add_argument(
        "--fail-on",
        metavar="KINDS",
        default="failed",
        help="what makes the exit status 1: failed, gone, changed, dead, none (default: failed)",
    )
    add_settings(parser, "max_pages", "content_rate_limit", "allow_private", "store")


def run(args: argparse.Namespace) -> ExitStatus:
    """Bring up to date: now, when it is due, or for good."""
    if args.print_unit:
        out(service_unit(str(Path.cwd()), [sys.executable, "-P", "-m", "holdfast", "sync"]))
        return ExitStatus.SUCCESS
    return _by_schedule(args) if args.watch or args.due else _now(args)


def _now(args: argparse.Namespace) -> ExitStatus:
    plan = _plan(args)
    notes(jobs.sync.sync_result.plan_lines(plan))
    if args.dry_run:
        if args.json:
            answer("sync", jobs.sync.sync_result.planned(plan))
        return ExitStatus.SUCCESS
    with watcher(quiet=args.quiet) as watching, TrackProgress() as progress:
        kinds = [word.strip() for word in args.fail_on.split(",") if word.strip()]
        done = jobs.running.run_until_stopped(
            lambda stop: jobs.sync.sync.sync(plan, (watching, progress), stop, kinds),
            watching.say,
            "what is under way",
        )
    for part in done.parts:
        note(jobs.sync.sync_result.part_line(part))
        if part.summary is not None:
            notes(report_lines(part.summary, part.name))
        if part.result is not None:
            notes(summary_lines(part.result.report))
    if args.json:
        answer("sync", done)
    _tell_all(plan)
    return ExitStatus(done.status)


def _plan(args: argparse.Namespace) -> jobs.sync.sync_plan.SyncPlan:
    age = parse_duration(args.max_age) if args.max_age else None
    if args.max_age and age is None:
        raise UsageError(f"--max-age {args.max_age!r} is not a length of time", hint="such as 12h, 7d or 2w")
    given = {
        "update": True,
        "max_pages": args.max_pages,
        "content_rate_limit": args.content_rate_limit,
        "allow_private": args.allow_private,
        "fetch_external_urls": False if args.offline else args.fetch_external_urls,
        "check.max_age": args.max_age,
        "mirror.max_age": args.max_age,
    }
    environment = environment_of(args)

    def settings_at(folder: Path, job: str | None) -> Settings:
        return jobs.load_settings.load_settings(folder, flags=given, environment=environment, job=job)

    def file_at(folder: Path) -> Any:
        return jobs.load_settings.load_settings_file(folder, environment)

    at = jobs.sync.sync_plan.SettingsAt(settings_at, file_at, environment, age)
    plan = jobs.sync.sync_plan.plan_sync(args.targets, settings_from(args), at)
    return jobs.sync.sync_plan.without_mirrors(plan) if args.offline else plan


def _tell_all(plan: jobs.sync.sync_plan.SyncPlan) -> None:
    """Send what the targets of each part's settings wait for, a store once."""
    told: dict[Path, Settings] = {}
    for mirror in plan.mirrors:
        settings = mirror.request.settings
        told[jobs.mirror_place.mirror_state_of(mirror.request.output, settings)] = settings
    for check in plan.checks:
        told.setdefault(jobs.check.check.state_of_documents(check.paths, check.settings), check.settings)
    for state, settings in told.items():
        if settings.notify:
            tell_targets(state, settings)


def _by_schedule(args: argparse.Namespace) -> ExitStatus:
    """Do what is due; with --watch for good."""
    if args.watch and args.dry_run:
        raise UsageError(
            "--watch goes on for good, and -n does nothing", hint="`holdfast sync -n` lists what is here"
        )
    paths = paths_from(args.targets)
    settings = settings_from(args, start=paths[0])

    def tell() -> None:
        tell_targets(jobs.check.check.state_of_documents(paths, settings), settings)

    with (
        jobs.sync.watching.open_job_book(paths[0], environment_of(args)) as book,
        WatchProgress() as progress,
    ):
        if args.due:
            return _due(book, progress, tell, is_only_told=args.dry_run)
        note(_beginning(paths, asks=settings.check.asking.fetch_external_urls))
        jobs.sync.watching.scheduler_of(book, progress).say_next()
        work = jobs.sync.watching.watch(paths, settings, os.environ, book, progress, tell)
        jobs.running.run_as_service(work)
    return ExitStatus.INTERRUPTED


def _due(
    book: jobs.sync.watching.JobBook, progress: WatchProgress, tell: Callable[[], None], *, is_only_told: bool
) -> ExitStatus:
    if not book.jobs:
        raise UsageError("no job has a schedule", hint='add every = "6h" to a job of holdfast.toml')
    scheduler = jobs.sync.watching.scheduler_of(book, progress)
    if is_only_told:
        for moment, name in scheduler.upcoming():
            out(f"{name} at {moment:%Y-%m-%d %H:%M}")
        return ExitStatus.SUCCESS
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
