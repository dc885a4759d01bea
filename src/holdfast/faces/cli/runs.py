"""`holdfast runs`: what was done, when, and how it ended."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from holdfast import wiring
from holdfast.core.errors import ExitStatus
from holdfast.core.ledger import RunRecord, RunStatus
from holdfast.core.lineage import Job
from holdfast.faces.cli.console import answer, note, out, style
from holdfast.faces.cli.figures import counted, rows, short, when
from holdfast.faces.cli.flags import add_settings, settings_from

HELP = """List the runs of a state folder, the latest first.

A run that says it is running while nobody holds the state folder was interrupted, and is shown so; starting
the same job again resumes it. The seal is a digest over every URL and content that a finished run saw: runs
over equal responses have equal seals."""

_OWN_NOTES = {"page", "processed"}
"""What a run notes for the next one, and the JSON has; nobody asked for it."""
_COLOURS = {RunStatus.FINISHED: "green", RunStatus.FAILED: "red", RunStatus.INTERRUPTED: "yellow"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("--job", choices=[str(job) for job in Job], help="only runs of this job")
    parser.add_argument("--label", help="only runs of this mirror or tracked folder")
    parser.add_argument(
        "--limit", type=int, default=20, metavar="N", help="how many, 20 by default; 0 for all"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document")
    add_settings(parser, "state")


def run(args: argparse.Namespace) -> ExitStatus:
    """List them."""
    job = Job(args.job) if args.job else None
    with wiring.reading.open_reader(settings_from(args)) as reader:
        found = reader.runs(label=args.label, job=job, limit=args.limit or None)
    if args.json:
        answer("runs", found)
    elif found.runs:
        _print(found.runs)
    else:
        note("there are no runs")
    return ExitStatus.SUCCESS


def counts_in_words(summary: Mapping[str, int]) -> str:
    """What a run came to, without what it noted for itself: `2 pages, 1 failed`."""
    told = {name: count for name, count in summary.items() if count and name not in _OWN_NOTES}
    pages = [counted(told.pop("pages"), "page")] if "pages" in told else []
    return ", ".join([*pages, *(f"{count} {name.replace('_', ' ')}" for name, count in told.items())]) or "-"


def _print(records: tuple[RunRecord, ...]) -> None:
    table = [("RUN", "STARTED", "JOB", "STATUS", "SEAL", "LABEL", "COUNTS")]
    for record in records:
        counts = counts_in_words(record.tally.counts)
        facts = (short(record.run.run_id), when(record.run.started_at), record.run.job, str(record.status))
        table.append((*facts, short(record.seal or "-"), record.run.label, counts))
    head, *lines = rows(table)
    out(style(head, "bold"))
    for line, record in zip(lines, records, strict=True):
        colour = _COLOURS.get(record.status)
        out(line.replace(str(record.status), style(str(record.status), colour), 1) if colour else line)
