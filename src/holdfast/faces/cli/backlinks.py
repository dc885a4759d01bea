"""`holdfast backlinks`: who cites a URL, a host, or whatever matches a pattern."""

from __future__ import annotations

import argparse

from holdfast import wiring
from holdfast.core.answers.citations import Backlinks, is_url
from holdfast.core.citation import Backlink
from holdfast.core.errors import ExitStatus
from holdfast.core.redaction import shown
from holdfast.faces.cli.citing import url_words, where
from holdfast.faces.cli.console import answer, note, out
from holdfast.faces.cli.flags import add_settings, settings_from

__all__ = ["HELP", "add_arguments", "run"]

HELP = """\
Show which documents cite a URL, anything on a host, or whatever matches a pattern with `*`, `?` or `[…]`:
document, line and column, the URL as written. A URL is found by its identity, however it is written. Mirrored
pages that link to a URL are shown too. Nothing is asked."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("target", metavar="URL|HOST|PATTERN", help="what is cited")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    add_settings(parser, "state")


def run(args: argparse.Namespace) -> ExitStatus:
    """Show them."""
    with wiring.reading.open_reader(settings_from(args)) as reader:
        if args.json:
            answer("backlinks", reader.backlinks(args.target))
        elif is_url(args.target):
            _show(reader.backlinks(args.target))
        else:
            for backlink in reader.citing(args.target):
                out(_line(backlink))
    return ExitStatus.SUCCESS


def _show(found: Backlinks) -> None:
    note(f"{shown(found.target)}: {url_words(found.node) if found.node else 'not cited by any document'}")
    for name in found.mirrored_as:
        note(f"  mirrored as {name}")
    for backlink in found.citations:
        out(_line(backlink))
    for page in dict.fromkeys(found.pages):
        out(f"{page} (a mirrored page)")


def _line(backlink: Backlink) -> str:
    return f"{where(backlink.document, backlink.citation)}  {shown(backlink.citation.mention.raw)}"
