"""How large the surface of the program is, counted by what its parsers, tables and routes accept.

`.venv/bin/python tools/surface_counts.py` prints the table. What is hidden from help is counted
too; the flags of all commands are counted once, under `every`. A flag and its `--no-` form are one.
"""

from __future__ import annotations

import argparse
import inspect
import os
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import holdfast
from holdfast.core.settings.resolve import all_settings
from holdfast.faces.cli.first_help import all_help, short_help, today_screen
from holdfast.faces.cli.parser import COMMANDS, CommandParser, build_parser, common_parser
from holdfast.faces.mcp.agent_rows import Answers
from holdfast.faces.mcp.row_tools import row_tools
from holdfast.faces.mcp.tools import ACTIONS, TOOLS, AgentActions
from holdfast.faces.web.api import openapi
from holdfast.questions.rows.table import all_schemas

__all__ = ["Flag", "api_paths", "counts", "flags", "library_names", "second_words", "tools_of_agents"]

WIDTH = "200"
"""Columns of the terminal on which help is measured."""


class Flag(NamedTuple):
    """One flag of one command: its name, all its spellings, what it takes, what help says."""

    command: str
    name: str
    spellings: tuple[str, ...]
    takes: str
    sentence: str


def parsers() -> dict[str, CommandParser]:
    """The parser of each command, and under `every` that of the flags of all."""
    own = {command: build_parser(command, common=False) for command in COMMANDS}
    return {"every": common_parser()} | own


def flags() -> list[Flag]:
    """Every flag of every command."""
    return [
        Flag(command, _name(action), tuple(action.option_strings), _takes(action), action.help or "")
        for command, parser in parsers().items()
        for action in _all_actions(parser)
        if action.option_strings and "--help" not in action.option_strings and action.option_strings != ["-h"]
    ]


def second_words() -> list[str]:
    """What stands after a command and chooses what it does, as `verify`."""
    return [
        f"{command} {word}"
        for command, parser in parsers().items()
        for action in parser.actions()
        if _chooses_the_work(action)
        for word in action.choices or ()
    ]


def api_paths() -> dict[str, tuple[str, ...]]:
    """The addresses below /api/v1/ with the names of their parameters, those in the address included."""
    return {
        path.removeprefix("/api/v1/"): tuple(part["name"] for part in asked["get"]["parameters"])
        for path, asked in openapi()["paths"].items()
    }


def tools_of_agents() -> dict[str, tuple[str, ...]]:
    """The tools of `holdfast mcp` with the names of their arguments."""

    homes: tuple[tuple[type, dict[str, str]], ...] = ((Answers, TOOLS), (AgentActions, ACTIONS))
    of_rows = {name: tuple(inspect.signature(tool).parameters) for name, (_, tool) in row_tools(()).items()}
    return of_rows | {
        tool: tuple(inspect.signature(getattr(home, tool)).parameters)[1:]
        for home, tools in homes
        for tool in tools
    }


def library_names() -> list[str]:
    """The public functions."""

    return [name for name in dir(holdfast) if inspect.isfunction(getattr(holdfast, name))]


def widest_help_line() -> tuple[int, str]:
    """How wide help becomes, and whose."""
    texts = {command: build_parser(command).format_help() for command in COMMANDS}
    texts |= {"--help": today_screen(), "--all": all_help()}
    return max((len(line), command) for command, text in texts.items() for line in text.splitlines())


def counts() -> dict[str, int | str]:
    """What is counted, in words."""
    every = flags()
    distinct = {flag.name for flag in every}
    meanings = defaultdict(set)
    for flag in every:
        meanings[flag.name].add((flag.takes, flag.sentence))
    unlike = sorted(name for name, said in meanings.items() if len(said) > 1)
    width, widest = widest_help_line()
    return {
        "top-level commands": len({command.split()[0] for command in COMMANDS}),
        "second words": len(second_words()) + len([command for command in COMMANDS if " " in command]),
        "flag entries": len(every),
        "distinct flags": len(distinct),
        "flags declared with another type or sentence": len(unlike),
        "settings": len(all_settings()),
        "schemas": len(list(all_schemas())),
        "API paths": len(api_paths()),
        "agents' tools": len(tools_of_agents()),
        "library functions": len(library_names()),
        "lines of the first screen": len(today_screen().splitlines()),
        "lines of the longest -h": max(len(short_help(build_parser(name)).splitlines()) for name in COMMANDS),
        "widest help line": f"{width} ({widest})",
        "which flags are declared unlike": " ".join(unlike),
    }


def _all_actions(parser: CommandParser) -> Iterator[argparse.Action]:
    """A parser's arguments, and those of the parsers of its second words."""
    for action in parser.actions():
        yield action
        if isinstance(action.choices, dict):
            for below in action.choices.values():
                yield from _all_actions(below)


def _chooses_the_work(action: argparse.Action) -> bool:
    """Whether its values are second words: each has a parser, or the argument is named so."""
    is_word = not action.option_strings and bool(action.choices)
    return is_word and (isinstance(action.choices, dict) or action.dest in ("action", "tool"))


def _name(action: argparse.Action) -> str:
    long = [flag for flag in action.option_strings if flag.startswith("--")]
    return long[0] if long else action.option_strings[0]


def _takes(action: argparse.Action) -> str:
    """What kind of value a flag takes: which words it may be is the command's."""
    if isinstance(action, argparse.BooleanOptionalAction):
        return "yes or no"
    if action.nargs == 0:
        return "nothing"
    many = ", many times" if "Append" in type(action).__name__ else ""
    made = getattr(action.type, "__name__", "text")
    return f"{'a word' if action.choices else made} {action.metavar or ''}{many}"


def main() -> None:
    """Print the table."""
    os.environ["COLUMNS"] = WIDTH
    print("|what|how many|\n|---|---|")
    for what, number in counts().items():
        print(f"|{what}|{number}|")


if __name__ == "__main__":
    main()
