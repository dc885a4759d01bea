"""`holdfast runs`: what was done, when, and how it ended."""

from __future__ import annotations

import argparse
from itertools import islice
from typing import Any

from holdfast.core.errors import ExitStatus
from holdfast.core.ledger import RunRecord, RunStatus
from holdfast.core.lineage import Job
from holdfast.faces.cli.console import json_document, note, out, style
from holdfast.faces.cli.figures import iso, rows, short, when
from holdfast.faces.cli.flags import add_settings, settings_from
from holdfast.wiring import in_use, read_store

HELP = """List the runs of a state folder, the latest first.

A run that says it is running while nobody holds the state folder was interrupted, and is shown so; starting
the same job again resumes it. The seal is a digest over every URL and content that a finished run saw: runs
over equal responses have equal seals."""

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
    with read_store(settings_from(args)) as store:
        idle = not in_use(store.state)
        found = store.ledger.runs.latest_first(label=args.label, job=Job(args.job) if args.job else None)
        records = [_settled(record, idle=idle) for record in islice(found, args.limit or None)]
    if args.json:
        json_document("runs", {"runs": [run_facts(record) for record in records]})
    elif records:
        _print(records)
    else:
        note("there are no runs")
    return ExitStatus.SUCCESS


def run_facts(record: RunRecord) -> dict[str, Any]:
    """A run as JSON has it."""
    run = record.run
    return {
        "run_id": run.run_id,
        "job": run.job,
        "label": run.label,
        "status": record.status,
        "started_at": iso(run.started_at),
        "ended_at": iso(record.ended_at),
        "normalization_version": str(run.recipe),
        "identity_digest": run.identity_digest,
        "reprocessing_of_run_id": run.reprocessing_of,
        "seal": record.seal,
        "summary": dict(record.summary),
    }


def _settled(record: RunRecord, *, idle: bool) -> RunRecord:
    if idle and record.status is RunStatus.RUNNING:
        return RunRecord(record.run, RunStatus.INTERRUPTED, record.updated_at, summary=record.summary)
    return record


def _print(records: list[RunRecord]) -> None:
    table = [("RUN", "STARTED", "JOB", "STATUS", "SEAL", "LABEL", "COUNTS")]
    for record in records:
        counts = ", ".join(f"{count} {name}" for name, count in record.summary)
        facts = (short(record.run.run_id), when(record.run.started_at), record.run.job, str(record.status))
        table.append((*facts, short(record.seal or "-"), record.run.label, counts))
    head, *lines = rows(table)
    out(style(head, "bold"))
    for line, record in zip(lines, records, strict=True):
        colour = _COLOURS.get(record.status)
        out(line.replace(str(record.status), style(str(record.status), colour), 1) if colour else line)
