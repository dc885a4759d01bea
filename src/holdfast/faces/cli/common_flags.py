"""The flags of all commands, declared once; they stand before or after a command and its second word."""

from __future__ import annotations

import argparse
from typing import Any, Final, NoReturn


def flags_first(words: list[str]) -> tuple[list[str], list[str]]:
    """The flags of all commands at the beginning, with their values, and the rest."""
    known = {
        flag: options.get("action") == "store_true"
        for flags, options in _COMMON.items()
        for flag in flags.split()
    }
    end = 0
    while end < len(words):
        word = words[end]
        if word.startswith("--"):
            flag, joined, _ = word.partition("=")
        else:  # letters stand together, and what follows one that takes a value is the value
            letters = [f"-{letter}" for letter in word[1:]] if word.startswith("-") else []
            flag = next((each for each in letters if not known.get(each)), letters[-1] if letters else "")
            joined = "=" if letters and flag != letters[-1] else ""
        if flag not in known:
            break
        end += 1 if known[flag] or joined else 2
    return words[:end], words[end:]


def add_common(parser: argparse.ArgumentParser, command: str = "") -> None:
    """Give a parser the flags of all commands; a command without JSON says so."""
    why_no_json = _WITHOUT_JSON.get(command)
    group = parser.add_argument_group(ALL_COMMANDS)
    for flags, options in _COMMON.items():
        told = {"help": f"none here: {why_no_json}"} if flags == "--json" and why_no_json else {}
        group.add_argument(*flags.split(), **{**options, **told})
    if why_no_json:
        parser.set_defaults(no_json=f"`{parser.prog}` has no JSON: {why_no_json}")
    group.add_argument("-h", action=_ShortHelp, nargs=0, dest="help", help="what is most used")
    group.add_argument("--help", action="help", help="all of it")


class ShortHelp(SystemExit):
    """The short help was asked for; who has the table of commands shows it."""


class _ShortHelp(argparse.Action):
    """`-h`: leave; `--help` is argparse's own."""

    def __call__(self, *_: object) -> NoReturn:
        """Leave."""
        raise ShortHelp(0)


ALL_COMMANDS: Final = "flags of all commands"
_COMMON: Final[dict[str, dict[str, Any]]] = {
    "-C": {"action": "append", "dest": "folders", "metavar": "DIR", "help": "go there first"},
    "--store": {
        "metavar": "DIR",
        "help": "the store: the folder `.holdfast`, or the one that has it (the nearest)",
    },
    "--trust": {
        "action": "store_true",
        "help": "obey all that holdfast.toml and stores say, this once (`holdfast config trust`: for good)",
    },
    "-q --quiet": {"action": "store_true", "help": "show no progress"},
    "-v --verbose": {
        "action": "store_true",
        "help": "say which settings are not the defaults, and who set them",
    },
    "--json": {"action": "store_true", "help": "the whole answer as one JSON document"},
    "--color": {
        "choices": ("auto", "always", "never"),
        "default": "auto",
        "help": "auto: on a terminal, unless NO_COLOR is set (auto)",
    },
}
"""The flags of all commands: how each is written, and what argparse is told of it."""

_STAYS: Final = "it answers whom it serves until it is stopped"
_WITHOUT_JSON: Final = {
    "export": "its records come a line each (`--format jsonl`)",
    "store index": "it prints an index that other tools read",
    "config import": "it prints a holdfast.toml",
    "completion": "it prints a script",
    "help": "it prints what people read; docs/reference/schemas has what programs read",
    "serve": _STAYS,
    "mcp": _STAYS,
    "lsp": _STAYS,
    "cluster worker": "it works until it is stopped; `holdfast cluster jobs --json` tells what became of it",
    "cluster run": "it works until it is stopped; `holdfast cluster jobs --json` tells what became of it",
}
"""The commands that have no JSON document, and why."""
