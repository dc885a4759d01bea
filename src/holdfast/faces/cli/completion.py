"""`holdfast completion SHELL`: what a shell needs to complete commands, flags and their choices.

The script is static: it holds the commands, each command's flags and the words a flag takes, as the parsers
have them, so that completing starts no program. Where no word is known, files are completed.
"""

from __future__ import annotations

import argparse
import re
from typing import Final, NamedTuple

from holdfast.core.errors import ExitStatus
from holdfast.faces.cli.commands import COMMANDS
from holdfast.faces.cli.console import out
from holdfast.faces.cli.parser import build_parser

HELP = """Print the completion script of a shell.

  bash    holdfast completion bash > ~/.local/share/bash-completion/completions/holdfast
  zsh     holdfast completion zsh > a folder of $fpath, as _holdfast
  fish    holdfast completion fish > ~/.config/fish/completions/holdfast.fish"""


class Flag(NamedTuple):
    """One flag of a command: its spellings, what it does, and the words it takes (none: any, or no value)."""

    names: tuple[str, ...]
    help: str
    choices: tuple[str, ...]
    takes_value: bool


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("shell", choices=tuple(_SCRIPTS), help="for which shell")


def run(args: argparse.Namespace) -> ExitStatus:
    """Print the script."""
    out(_SCRIPTS[args.shell]())
    return ExitStatus.SUCCESS


def flags_of(command: str) -> list[Flag]:
    """The flags of a command, as its parser has them."""
    return [
        Flag(
            tuple(action.option_strings),
            re.sub(r"\s+", " ", (action.help or "").replace("%%", "%")),
            tuple(map(str, action.choices or ())),
            action.nargs != 0 and not isinstance(action, argparse.BooleanOptionalAction),
        )
        for action in build_parser(command).actions()
        if action.option_strings
    ]


def words_of(command: str) -> tuple[str, ...]:
    """The words that a command's own first argument must be one of, where it must."""
    named = (action for action in build_parser(command).actions() if not action.option_strings)
    return tuple(map(str, next((action.choices for action in named if action.choices), ())))


_BASH_HEAD: Final = """\
_holdfast() {
    local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" flags= words= values=
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "COMMANDS" -- "$word"))
        return
    fi
    case "${COMP_WORDS[1]}" in"""
_BASH_TAIL: Final = """\
    esac
    if [ -n "$values" ]; then COMPREPLY=($(compgen -W "$values" -- "$word"))
    elif [[ "$word" == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$word"))
    elif [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$word"))
    else COMPREPLY=($(compgen -f -- "$word")); fi
}
complete -o filenames -F _holdfast holdfast"""


def _bash() -> str:
    lines = [_BASH_HEAD.replace("COMMANDS", " ".join(COMMANDS))]
    for command in COMMANDS:
        flags = flags_of(command)
        lines.append(f"    {command})")
        lines.append(f'        flags="{" ".join(name for flag in flags for name in flag.names)}"')
        lines.append(f'        words="{" ".join(words_of(command))}"')
        chosen = [f'{"|".join(f.names)}) values="{" ".join(f.choices)}";;' for f in flags if f.choices]
        if chosen:
            lines.append(f'        case "$before" in {" ".join(chosen)} esac')
        lines.append("        ;;")
    return "\n".join([*lines, _BASH_TAIL])


def _zsh() -> str:
    lines = ["#compdef holdfast", "_holdfast() {", "    local -a commands", "    commands=("]
    lines += [f"        {_quoted(f'{name}:{command.sentence}')}" for name, command in COMMANDS.items()]
    lines += [
        "    )",
        "    if (( CURRENT == 2 )); then _describe command commands; return; fi",
        '    case "$words[2]" in',
    ]
    for command in COMMANDS:
        specs = [_zsh_spec(name, flag) for flag in flags_of(command) for name in flag.names]
        rest = f"*:word:({' '.join(words)})" if (words := words_of(command)) else "*:file:_files"
        joined = " ".join([*specs, _quoted(rest)])
        lines.append(f"    {command}) shift words; (( CURRENT-- )); _arguments -s {joined};;")
    return "\n".join([*lines, "    esac", "}", '_holdfast "$@"'])


def _zsh_spec(name: str, flag: Flag) -> str:
    explained = re.sub(r"([\[\]:])", r"\\\1", flag.help)
    value = (
        f":value:({' '.join(flag.choices)})" if flag.choices else ":value:_files" if flag.takes_value else ""
    )
    return _quoted(f"{name}[{explained}]{value}")


def _fish() -> str:
    lines = ["complete -c holdfast -n __fish_use_subcommand -f"]
    lines += [
        f"complete -c holdfast -n __fish_use_subcommand -a {name} -d {_quoted(command.sentence)}"
        for name, command in COMMANDS.items()
    ]
    for command in COMMANDS:
        here = f"complete -c holdfast -n {_quoted(f'__fish_seen_subcommand_from {command}')}"
        if words := words_of(command):
            lines.append(f"{here} -f -a {_quoted(' '.join(words))}")
        for flag in flags_of(command):
            spelled = " ".join(
                f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in flag.names
            )
            value = f" -x -a {_quoted(' '.join(flag.choices))}" if flag.choices else " -r" * flag.takes_value
            lines.append(f"{here} {spelled}{value} -d {_quoted(flag.help)}")
    return "\n".join(lines)


def _quoted(text: str) -> str:
    """A text in single quotes, as all three shells read it."""
    return "'" + text.replace("\\", "\\\\").replace("'", "'\\''") + "'"


_SCRIPTS: Final = {"bash": _bash, "zsh": _zsh, "fish": _fish}
