"""`holdfast restore`: a mirror's folder anew, from ledger and archive."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast import jobs
from holdfast.core.base.errors import ExitStatus, UsageError
from holdfast.faces.cli.bars import watcher
from holdfast.faces.cli.console import answer, notes
from holdfast.faces.cli.flags import add_settings, add_shared, settings_from
from holdfast.jobs.upkeep.restore_row import rebuilt_lines

if TYPE_CHECKING:
    from holdfast.jobs.upkeep.restore_row import Rebuilt

HELP = """\
Write a mirror's folder anew from ledger and archive, without a request. What is there and right stays as it
is; files that the ledger does not know are left alone.

--output writes another folder instead: with --layout in another layout, with --at as the mirror was on a date
or at the end of a run. What an earlier copy in that folder had beyond it is removed; files of others stay.
--content, --anchors and --sidecar make the files another way.

--move brings the mirror to another identity first: the policy that --policy names (site@2), or the
overrides as they are now. Every page is made again from the archive; where its URL has another form then,
its file gets the new name, the old file goes, and the old URL stays known as an alias. Start it again to go
on where it was stopped."""

_MADE_WITH = ("content", "anchors", "sidecar")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("folder", metavar="DIR")
    add_shared(parser, "--output")
    parser.add_argument("--at", metavar="DATE|RUN", help="the mirror as it was; needs --output")
    parser.add_argument("--move", action="store_true", help="to the identity that the settings make")
    identity = ("policy", "overrides", "allow_query", "trailing_slash", "identity_version")
    add_settings(
        parser, "layout", *_MADE_WITH, *identity, "max_page_bytes", "processes", "scheduler", "store"
    )


def run(args: argparse.Namespace) -> ExitStatus:
    """Rebuild, and say how it went."""
    settings = settings_from(args)
    if args.output is None and (args.at or args.layout):
        flag = "--at" if args.at else "--layout"
        raise UsageError(
            f"{flag} needs --output: the mirror's own folder has its pages as they are, in its own layout",
            hint=f"holdfast restore {args.folder} {flag} {args.at or args.layout} -o DIR",
        )
    if args.output is not None and args.move:
        raise UsageError(
            "--move is for the mirror's own folder, --output for another", hint="leave out --output"
        )
    place = jobs.mirror_place.place_of(Path(args.folder), settings)
    given = {name: value for name in _MADE_WITH if (value := getattr(args, name)) is not None}
    request = jobs.mirror_place.RebuildRequest(
        place, Path(args.output) if args.output else None, args.at, args.layout, given, args.move
    )
    with watcher(quiet=args.quiet) as watching:
        done: Rebuilt = jobs.running.run(jobs.upkeep.mirrors.rebuild_mirror(request, settings, watching))
    folder = request.to or place.folder
    if args.json:
        answer("restore", done)
    notes(rebuilt_lines(done, str(folder)))
    return ExitStatus.FINDINGS if done.flawed else ExitStatus.SUCCESS
