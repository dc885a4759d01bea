"""`holdfast help`: a command, a setting, the state of a link or a code of a report, explained."""

from __future__ import annotations

import argparse

from holdfast.core.errors import ExitStatus, UsageError
from holdfast.core.nearest import nearest
from holdfast.faces.cli.commands import COMMANDS
from holdfast.faces.cli.console import out
from holdfast.faces.cli.parser import build_parser, general_help
from holdfast.formats.words.explained import explained, words_explained

HELP = """Explain a word: a command (mirror), a setting (max_pages), the state of a link (refused), a code of
a report (HF033). Without a word, list the commands."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("word", nargs="?", metavar="WORD", help="what to explain")


def run(args: argparse.Namespace) -> ExitStatus:
    """Explain it."""
    if args.word is None:
        out(general_help())
    elif args.word in COMMANDS:
        out(build_parser(args.word).format_help().rstrip("\n"))
    elif lines := explained(args.word):
        out("\n".join(lines))
    else:
        guess = nearest(args.word, [*COMMANDS, *words_explained()], cutoff=0.6)
        raise UsageError(
            f"there is no command, setting, state or code {args.word!r}",
            hint=f"did you mean `holdfast help {guess}`?" if guess else "`holdfast help` lists the commands",
        )
    return ExitStatus.SUCCESS
