"""`holdfast history`: what a URL said, capture by capture."""

from __future__ import annotations

import argparse

from holdfast.core.answers.history import PageHistory
from holdfast.core.errors import ExitStatus
from holdfast.core.recipe import Recipe
from holdfast.core.redaction import shown
from holdfast.faces.cli.console import answer, note, out, style
from holdfast.faces.cli.figures import rows, short, when
from holdfast.faces.cli.flags import add_settings
from holdfast.faces.cli.merged import name_lines
from holdfast.faces.cli.moved_sections import show_moves
from holdfast.faces.cli.reading import reader_from

HELP = """Show what a URL said, capture by capture, the oldest first.

A capture that brought something new starts an item; one that saw the same again is an observation of it.
Below a capture that brought another version stand the sections that differ from the one before. A URL is
looked up by its `web` key, so every way to write it that `holdfast canon` calls equal finds it. Of a URL that
is another name of a page (a redirect, a duplicate), the captures are those of the page; what was merged, and
why, is said."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("url", metavar="URL")
    parser.add_argument("--version", metavar="V", help="only items of this normalization version")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    add_settings(parser, "state", "overrides")


def run(args: argparse.Namespace) -> ExitStatus:
    """Show them."""
    recipe = Recipe.parse(args.version) if args.version else None
    with reader_from(args) as reader:
        found = reader.history(args.url, recipe)
    if args.json:
        answer("history", found)
    elif found.observations:
        _print(found)
    elif not found.names:
        note(f"nothing is known of {shown(found.url)}")
    if not args.json:
        for line in name_lines(found.names):
            note(line)
    for stone in found.forgotten:
        note(f"{stone.place.url} was forgotten on {when(stone.forgotten_at)} UTC")
    return ExitStatus.SUCCESS if found.observations or found.names else ExitStatus.FINDINGS


def _print(found: PageHistory) -> None:
    table = [("FETCHED", "STATUS", "", "CONTENT", "ITEM", "RUN", "TITLE")]
    for observation in found.observations:
        capture, item = observation.capture, observation.item
        what = "-" if item is None else "new" if observation.is_new else "same"
        ids = (short(item.content_sha256), short(item.item_id)) if item else ("-", "-")
        title = item.title if item else ""
        table.append(
            (when(capture.fetched_at), str(capture.status), what, *ids, short(capture.run_id), title)
        )
    head, *lines = rows(table)
    out(style(head, "bold"))
    for line, observation in zip(lines, found.observations, strict=True):
        out(line if observation.is_new else style(line, "dim"))
        show_moves(found.sections.get(observation.capture.capture_id, ()))
