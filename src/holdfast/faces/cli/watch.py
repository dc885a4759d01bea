"""`holdfast watch`: documents as they change, and jobs when they are due."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from holdfast import wiring
from holdfast.core.errors import ExitStatus, HoldfastError, UsageError
from holdfast.core.finding_changes import came_and_went
from holdfast.faces.cli.console import note, out
from holdfast.faces.cli.flags import add_settings, settings_from
from holdfast.faces.cli.track_inputs import paths_from
from holdfast.faces.cli.track_progress import TrackProgress

if TYPE_CHECKING:
    from holdfast.core.report import ReportFinding
    from holdfast.core.settings import Settings

__all__ = ["HELP", "add_arguments", "run"]

HELP = """\
Read documents again when they change on disk, and tell which problems come and go: a line with + for one
that came, with - for one that went. Run the jobs of holdfast.toml that have a schedule (every = "6h") when
they are due, one at a time; when each ran is remembered over restarts.

Nothing is asked for documents without your consent: give --fetch-urls, or set fetch_external_urls = true in
holdfast.toml."""

_WHILE: Final = 1.0


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
    add_settings(parser, "allow_private", "content_rate_limit", "link_ttl", "state")


def run(args: argparse.Namespace) -> ExitStatus:
    """Watch, or do what is due."""
    if args.print_unit:
        out(_unit(Path.cwd()))
        return ExitStatus.SUCCESS
    paths = paths_from(args.paths)
    settings = settings_from(args, start=paths[0])
    with wiring.watching.open_job_book(paths[0]) as book:
        if args.once:
            return wiring.loop.run(_once(book))
        wiring.loop.run(_watch(paths, settings, book))
    return ExitStatus.SUCCESS


async def _once(book: wiring.watching.JobBook) -> ExitStatus:
    if not book.jobs:
        raise UsageError("no job has a schedule", hint='add every = "6h" to a job of holdfast.toml')
    failed = 0
    for name in book.due(_now()):
        failed += await _run_job(book, name)
    _say_next(book)
    return ExitStatus.FAILED if failed else ExitStatus.SUCCESS


async def _watch(paths: Sequence[Path], settings: Settings, book: wiring.watching.JobBook) -> None:
    known = await _tell(paths, settings, ())
    if book.jobs:
        _say_next(book)
    is_first = True  # what changed between the first look and the beginning of watching
    async for batch in wiring.watching.changed_files(paths, _WHILE):
        if batch or is_first:
            known = await _tell(paths, settings, known)
            is_first = False
        for name in book.due(_now())[:1]:
            await _run_job(book, name)
            known = await _tell(paths, settings, known)
            _say_next(book)


async def _tell(
    paths: Sequence[Path], settings: Settings, known: tuple[ReportFinding, ...]
) -> tuple[ReportFinding, ...]:
    """Look at the documents, and tell what came and what went."""
    try:
        with TrackProgress() as progress:
            report = await wiring.watching.look_at_documents(paths, settings, os.environ, progress)
    except HoldfastError as error:  # another run holds the state folder: the next change tells
        note(f"warning: {error.message}")
        return known
    came, went = came_and_went(known, report.findings)
    for sign, findings in (("-", went), ("+", came)):
        for finding in findings:
            out(f"{sign} {finding.document}:{finding.line}: {finding.code} {finding.message}")
    sys.stdout.flush()
    return report.findings


async def _run_job(book: wiring.watching.JobBook, name: str) -> bool:
    """Run a job; whether it failed. Findings are not a failure."""
    note(f"{name}: begins")
    book.begin(name, _now())
    status = await book.run(name)
    book.end(name, _now())
    failed = status not in (ExitStatus.SUCCESS, ExitStatus.FINDINGS)
    note(f"{name}: {f'failed with status {status}' if failed else 'ended'}")
    return failed


def _say_next(book: wiring.watching.JobBook) -> None:
    moment, name = book.upcoming(_now())[0]
    note(f"next: {name} at {moment:%Y-%m-%d %H:%M}")


def _unit(folder: Path) -> str:
    program = shlex.join([sys.executable, "-m", "holdfast", "watch"])
    return f"""\
# ~/.config/systemd/user/holdfast-watch.service
[Unit]
Description=Holdfast watches {folder}
After=network-online.target

[Service]
WorkingDirectory={folder}
ExecStart={program}
Restart=on-failure
RestartSec=60

[Install]
WantedBy=default.target

# or, without a service, a line for `crontab -e`:
# */15 * * * * cd {shlex.quote(str(folder))} && {program} --once
"""


def _now() -> datetime:
    return datetime.now().astimezone()
