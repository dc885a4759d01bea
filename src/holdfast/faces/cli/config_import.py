"""`holdfast config import`: settings of other link checkers, or older ones of ours, as a holdfast.toml."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

from holdfast import jobs
from holdfast.core.base.errors import ExitStatus, UsageError
from holdfast.core.base.figures import counted
from holdfast.core.importers.imported import Imported, write_settings
from holdfast.core.importers.lychee import read_lychee, read_lycheeignore
from holdfast.core.importers.older_settings import settings_anew
from holdfast.core.importers.sphinx_conf import read_sphinx
from holdfast.faces.cli.console import note

HELP = """\
Read the settings of another link checker, and print a holdfast.toml that means the same as far as possible.
What has no equal is a comment in it, with the reason. Files are read, never executed.

    holdfast config import lychee.toml .lycheeignore > holdfast.toml
    holdfast config import docs/conf.py > holdfast.toml

A holdfast.toml of an older version is printed under the names of today, with its comments:

    holdfast config import holdfast.toml > new.toml && mv new.toml holdfast.toml

The file's name says of which program it is; --tool says it where it does not."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="lychee.toml, .lycheeignore, conf.py")
    parser.add_argument("--tool", choices=("lychee", "sphinx", "holdfast"), help="whose settings they are")


def run(args: argparse.Namespace) -> ExitStatus:
    """Print the settings."""
    tools = {args.tool or _tool_of(name) for name in args.files}
    if "holdfast" in tools:
        if len(args.files) > 1:
            raise UsageError("a holdfast.toml is written anew alone", hint=f"leave out {args.files[1]}")
        return _anew(args.files[0])
    imported = Imported()
    for name in args.files:
        imported += _read(args.tool or _tool_of(name), Path(name))
    sys.stdout.write(write_settings(imported, " and ".join(Path(name).name for name in args.files)))
    taken, noted = len(imported.settings), len(imported.notes)
    note(f"{counted(taken, 'setting')} taken over, {counted(noted, 'comment')} where Holdfast has no setting")
    return ExitStatus.SUCCESS


def _tool_of(name: str) -> str:
    if Path(name).name == "holdfast.toml":
        return "holdfast"
    return "sphinx" if name.endswith(".py") else "lychee"


def _anew(name: str) -> ExitStatus:
    """Our own settings, of an older version."""
    text = jobs.load_settings.read_text(Path(name), "settings file")
    sys.stdout.write(settings_anew(text, name, partial(jobs.name_tables.named_anew, "settings")))
    return ExitStatus.SUCCESS


def _read(tool: str, path: Path) -> Imported:
    text = jobs.load_settings.read_text(path, "settings of " + tool)
    if tool == "sphinx":
        return read_sphinx(text, str(path))
    if path.name == ".lycheeignore":
        return read_lycheeignore(text)
    return read_lychee(text, str(path))
