"""`holdfast diff`: what changed between two versions of a URL, or in a run."""

from __future__ import annotations

import argparse
import sys

from holdfast.core.base.errors import ExitStatus, UsageError
from holdfast.core.url.policy import Recipe
from holdfast.core.url.redaction import shown
from holdfast.faces.cli.console import answer, note, out_lines, style
from holdfast.faces.cli.flags import add_settings, reader_from
from holdfast.questions.log.compare import PageDiff, html_page
from holdfast.questions.log.diff import diff_html, diff_lines
from holdfast.questions.log.log_forms import digest_html, digest_lines, digest_title

HELP = """\
Show what changed between two versions of a URL, as Markdown, or everything that changed in a run.

A and B are versions: a number (see `holdfast history`), a date, or a run. With none the last two versions are
compared, with one that version and the last. Versions of one normalization version are compared, by default
the latest; --version names another. Nothing is fetched: versions are made anew from the archive."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("url", metavar="URL", nargs="?")
    parser.add_argument("a", metavar="A", nargs="?", help="the older version")
    parser.add_argument("b", metavar="B", nargs="?", help="the newer version")
    parser.add_argument("--run", dest="of_run", metavar="R", help="all that changed in a run")
    parser.add_argument("--normalization", metavar="V", help="versions of this normalization version")
    parser.add_argument("--context", type=int, default=3, metavar="N", help="lines around a change (3)")
    parser.add_argument(
        "--format", choices=("text", "html"), default="text", help="html: one page, complete in itself"
    )
    add_settings(parser, "store", "overrides", "content")


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
    recipe = Recipe.parse(args.normalization) if args.normalization else None
    with reader_from(args) as reader:
        found = reader.diff(args.url, args.a, args.b, recipe=recipe, context=args.context)
    if found is None:
        note(f"nothing is known of {shown(args.url)}" + (f" under {recipe}" if recipe else ""))
        return ExitStatus.FINDINGS
    if args.json:
        answer("diff", found)
    elif args.format == "html":
        title = f"{found.url}: version {found.old.number} to {found.new.number}"
        sys.stdout.writelines(html_page(title, diff_html(found)))
    else:
        _print(found)
    return ExitStatus.SUCCESS


def _print(found: PageDiff) -> None:
    url, old, new = shown(found.url), found.old, found.new
    if not found.hunks:
        same = "there is only one version" if old.number == new.number else "the Markdown is the same"
        note(f"{url}: no difference between version {old.number} and {new.number} ({same})")
        return
    out_lines(diff_lines(found, style))


def _show_run(args: argparse.Namespace) -> ExitStatus:
    with reader_from(args) as reader:
        found = reader.run_changes(args.of_run)
    if args.json:
        answer("digest", found)
    elif args.format == "html":
        sys.stdout.writelines(html_page(digest_title(found), digest_html(found)))
    else:
        out_lines(digest_lines(found, style))
    return ExitStatus.SUCCESS
