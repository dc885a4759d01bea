"""`holdfast show`: the copy that was kept of a URL."""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING
from urllib.parse import urldefrag

from holdfast import jobs
from holdfast.core.base.errors import ExitStatus, FailedError, UsageError
from holdfast.core.base.figures import in_utc, timestamp
from holdfast.core.page.fragment import (
    ElementTarget,
    named_section,
    read_fragment,
    section_markdown,
    section_text,
)
from holdfast.core.page.page import Page, PageKind
from holdfast.core.url.redaction import shown
from holdfast.faces.cli.console import answer, note, out_content
from holdfast.faces.cli.flags import add_settings, settings_from

if TYPE_CHECKING:
    from holdfast.questions.show import PageAsOf

HELP = """\
Show the copy that Holdfast kept of a URL, from the archive, as Markdown: what a citation meant when it was
written, also when the page has died since. Nothing is asked.

Without --at it is the latest copy; with it the latest one up to that day. URL#name shows that section
of it."""


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
    moment = _moment(args.at) if args.at else None
    with jobs.read_store.open_reader(settings_from(args)) as reader:
        found = reader.page_as_of(args.url, moment)
    record = found.record
    if args.json:
        answer("show", found)
    elif args.format == "raw":
        _write_raw(found.capture.body)
    else:
        _show(found, urldefrag(args.url).fragment, as_text=args.format == "text")
    facts = f"({record.status} {record.content_type})"
    note(f"{shown(record.final_url)} as of {timestamp(record.fetched_at)} {facts}")
    return ExitStatus.SUCCESS


def _moment(text: str) -> datetime:
    try:
        if len(text) == len("YYYY-MM-DD"):
            return datetime.combine(date.fromisoformat(text), time.max, UTC)
        return in_utc(datetime.fromisoformat(text))
    except ValueError:
        raise UsageError(
            f"--at {text}: not a date", hint="write YYYY-MM-DD, or a time such as 2026-01-31T12:00Z"
        ) from None


def _write_raw(body: bytes) -> None:
    """The bytes as they came; a terminal gets what is harmless of them."""
    if sys.stdout.isatty():
        out_content(body.decode("utf-8", "replace"))
    else:
        sys.stdout.buffer.write(body)


def _show(found: PageAsOf, fragment: str, *, as_text: bool) -> None:
    page, capture = found.page, found.capture
    as_text = as_text or page.kind is not PageKind.PAGE
    number = _section_meant(page, fragment)
    if number is None:
        text = page.text if as_text else page.markdown
    else:
        outline = page.structure.outline
        text = section_text(outline, number) if as_text else section_markdown(outline, number, page.markdown)
    if not text and capture.body:
        raise FailedError(
            f"the copy is {len(capture.body)} bytes of {capture.content_type or 'no type'}, not text",
            hint="--format raw writes its bytes",
        )
    out_content(text.rstrip("\n"))


def _section_meant(page: Page, fragment: str) -> int | None:
    """The number of the section that a fragment names; None: the page, words, or what is gone."""
    if not isinstance(read_fragment(fragment), ElementTarget):
        return None
    number = named_section(page.structure.outline, page.markdown, fragment)
    if number is None:
        note(f"the copy has no section {shown(fragment)}: this is the whole page")
    return number
