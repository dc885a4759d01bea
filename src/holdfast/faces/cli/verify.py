"""`holdfast verify`: whether a mirror's folder, ledger and archive agree."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast import jobs
from holdfast.core.base.errors import ExitStatus
from holdfast.core.base.figures import counted, size
from holdfast.core.settings.resolve import Settings
from holdfast.faces.cli.bars import watcher
from holdfast.faces.cli.console import answer, note, out_lines, style
from holdfast.faces.cli.flags import add_settings, settings_from
from holdfast.jobs.upkeep.restore_row import VerifyReport, difference_lines

if TYPE_CHECKING:
    from holdfast.jobs.upkeep.restore_row import Difference

HELP = """\
Check that a mirror's folder, sidecars, manifest, ledger and archive agree: every file's hash, every record's
digest, every id, and that the archived pages still give what stands in the folder. Nothing is fetched and
nothing is changed.

Exit status 0 when all agree, 1 when something differs; each difference says what to do about it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("folder", metavar="DIR")
    names = ("store", "overrides", "allow_query", "trailing_slash", "identity_version")
    add_settings(parser, *names, "max_page_bytes", "processes", "scheduler")


def run(args: argparse.Namespace) -> ExitStatus:
    """Check, and list what differs."""
    settings = settings_from(args)
    place = jobs.mirror_place.place_of(Path(args.folder), settings)
    with watcher(quiet=True) as watching:
        found: list[Difference] = jobs.running.run(
            jobs.upkeep.mirrors.verify_mirror(place, settings, watching)
        )
    if args.json:
        answer("verify", VerifyReport(str(place.folder), tuple(found)))
    else:
        out_lines(difference_lines(found, style))
    _mention_orphans(settings, place.state)
    note(f"{place.folder}: everything agrees" if not found else f"{counted(len(found), 'difference')}")
    return ExitStatus.FINDINGS if found else ExitStatus.SUCCESS


def _mention_orphans(settings: Settings, state: Path) -> None:
    """Orphans are not a difference, but nobody should forget them."""
    if files := jobs.upkeep.prune.orphan_files(settings, state):
        sizes = size(sum(length for _, length in files))
        where = jobs.upkeep.prune.orphans_place(settings, state)
        note(f"{counted(len(files), 'file')} ({sizes}) that the ledger does not know: {where}")
