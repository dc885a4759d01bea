"""`holdfast import`: the settings of another link checker as a holdfast.toml."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from holdfast.core.errors import ExitStatus
from holdfast.faces.cli.console import note
from holdfast.faces.cli.figures import counted
from holdfast.formats.importers import Imported, read_lychee, read_lycheeignore, read_sphinx, write_settings
from holdfast.wiring.tracking import read_text

__all__ = ["HELP", "add_arguments", "run"]

HELP = """\
Read the settings of another link checker, and print a holdfast.toml that means the same as far as possible.
What has no equal is a comment in it, with the reason. Files are read, never executed.

    holdfast import lychee lychee.toml .lycheeignore > holdfast.toml
    holdfast import sphinx docs/conf.py > holdfast.toml"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("tool", choices=("lychee", "sphinx"), help="whose settings they are")
    parser.add_argument("files", nargs="+", metavar="FILE", help="lychee.toml, .lycheeignore, or conf.py")


def run(args: argparse.Namespace) -> ExitStatus:
    """Print the settings."""
    imported = Imported()
    for name in args.files:
        imported += _read(args.tool, Path(name))
    sys.stdout.write(write_settings(imported, " and ".join(Path(name).name for name in args.files)))
    taken, noted = len(imported.settings), len(imported.notes)
    note(f"{counted(taken, 'setting')} taken over, {counted(noted, 'comment')} on what has no equal")
    return ExitStatus.SUCCESS


def _read(tool: str, path: Path) -> Imported:
    text = read_text(path, "settings of " + tool)
    if tool == "sphinx":
        return read_sphinx(text, str(path))
    if path.name == ".lycheeignore":
        return read_lycheeignore(text)
    return read_lychee(text, str(path))
