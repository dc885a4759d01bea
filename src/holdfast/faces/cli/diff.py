"""`holdfast diff`: what changed between two versions of a URL, or in a run."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from html import escape

from holdfast.core.answers.changes import PageDiff
from holdfast.core.errors import ExitStatus, UsageError
from holdfast.core.recipe import Recipe
from holdfast.core.redaction import shown
from holdfast.core.text_diff import Hunk, unified
from holdfast.faces.cli import run_digest
from holdfast.faces.cli.console import answer, harmless, note, out, style
from holdfast.faces.cli.figures import when
from holdfast.faces.cli.flags import add_settings
from holdfast.faces.cli.reading import reader_from
from holdfast.formats.diff_page import diff_table, html_page

HELP = """\
Show what changed between two versions of a URL, as Markdown, or everything that changed in a run.

A and B are versions: a number (see `holdfast history`), a date, or a run. With none the last two versions are
compared, with one that version and the last. Versions of one normalization version are compared, by default
the latest; --version names another. Nothing is fetched: versions are made anew from the archive."""

_COLOURS = {"-": "red", "+": "green", "@": "blue"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("url", metavar="URL", nargs="?")
    parser.add_argument("a", metavar="A", nargs="?", help="the older version")
    parser.add_argument("b", metavar="B", nargs="?", help="the newer version")
    parser.add_argument("--run", dest="of_run", metavar="R", help="all that changed in a run")
    parser.add_argument("--version", metavar="V", help="versions of this normalization version")
    parser.add_argument("--context", type=int, default=3, metavar="N", help="lines around a change (3)")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON document")
    form.add_argument("--html", action="store_true", help="one HTML page, complete in itself")
    add_settings(parser, "state", "overrides", "content")


def run(args: argparse.Namespace) -> ExitStatus:
    """Compare, and show it."""
    if args.of_run is not None:
        if args.url is not None:
            raise UsageError("give a URL or --run, not both")
        return _show_run(args)
    if args.url is None:
        raise UsageError("which URL?", hint="or --run R, for everything that changed in a run")
    return _show_url(args)


def _show_url(args: argparse.Namespace) -> ExitStatus:
    recipe = Recipe.parse(args.version) if args.version else None
    with reader_from(args) as reader:
        found = reader.diff(args.url, args.a, args.b, recipe=recipe, context=args.context)
    if found is None:
        note(f"nothing is known of {shown(args.url)}" + (f" under {recipe}" if recipe else ""))
        return ExitStatus.FINDINGS
    if args.json:
        answer("diff", found)
    elif args.html:
        _html(f"{found.url}: version {found.old.number} to {found.new.number}", _url_body(found))
    else:
        _print(found)
    return ExitStatus.SUCCESS


def _print(found: PageDiff) -> None:
    url, old, new = shown(found.url), found.old, found.new
    if not found.hunks:
        same = "there is only one version" if old.number == new.number else "the Markdown is the same"
        note(f"{url}: no difference between version {old.number} and {new.number} ({same})")
        return
    out(style(f"--- {url}  version {old.number}, {when(old.first_seen)}", "bold"))
    out(style(f"+++ {url}  version {new.number}, {when(new.first_seen)}", "bold"))
    _print_hunks(found.hunks)


def _print_hunks(hunks: Iterable[Hunk]) -> None:
    for mark, line in unified(tuple(hunks)):
        safe = harmless(line)
        out(style(safe, _COLOURS[mark]) if mark in _COLOURS else safe)


def _url_body(found: PageDiff) -> Iterator[str]:
    url, old, new = escape(found.url), found.old, found.new
    yield f'<p><a href="{url}" rel="noreferrer">{url}</a></p>\n'
    yield f"<p>Version {old.number}, first seen {when(old.first_seen)} UTC, and version {new.number}, "
    yield f"first seen {when(new.first_seen)} UTC.</p>\n"
    yield from diff_table(found.hunks) if found.hunks else ["<p>No difference.</p>\n"]


def _html(title: str, body: Iterable[str]) -> None:
    sys.stdout.writelines(html_page(title, body))


def _show_run(args: argparse.Namespace) -> ExitStatus:
    with reader_from(args) as reader:
        found = reader.run_changes(args.of_run)
    if args.json:
        answer("digest", found)
    elif args.html:
        _html(run_digest.title(found), run_digest.body(found))
    else:
        run_digest.show(found, _print_hunks)
    return ExitStatus.SUCCESS
