"""`holdfast links`: what a document cites."""

from __future__ import annotations

import argparse
from pathlib import Path

from holdfast import wiring
from holdfast.core.answers.citations import DocumentLink
from holdfast.core.errors import ExitStatus
from holdfast.core.redaction import shown
from holdfast.faces.cli.citing import url_words, where
from holdfast.faces.cli.console import answer, out
from holdfast.faces.cli.flags import add_settings, settings_from

__all__ = ["HELP", "add_arguments", "run"]

HELP = """\
Show what a document cites, as the last `holdfast track` read it: line and column, what became of the URL, the
URL as written, its text. A URL that is also mirrored shows its file. Nothing is asked."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("document", metavar="DOC", help="a tracked document")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    add_settings(parser, "state")


def run(args: argparse.Namespace) -> ExitStatus:
    """Show them."""
    settings = settings_from(args)
    state, document = wiring.states.document_path(settings, Path(args.document))
    with wiring.reading.open_reader(settings, state) as reader:
        found = reader.links(document)
    if args.json:
        answer("links", found)
    else:
        for link in found.links:
            out(_as_text(found.document, link))
    return ExitStatus.SUCCESS


def _as_text(path: str, link: DocumentLink) -> str:
    mention = link.citation.mention
    words = url_words(link.node) if link.node else "unchecked"
    notes = [f'"{shown(mention.text)}"'] if mention.text else []
    notes += [link.citation.finding] if link.citation.finding else []
    notes += ["ignored"] if link.citation.ignored else []
    notes += [f"mirrored as {name}" for name in link.mirrored_as]
    return "  ".join([where(path, link.citation), words, shown(mention.raw), *notes])
