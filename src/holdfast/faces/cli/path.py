"""`holdfast url path`: the names of pages on disk, and the URLs of names."""

from __future__ import annotations

import argparse
from pathlib import Path

from holdfast import jobs
from holdfast.core.base.errors import ExitStatus
from holdfast.core.base.shown_text import loggable, printable
from holdfast.core.url.layout import Layout
from holdfast.core.url.policy import Policy
from holdfast.faces.cli.console import answer, input_lines, note, out
from holdfast.faces.cli.flags import add_settings, identity_from, settings_from
from holdfast.questions.url_forms import ReverseAnswer, paths_of

HELP = """Give URLs the names they have on disk, and names their URLs.

The URLs of one call are one mirror, in the order given: its scheme is that of the first URL, and of two
URLs whose short hashes collide the later one gets the longer name. With --reverse, the arguments are
paths of files, and the answers their URLs: from the name where it holds one, else from the sidecar or
the manifest beside it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("urls", nargs="+", metavar="URL", help="a URL, or - for lines of standard input")
    parser.add_argument("--reverse", action="store_true", help="the arguments are paths; print their URLs")
    add_settings(parser, "layout", "policy", "overrides", "allow_query", "trailing_slash")


def run(args: argparse.Namespace) -> ExitStatus:
    """Answer every URL, or every path."""
    settings = settings_from(args)
    layout = Layout(settings.mirror.files.layout)
    if args.reverse:
        return _reverse(args, layout)
    policy = identity_from(settings, default_policy="site").policy
    return _forward(args, layout, policy)


def _forward(args: argparse.Namespace, layout: Layout, policy: Policy) -> ExitStatus:
    status = ExitStatus.SUCCESS
    for found in paths_of(input_lines(args.urls), layout, policy):
        if args.json:
            answer("url-path", found)
        elif found.path is not None:
            out(found.path)
        if found.refused is not None:
            status = ExitStatus.FINDINGS
            if not args.json:
                note(f"refused: {loggable(found.input)}: {found.refused}")
    return status


def _reverse(args: argparse.Namespace, layout: Layout) -> ExitStatus:
    status = ExitStatus.SUCCESS
    for line in input_lines(args.urls):
        url = jobs.mirror_place.url_of_file(Path(line), layout)
        if url is None:
            status = ExitStatus.FINDINGS
        if args.json:
            answer("url-path", ReverseAnswer(line, url))
        elif url is None:
            note(f"unknown: {printable(line)}: the name holds no URL, and no sidecar or manifest tells it")
        else:
            out(url)
    return status
