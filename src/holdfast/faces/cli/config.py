"""`holdfast config`: every setting, its value, and where it came from."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from holdfast import wiring
from holdfast.core.answers.upkeep import SettingsShown
from holdfast.core.errors import ExitStatus
from holdfast.core.redaction import redact_url
from holdfast.core.settings import Origin, Resolved, all_settings
from holdfast.faces.cli.console import answer, loggable, out, style
from holdfast.faces.cli.flags import add_settings, settings_from

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
    if args.json:
        answer("config", SettingsShown(str(file) if file else None, tuple(map(_harmless, settings.resolved))))
        return ExitStatus.SUCCESS
    out(f"settings file: {file or 'none found here or above'}")
    width = max(len(row.setting.name) for row in settings.resolved)
    for row in settings.resolved:
        text = f"{row.setting.name:<{width}}  {_shown(row):<24}  {_origin(row)}"
        out(style(text, "dim") if row.origin is Origin.DEFAULT and sys.stdout.isatty() else text)
    return ExitStatus.SUCCESS


def _harmless(row: Resolved) -> Resolved:
    """A row without secrets: a proxy's address may carry a password."""
    return replace(row, value=_without_secrets(row.value)) if isinstance(row.value, str) else row


def _without_secrets(text: str) -> str:
    return redact_url(loggable(text))


def _shown(row: Resolved) -> str:
    if row.value is None:
        return "(not set)"
    if isinstance(row.value, tuple):
        return ", ".join(row.value) or "(none)"
    return str(row.value).lower() if isinstance(row.value, bool) else _without_secrets(str(row.value))


def _origin(row: Resolved) -> str:
    return row.origin if row.origin is Origin.DEFAULT else f"{row.origin} ({row.place})"
