"""`holdfast config`: every setting, its value, and where it came from."""

from __future__ import annotations

import argparse
from pathlib import Path

from holdfast import wiring
from holdfast.core.answers.upkeep import SettingsShown, without_secrets
from holdfast.core.errors import ExitStatus
from holdfast.core.settings import all_settings
from holdfast.faces.cli.console import answer, out_lines, style
from holdfast.faces.cli.flags import add_settings, settings_from
from holdfast.formats.words.settings import setting_lines

HELP = """Show every setting, its value, and where it came from.

Precedence: flag, environment variable, named job in holdfast.toml, holdfast.toml, default."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments, and a flag for every setting."""
    parser.add_argument("--job", metavar="KIND.NAME", help="as this job sees them, such as mirror.handbook")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    add_settings(parser, *all_settings())


def run(args: argparse.Namespace) -> ExitStatus:
    """Print the table."""
    settings = settings_from(args, job=args.job)
    file = wiring.settings.config_file(Path.cwd())
    found = SettingsShown(str(file) if file else None, tuple(map(without_secrets, settings.resolved)))
    if args.json:
        answer("config", found)
    else:
        out_lines(setting_lines(found, style))
    return ExitStatus.SUCCESS
