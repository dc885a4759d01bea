"""`holdfast history`: what a URL said, capture by capture."""

from __future__ import annotations

import argparse

from holdfast.core.base.errors import ExitStatus
from holdfast.core.base.figures import when
from holdfast.core.url.policy import Recipe
from holdfast.core.url.redaction import shown
from holdfast.faces.cli.console import answer, note, notes, out_lines, style
from holdfast.faces.cli.flags import add_settings, reader_from
from holdfast.questions.log.page_log import history_lines, name_lines

HELP = """Show what a URL said, capture by capture, the oldest first.

A capture that brought something new starts an item; one that saw the same again is an observation of it.
Below a capture that brought another version stand the sections that differ from the one before. A URL is
looked up by its `web` key, so every way to write it that `holdfast url canon` calls equal finds it. Of a URL
that is another name of a page (a redirect, a duplicate), the captures are those of the page; what was merged,
and why, is said."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("url", metavar="URL")
    parser.add_argument("--normalization", metavar="V", help="only items of this normalization version")
    add_settings(parser, "store", "overrides")


def run(args: argparse.Namespace) -> ExitStatus:
    """Show them."""
    recipe = Recipe.parse(args.normalization) if args.normalization else None
    with reader_from(args) as reader:
        found = reader.history(args.url, recipe)
    if args.json:
        answer("history", found)
    elif found.observations:
        out_lines(history_lines(found, style))
    elif not found.names:
        note(f"nothing is known of {shown(found.url)}")
    if not args.json:
        notes(name_lines(found.names))
    for stone in found.forgotten:
        note(f"{stone.place.url} was forgotten on {when(stone.forgotten_at)} UTC")
    return ExitStatus.SUCCESS if found.observations or found.names else ExitStatus.FINDINGS
