"""`holdfast changed`: which cited URLs say something else now."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from pathlib import Path

from holdfast import jobs
from holdfast.core.base.errors import ExitStatus, UsageError
from holdfast.core.base.figures import EVER
from holdfast.faces.cli.console import answer, note, out_lines
from holdfast.faces.cli.flags import add_state, settings_from
from holdfast.questions.link_words import changed_lines

HELP = """\
Show the cited URLs whose content changed, the documents and lines that cite them, and the revisions. A change
counts once it was seen in two successive fetches. The drift says how much is different: 0 is the same words,
1 none in common. For a link to a section it says whether that section changed. Nothing is asked; `holdfast
diff URL` shows what changed."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument(
        "--since",
        metavar="DATE|REV",
        help="only changes since a date (YYYY-MM-DD, or with time) or a git revision",
    )
    parser.add_argument(
        "--min-drift",
        type=float,
        default=0.0,
        metavar="X",
        help="only changes of at least this much: 0 is the same words, 1 none in common",
    )
    add_state(parser)


def run(args: argparse.Namespace) -> ExitStatus:
    """Show them."""
    settings = settings_from(args)
    since = _moment(args.since, jobs.places.state_of(settings).resolve().parent) if args.since else EVER
    with jobs.read_store.open_reader(settings) as reader:
        found = reader.changed(since=since, min_drift=args.min_drift)
    if args.json:
        answer("changed", found)
        return ExitStatus.SUCCESS
    out_lines(changed_lines(found))
    note(f"{len(found.changes)} changes" if len(found.changes) != 1 else "1 change")
    return ExitStatus.SUCCESS


def _moment(text: str, folder: Path) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        found = jobs.check.check.revision_time(folder, text)
        if found is None:
            raise UsageError(
                f"--since {text}: neither a date nor a git revision",
                hint="write a date as YYYY-MM-DD, or a revision such as HEAD~3 or v1.2",
            ) from None
        return found
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
