"""`holdfast changed`: which cited URLs say something else now."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from holdfast.core.change_detail import read_detail
from holdfast.core.citation import LedgerEvent
from holdfast.core.errors import ExitStatus, UsageError
from holdfast.faces.cli.citing import backlink_json, where
from holdfast.faces.cli.console import json_document, note, out
from holdfast.faces.cli.flags import add_settings, settings_from
from holdfast.formats.http_date import timestamp
from holdfast.wiring import read_store, state_of
from holdfast.wiring.tracking import revision_time

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
    """Answer from the ledger."""
    settings = settings_from(args)
    since = _moment(args.since, state_of(settings).resolve().parent) if args.since else _EVER
    with read_store(settings) as store:
        events = list(store.ledger.citations.events(since, ("changed",)))
        rows = [(event, store.ledger.citations.backlinks(event.place.web_key)) for event in events]
    rows = [(event, backlinks) for event, backlinks in rows if backlinks and _drift(event) >= args.min_drift]
    if args.json:
        changes = [
            {
                "at": timestamp(event.at),
                "url": event.place.url,
                "old": event.old,
                "new": event.new,
                **_detail(event),
                "citations": [backlink_json(backlink) for backlink in backlinks],
            }
            for event, backlinks in rows
        ]
        json_document("changed", {"changes": changes})
        return ExitStatus.SUCCESS
    for event, backlinks in rows:
        for backlink in backlinks:
            place = where(backlink.document, backlink.citation)
            words = _words(event, backlink.citation.fragment)
            out(f"{place}: {timestamp(event.at)} {event.place.url}{words}")
    note(f"{len(rows)} changes" if len(rows) != 1 else "1 change")
    return ExitStatus.SUCCESS


def _drift(event: LedgerEvent) -> float:
    """How much changed; of what cannot be measured, everything."""
    drift = read_detail(event.detail).drift
    return 1.0 if drift is None else drift.amount


def _detail(event: LedgerEvent) -> dict[str, Any]:
    detail = read_detail(event.detail)
    drift = detail.drift
    return {"drift": drift.as_dict() if drift else None, "sections": dict(detail.sections)}


def _words(event: LedgerEvent, fragment: str) -> str:
    """What changed, in words: the cited section, how much of the page, the revisions."""
    detail = read_detail(event.detail)
    words = f"#{fragment} section {detail.sections[fragment]}" if fragment in detail.sections else ""
    if detail.drift is not None:
        words += f" drift {detail.drift.amount:g}{', new title' if detail.drift.title_changed else ''}"
    return f"{words} ({event.old} -> {event.new})"


_EVER = datetime(1970, 1, 1, tzinfo=UTC)


def _moment(text: str, folder: Path) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        found = revision_time(folder, text)
        if found is None:
            raise UsageError(
                f"--since {text}: neither a date nor a git revision",
                hint="write a date as YYYY-MM-DD, or a revision such as HEAD~3 or v1.2",
            ) from None
        return found
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
