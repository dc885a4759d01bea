"""`holdfast convert`: one HTML file to Markdown, text or JSON."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from holdfast.core.capture import Capture
from holdfast.core.errors import ExitStatus, FailedError, UsageError
from holdfast.core.page import Page, PageKind, PageWarning
from holdfast.core.recipe import Recipe
from holdfast.core.refusal import Refused
from holdfast.core.url import Url, parse_url
from holdfast.faces.cli.console import note, out
from holdfast.faces.cli.flags import add_settings, settings_from
from holdfast.wiring import read_bytes

__all__ = ["HELP", "add_arguments", "run"]

HELP = "Turn one HTML file into Markdown, text or JSON, on standard output."

_TYPES = {
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".txt": "text/plain",
    ".json": "application/json",
    ".xml": "application/xml",
}
_RECIPE = Recipe.parse("http_snapshot_url_v1_text_v1")
_NOWHERE = Url("https", "page.invalid", None, "/", None)
"""Stands for the URL of a page that has none; links to it are not shown."""


@dataclass(frozen=True, slots=True)
class _Question:
    body: bytes
    content_type: str
    url: Url | None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own flags."""
    parser.add_argument("file", metavar="FILE", help="the file to convert; - reads standard input")
    parser.add_argument(
        "--url",
        metavar="BASE",
        help="where the page is from: relative links become absolute (without it they stay as they are)",
    )
    parser.add_argument(
        "--content",
        choices=("main", "full"),
        default="main",
        help="the main content (default), or the full page with its navigation",
    )
    parser.add_argument(
        "--format",
        choices=("markdown", "text", "json"),
        default="markdown",
        help="Markdown (default); the normalized text that is hashed; or all of it as JSON",
    )
    parser.add_argument(
        "--type",
        metavar="TYPE",
        help="the content type, if the file's name does not say it: text/html; charset=…",
    )
    add_settings(parser, "anchors", "max_page_bytes")


def run(args: argparse.Namespace) -> ExitStatus:
    """Convert one file."""
    # lazy: the HTML parser, which `holdfast --help` must not pay for
    from holdfast.distill import DistillOptions, distill  # noqa: PLC0415

    question = _read(args)
    settings = settings_from(args)
    options = DistillOptions(
        full=args.content == "full",
        max_bytes=settings.distill.max_page_bytes,
        absolute_links=question.url is not None,
        anchors=settings.mirror.anchors,
    )
    page = distill(_capture(question), _RECIPE, options)
    if page.kind is PageKind.OTHER and not page.text:
        raise FailedError(f"{args.file}: {_why_not(page)}")
    for warning in page.warnings:
        note(f"warning: {args.file}: {warning}")
    if args.format == "json":
        out(json.dumps(_document(page, question.url), ensure_ascii=False, indent=2))
    else:
        sys.stdout.write(page.text + "\n" if args.format == "text" else page.markdown or page.text)
    return ExitStatus.SUCCESS


def _read(args: argparse.Namespace) -> _Question:
    url = parse_url(args.url) if args.url is not None else None
    if isinstance(url, Refused):
        raise UsageError(f"--url {args.url}: {url}", hint="give an absolute http or https URL")
    if args.file == "-":
        return _Question(sys.stdin.buffer.read(), args.type or "text/html", url)
    content_type = args.type or _TYPES.get(Path(args.file).suffix.lower(), "text/html")
    return _Question(read_bytes(Path(args.file), "file"), content_type, url)


def _capture(question: _Question) -> Capture:
    url = question.url or _NOWHERE
    headers = (("content-type", question.content_type),)
    return Capture(url, url, 200, headers, question.body, datetime(1970, 1, 1, tzinfo=UTC))


def _why_not(page: Page) -> str:
    match page.warnings:
        case (PageWarning.TOO_LARGE,):
            return "larger than --max-page-bytes allows"
        case (PageWarning.TOO_COMPLEX,):
            return "exceeds a structural limit (nesting, attributes or unclosed formatting)"
        case _:
            return "neither HTML nor text"


def _document(page: Page, base: Url | None) -> dict[str, Any]:
    return {
        "schema": "holdfast.page/1",
        "url": str(base) if base else None,
        "kind": page.kind,
        "title": page.title,
        "language": page.language,
        "canonical_link": str(page.canonical_link) if page.canonical_link else None,
        "content_sha256": page.content_sha256,
        "normalization_version": str(page.recipe),
        "markdown_version": page.markdown_version,
        "generator": page.generator,
        "warnings": list(page.warnings),
        "headings": [{"level": h.level, "text": h.text, "anchor": h.anchor} for h in page.headings],
        "links": [
            {"url": str(link.target), "text": link.text, "kind": link.kind, "nofollow": link.nofollow}
            for link in page.links
            if base is not None or link.target.host != _NOWHERE.host
        ],
        "markdown": page.markdown,
        "text": page.text,
    }
