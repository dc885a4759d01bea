"""`holdfast import`: the settings of another link checker as a holdfast.toml; archives that others made."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from holdfast import jobs
from holdfast.core.base.errors import ExitStatus
from holdfast.core.base.figures import counted
from holdfast.core.importers.imported import Imported, write_settings
from holdfast.core.importers.lychee import read_lychee, read_lycheeignore
from holdfast.core.importers.sphinx_conf import read_sphinx
from holdfast.faces.cli.console import answer, note, notes
from holdfast.faces.cli.flags import add_settings, settings_from
from holdfast.jobs.upkeep.store_commands import imported_lines

HELP = """\
Read the settings of another link checker, and print a holdfast.toml that means the same as far as possible.
What has no equal is a comment in it, with the reason. Files are read, never executed.

    holdfast import lychee lychee.toml .lycheeignore > holdfast.toml
    holdfast import sphinx docs/conf.py > holdfast.toml

With `warc`, take in WARC files that others made, packed or plain: captures and items under a run of their
own, to be asked like all others. Records that cannot be read are named and skipped: exit status 1.

    holdfast import warc crawl-2019.warc.gz --state archive-of-old"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument(
        "tool", choices=("lychee", "sphinx", "warc"), help="whose settings they are; or `warc`"
    )
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="lychee.toml, .lycheeignore, conf.py, or *.warc.gz"
    )
    parser.add_argument("--json", action="store_true", help="for warc: one JSON document")
    add_settings(parser, "state", "workers")


def run(args: argparse.Namespace) -> ExitStatus:
    """Print the settings, or take in archives."""
    if args.tool == "warc":
        return _take_in(args)
    imported = Imported()
    for name in args.files:
        imported += _read(args.tool, Path(name))
    sys.stdout.write(write_settings(imported, " and ".join(Path(name).name for name in args.files)))
    taken, noted = len(imported.settings), len(imported.notes)
    note(f"{counted(taken, 'setting')} taken over, {counted(noted, 'comment')} where Holdfast has no setting")
    return ExitStatus.SUCCESS


def _take_in(args: argparse.Namespace) -> ExitStatus:
    done = jobs.running.run(
        jobs.upkeep.take_in.import_warc(settings_from(args), [Path(name) for name in args.files])
    )
    if args.json:
        answer("import-warc", done)
    notes(imported_lines(done))
    return ExitStatus.FINDINGS if done.flaws else ExitStatus.SUCCESS


def _read(tool: str, path: Path) -> Imported:
    text = jobs.load_settings.read_text(path, "settings of " + tool)
    if tool == "sphinx":
        return read_sphinx(text, str(path))
    if path.name == ".lycheeignore":
        return read_lycheeignore(text)
    return read_lychee(text, str(path))
