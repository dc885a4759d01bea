"""`holdfast config`: every setting, its value, and where it came from."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from holdfast import jobs
from holdfast.core.base.errors import ConsentError, ExitStatus
from holdfast.faces.cli.console import answer, note, out_lines, style
from holdfast.faces.cli.flags import add_settings, add_shared, settings_from
from holdfast.questions.config import SettingsShown, setting_lines, trust_lines, without_secrets

HELP = """Show every setting, its value, and where it came from.

Precedence: flag, environment variable, named job in holdfast.toml, holdfast.toml, default.

trust     show what holdfast.toml has that reaches out of its folder (the network, programs, servers, paths,
          credentials, consent) and what the store here remembers, ask, and obey exactly that from then on.
          What you did not trust is not obeyed; once it changes it is not trusted any more. With --store, that
          store alone. Without a terminal, --yes trusts it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument(
        "action", nargs="?", choices=("trust",), help="trust the settings and the stores of this folder"
    )
    add_shared(parser, "--yes")
    parser.add_argument("--job", metavar="KIND.NAME", help="as this job sees them, such as mirror.handbook")
    add_settings(parser, "store")


def run(args: argparse.Namespace) -> ExitStatus:
    """Print the table, or trust."""
    if args.action == "trust":
        return _trust(args)
    settings = settings_from(args, job=args.job)
    file = jobs.load_settings.config_file(Path.cwd())
    found = SettingsShown(str(file) if file else None, tuple(map(without_secrets, settings.resolved)))
    if args.json:
        answer("config", found)
    else:
        out_lines(setting_lines(found, style))
    return ExitStatus.SUCCESS


def _trust(args: argparse.Namespace) -> ExitStatus:
    """Show what there is to trust, ask, and record it."""
    trust = jobs.config_trust.folder_trust(Path.cwd(), os.environ, args.store)
    if not args.json:
        out_lines(trust_lines(trust))
    is_new = not trust.is_trusted
    if is_new and (args.yes or _is_wished(args)):
        trust = jobs.config_trust.trust(trust, os.environ)
    if args.json:
        answer("config-trust", trust)
    if not trust.is_trusted:
        raise ConsentError("nothing was trusted", hint="--yes trusts it without being asked")
    if not trust.is_empty:
        note("trusted, until one of these changes" if is_new else "this is trusted already")
    return ExitStatus.SUCCESS


def _is_wished(args: argparse.Namespace) -> bool:
    if args.json or not sys.stdin.isatty():
        return False
    return input("Trust exactly this? Type `yes`: ").strip() == "yes"
