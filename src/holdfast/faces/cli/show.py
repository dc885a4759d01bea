"""`holdfast show`: the copy that was kept of a URL."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from datetime import UTC, date, datetime, time
from typing import Any

from holdfast.core.capture import Capture
from holdfast.core.citing import place_of_text
from holdfast.core.errors import ExitStatus, FailedError, UsageError
from holdfast.core.ledger import Observation
from holdfast.core.lineage import CaptureRecord
from holdfast.core.page import Page, PageKind
from holdfast.core.recipe import Recipe
from holdfast.faces.cli.console import json_document, note, out
from holdfast.faces.cli.flags import add_settings, settings_from
from holdfast.formats.http_date import timestamp
from holdfast.wiring import read_store
from holdfast.wiring.tracking import web_policy

__all__ = ["HELP", "add_arguments", "run"]

HELP = """\
Show the copy that Holdfast kept of a URL, from the archive, as Markdown: what a citation meant when it was
written, also when the page has died since. Nothing is asked.

Without --at it is the latest copy; with it the latest one up to that day."""

_RECIPE = Recipe.parse("http_snapshot_url_v1_text_v1")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("url", metavar="URL", help="the page, in any spelling of its address")
    parser.add_argument(
        "--at", metavar="DATE", help="as it was then: YYYY-MM-DD, the day included, or a time"
    )
    parser.add_argument(
        "--format",
        choices=("markdown", "text", "raw"),
        default="markdown",
        help="Markdown (default), the text that is hashed, or the bytes as they came",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    add_settings(parser, "state", "overrides")


def run(args: argparse.Namespace) -> ExitStatus:
    """Find the copy, and show it."""
    from holdfast.distill import distill  # noqa: PLC0415 # lazy: the HTML parser

    settings = settings_from(args)
    place = place_of_text(args.url, web_policy(settings))
    if place is None:
        raise UsageError(f"{args.url!r} is no URL", hint="write it whole: https://example.com/")
    until = _moment(args.at) if args.at else None
    with read_store(settings) as store:
        record = _copy(store.ledger.history.of_url(place.web_key), until, args)
        capture = store.archive.read(record.ref) if record.ref else None
    if capture is None:
        raise FailedError(f"the copy of {args.url} is not in the archive any more")
    page = distill(capture, _RECIPE)
    if args.json:
        json_document("show", _document(record, page))
    elif args.format == "raw":
        sys.stdout.buffer.write(capture.body)
    else:
        _show(capture, page, as_text=args.format == "text")
    note(f"{record.final_url} as of {timestamp(record.fetched_at)} ({record.status} {record.content_type})")
    return ExitStatus.SUCCESS


def _copy(history: Iterable[Observation], until: datetime | None, args: argparse.Namespace) -> CaptureRecord:
    kept = [seen.capture for seen in history if seen.capture.ref is not None]
    if not kept:
        raise FailedError(
            f"no copy of {args.url} was kept",
            hint="a copy is kept of every page that `holdfast track --fetch-urls` or a mirror sees alive",
        )
    in_time = [record for record in kept if until is None or record.fetched_at <= until]
    if not in_time:
        first = min(record.fetched_at for record in kept)
        raise FailedError(
            f"no copy of {args.url} is as old as {args.at}",
            hint=f"the first one is of {first.date().isoformat()}",
        )
    return in_time[-1]


def _moment(text: str) -> datetime:
    try:
        if len(text) == len("YYYY-MM-DD"):
            return datetime.combine(date.fromisoformat(text), time.max, UTC)
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(
            f"--at {text}: no date", hint="write YYYY-MM-DD, or a time such as 2026-01-31T12:00Z"
        ) from None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def _show(capture: Capture, page: Page, *, as_text: bool) -> None:
    text = page.text if as_text or page.kind is not PageKind.PAGE else page.markdown
    if not text and capture.body:
        raise FailedError(
            f"the copy is {len(capture.body)} bytes of {capture.content_type or 'no type'}, and no text",
            hint="--format raw writes its bytes",
        )
    out(text.rstrip("\n"))


def _document(record: CaptureRecord, page: Page) -> dict[str, Any]:
    return {
        "url": record.url,
        "final_url": record.final_url,
        "fetched_at": timestamp(record.fetched_at),
        "status_code": record.status,
        "content_type": record.content_type,
        "title": page.title,
        "content_hash": page.content_sha256,
        "markdown": page.markdown,
    }
