"""The parser of one command: usage on one line, flags in groups, a guess at what a mistyped flag meant."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from importlib import import_module
from keyword import iskeyword
from typing import NoReturn

from holdfast.core.errors import UsageError
from holdfast.core.nearest import nearest

__all__ = ["CommandParser", "build_parser"]


class CommandParser(argparse.ArgumentParser):
    """An argument parser that answers a wrong call with one line, as all errors are answered."""

    def actions(self) -> list[argparse.Action]:
        """Every argument and flag, in the order they were added."""
        return list(self._actions)

    def short_usage(self) -> str:
        """What a call looks like, without the flags, which have a list of their own."""
        return " ".join([self.prog, *_positionals(self), "[FLAGS]"])

    def error(self, message: str) -> NoReturn:
        """A wrong call, in words; argparse would print the usage and leave."""
        raise UsageError(_plain(message), hint=self._hint(message))

    def _hint(self, message: str) -> str:
        if message.startswith("unrecognized arguments: -"):
            flags = [flag for action in self._actions for flag in action.option_strings]
            if guess := nearest(message.split()[2].partition("=")[0], flags):
                return f"did you mean {guess}?"
        return f"usage: {self.short_usage()}; `{self.prog} --help` explains"


def build_parser(command: str) -> CommandParser:
    """The parser of one command."""
    name = command.replace("-", "_")
    module = import_module(f"holdfast.faces.cli.{name}_" if iskeyword(name) else f"holdfast.faces.cli.{name}")
    parser = CommandParser(
        prog=f"holdfast {command}",
        description=module.HELP,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    module.add_arguments(parser)
    parser.usage = parser.short_usage()
    parser.set_defaults(run=module.run)
    return parser


def _positionals(parser: CommandParser) -> Iterator[str]:
    for action in parser.actions():
        if action.option_strings:
            continue
        name = _placeholder(action)
        match action.nargs:
            case "?":
                yield f"[{name}]"
            case "*":
                yield f"[{name} …]"
            case "+":
                yield f"{name} …"
            case _:
                yield name


def _placeholder(action: argparse.Action) -> str:
    if isinstance(action.metavar, str):
        return action.metavar
    return "|".join(map(str, action.choices)) if action.choices else action.dest.upper()


def _plain(message: str) -> str:
    """What argparse says, in our words."""
    if message.startswith("unrecognized arguments: "):
        unknown = message.split()[2]
        return f"there is no flag {unknown}" if unknown.startswith("-") else f"{unknown} is one too many"
    if message.startswith("the following arguments are required: "):
        return f"{message.partition(': ')[2]} is missing"
    return message
