"""`holdfast changed`: which cited URLs say something else now."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from pathlib import Path

from holdfast import wiring
from holdfast.core.answers.citations import EVER
from holdfast.core.answers.events import Occurrence
from holdfast.core.errors import ExitStatus, UsageError
from holdfast.faces.cli.citing import where
from holdfast.faces.cli.console import answer, note, out
from holdfast.faces.cli.flags import add_settings, settings_from
from holdfast.formats.http_date import timestamp

__all__ = ["HELP", "add_arguments", "run"]

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
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    add_settings(parser, "state")


def run(args: argparse.Namespace) -> ExitStatus:
    """Show them."""
    settings = settings_from(args)
    since = _moment(args.since, wiring.states.state_of(settings).resolve().parent) if args.since else EVER
    with wiring.reading.open_reader(settings) as reader:
        found = reader.changed(since=since, min_drift=args.min_drift)
    if args.json:
        answer("changed", found)
        return ExitStatus.SUCCESS
    for change in found.changes:
        for backlink in change.citations:
            place = where(backlink.document, backlink.citation)
            words = _words(change, backlink.citation.fragment)
            out(f"{place}: {timestamp(change.at)} {change.url}{words}")
    note(f"{len(found.changes)} changes" if len(found.changes) != 1 else "1 change")
    return ExitStatus.SUCCESS


def _words(change: Occurrence, fragment: str) -> str:
    """What changed, in words: the cited section, how much of the page, the revisions."""
    sections, drift = change.sections, change.drift
    words = f"#{fragment} section {sections[fragment]}" if fragment in sections else ""
    if drift is not None:
        words += f" drift {drift.amount:g}{', new title' if drift.title_changed else ''}"
    return f"{words} ({change.old} -> {change.new})"


def _moment(text: str, folder: Path) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        found = wiring.tracking.revision_time(folder, text)
        if found is None:
            raise UsageError(
                f"--since {text}: neither a date nor a git revision",
                hint="write a date as YYYY-MM-DD, or a revision such as HEAD~3 or v1.2",
            ) from None
        return found
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
