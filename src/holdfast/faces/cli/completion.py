"""`holdfast completion SHELL`: what a shell needs to complete commands, flags and their choices."""

from __future__ import annotations

import argparse
import re

from holdfast.core.errors import ExitStatus
from holdfast.faces.cli.commands import COMMANDS
from holdfast.faces.cli.console import out
from holdfast.faces.cli.parser import build_parser
from holdfast.formats.shell_completion import SCRIPTS, CompletedCommand, CompletedFlag

HELP = """Print the completion script of a shell.

  bash    holdfast completion bash > ~/.local/share/bash-completion/completions/holdfast
  zsh     holdfast completion zsh > a folder of $fpath, as _holdfast
  fish    holdfast completion fish > ~/.config/fish/completions/holdfast.fish"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("shell", choices=tuple(SCRIPTS), help="for which shell")


def run(args: argparse.Namespace) -> ExitStatus:
    """Print the script."""
    commands = [
        CompletedCommand(name, command.sentence, flags_of(name), _words_of(name))
        for name, command in COMMANDS.items()
    ]
    out(SCRIPTS[args.shell](commands))
    return ExitStatus.SUCCESS


def flags_of(command: str) -> list[CompletedFlag]:
    """The flags of a command, as its parser has them."""
    return [
        CompletedFlag(
            tuple(action.option_strings),
            re.sub(r"\s+", " ", (action.help or "").replace("%%", "%")),
            tuple(map(str, action.choices or ())),
            action.nargs != 0 and not isinstance(action, argparse.BooleanOptionalAction),
        )
        for action in build_parser(command).actions()
        if action.option_strings
    ]


def _words_of(command: str) -> tuple[str, ...]:
    """The words that a command's own first argument must be one of, where it must; `help` explains more."""
    if command == "help":
        return tuple(COMMANDS)
    named = (action for action in build_parser(command).actions() if not action.option_strings)
    return tuple(map(str, next((action.choices for action in named if action.choices), ())))
