"""`holdfast convert`: one HTML file to Markdown, text or JSON."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from holdfast import jobs
from holdfast.core.base.errors import ExitStatus, FailedError, UsageError
from holdfast.core.page.distill_options import convert, distill_options
from holdfast.core.url.url import Refused, parse_url
from holdfast.core.web.headers import type_of_name
from holdfast.faces.cli.console import answer, note
from holdfast.faces.cli.flags import add_settings, settings_from

HELP = "Turn one HTML file into Markdown, text or JSON, on standard output."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own flags."""
    parser.add_argument("file", metavar="FILE", help="the file to convert; - reads standard input")
    parser.add_argument(
        "--base-url",
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
    url = parse_url(args.base_url) if args.base_url is not None else None
    if isinstance(url, Refused):
        raise UsageError(f"--base-url {args.base_url}: {url}", hint="give an absolute http or https URL")
    body, content_type = _read(args)
    settings = settings_from(args)
    options = replace(distill_options(settings), full=args.content == "full")
    try:
        made = convert(body, content_type, url, options)
    except FailedError as error:
        raise FailedError(f"{args.file}: {error.message}") from None
    for warning in made.page.warnings:
        note(f"warning: {args.file}: {warning}")
    if args.json or args.format == "json":
        answer("page", made)
    else:
        sys.stdout.write(made.text + "\n" if args.format == "text" else made.markdown or made.text)
    return ExitStatus.SUCCESS


def _read(args: argparse.Namespace) -> tuple[bytes, str]:
    if args.file == "-":
        return sys.stdin.buffer.read(), args.type or "text/html"
    return jobs.load_settings.read_bytes(Path(args.file), "file"), args.type or type_of_name(args.file)
