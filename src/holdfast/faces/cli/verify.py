"""`holdfast verify`: whether a mirror's folder, ledger and archive agree."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast import wiring
from holdfast.core.answers.upkeep import VerifyReport
from holdfast.core.errors import ExitStatus
from holdfast.core.figures import counted, size
from holdfast.core.settings import Settings
from holdfast.faces.cli.console import answer, note, out_lines, style
from holdfast.faces.cli.flags import add_settings, settings_from
from holdfast.faces.cli.mirror_progress import watcher
from holdfast.formats.words.upkeep import difference_lines

if TYPE_CHECKING:
    from holdfast.core.answers.upkeep import Difference

HELP = """\
Check that a mirror's folder, sidecars, manifest, ledger and archive agree: every file's hash, every record's
digest, every id, and that the archived pages still give what stands in the folder. Nothing is fetched and
nothing is changed.

Exit status 0 when all agree, 1 when something differs; each difference says what to do about it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    names = ("state", "overrides", "allow_query", "trailing_slash", "identity_version")
    add_settings(parser, *names, "max_page_bytes", "workers", "scheduler")


def run(args: argparse.Namespace) -> ExitStatus:
    """Check, and list what differs."""
    settings = settings_from(args)
    place = wiring.states.place_of(Path(args.folder), settings)
    with watcher(quiet=True) as watching:
        found: list[Difference] = wiring.loop.run(wiring.mirrors.verify_mirror(place, settings, watching))
    if args.json:
        answer("verify", VerifyReport(str(place.folder), tuple(found)))
    else:
        out_lines(difference_lines(found, style))
    _mention_orphans(settings, place.state)
    note(f"{place.folder}: everything agrees" if not found else f"{counted(len(found), 'difference')}")
    return ExitStatus.FINDINGS if found else ExitStatus.SUCCESS


def _mention_orphans(settings: Settings, state: Path) -> None:
    """Orphans are not a difference, but nobody should forget them."""
    if files := wiring.forgetting.orphan_files(settings, state):
        sizes = size(sum(length for _, length in files))
        where = wiring.forgetting.orphans_place(settings, state)
        note(f"{counted(len(files), 'file')} ({sizes}) that the ledger does not know: {where}")
