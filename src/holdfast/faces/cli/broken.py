"""`holdfast broken`: the links that died."""

from __future__ import annotations

import argparse

from holdfast import jobs
from holdfast.core.base.errors import ExitStatus
from holdfast.faces.cli.console import answer, note, out_lines, style
from holdfast.faces.cli.flags import add_state, settings_from
from holdfast.questions.link_words import broken_lines, site_broken_lines

HELP = """\
Show every citation of a dead URL, as the last `holdfast check` left it. Dead is what was confirmed: 404 and
410 at the second look, other failures after three looks over 48 hours. Nothing is asked.

With --mirror DIR, show the links within a mirrored site that lead nowhere: what its last run asked for and
did not get, by the pages of the mirror that link to it.

Exit status 0 when nothing is dead, 1 when something is."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("--suspect", action="store_true", help="show what failed and is not confirmed, too")
    parser.add_argument(
        "--mirror", metavar="DIR", help="the dead links within the site that is mirrored in this folder"
    )
    parser.add_argument("--eager", action="store_true", help="count every failure as dead")
    add_state(parser)


def run(args: argparse.Namespace) -> ExitStatus:
    """Show them."""
    if args.mirror is not None:
        return _of_site(args)
    with jobs.read_store.open_reader(settings_from(args)) as reader:
        found = reader.broken(suspect=args.suspect, eager=args.eager)
    if args.json:
        answer("broken", found)
    else:
        out_lines(broken_lines(found, style))
        note(f"{len(found.dead)} dead, {found.suspects} suspect")
        if found.unasked:
            asks = "`holdfast check --fetch-urls` asks what no rule of yours leaves out"
            note(f"{found.unasked} not asked yet: {asks}")
    return ExitStatus.FINDINGS if found.dead else ExitStatus.SUCCESS


def _of_site(args: argparse.Namespace) -> ExitStatus:
    with jobs.read_store.open_mirror(args.mirror, settings_from(args)) as mirror:
        found = mirror.reader.site_broken(mirror.label, suspect=args.suspect)
    if args.json:
        answer("site-broken", found)
    else:
        out_lines(site_broken_lines(found))
        note(f"{len(found.dead)} dead, {found.suspects} suspect")
    return ExitStatus.FINDINGS if found.dead else ExitStatus.SUCCESS
