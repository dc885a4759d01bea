"""`holdfast completion SHELL`: the script that completes commands, each command's flags, and their words.

A script is static, so that completing starts no program. Where no word is known, files are completed.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from holdfast.core.base.errors import ExitStatus
from holdfast.faces.cli.console import out
from holdfast.faces.cli.parser import COMMANDS, build_parser, seconds_of


class CompletedFlag(NamedTuple):
    """One flag of a command: its spellings, what it does, and the words it takes (none: any, or no value)."""

    names: tuple[str, ...]
    help: str
    choices: tuple[str, ...]
    takes_value: bool


class CompletedCommand(NamedTuple):
    """One command, or a noun with its second words: what it does, its flags, and the words that its first
    argument must be one of.
    """

    name: str
    sentence: str
    flags: Sequence[CompletedFlag]
    words: tuple[str, ...]


_BASH_HEAD: Final = """\
_holdfast() {
    local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" flags= words= values=
    if [ "$before" = "=" ]; then before="${COMP_WORDS[COMP_CWORD-2]}"
    elif [ "$word" = "=" ]; then word=; fi
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "COMMANDS" -- "$word"))
        return
    fi
    local command="${COMP_WORDS[1]}"
    if [ "$COMP_CWORD" -gt 2 ] && [[ "|PAIRS|" == *"|$command ${COMP_WORDS[2]}|"* ]]; then
        command="$command ${COMP_WORDS[2]}"
    fi
    case "$command" in"""
_BASH_TAIL: Final = """\
    esac
    if [ -n "$values" ]; then COMPREPLY=($(compgen -W "$values" -- "$word"))
    elif [[ "$word" == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$word"))
    elif [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$word"))
    else COMPREPLY=($(compgen -f -- "$word")); fi
}
complete -o filenames -F _holdfast holdfast"""


def _bash(commands: Sequence[CompletedCommand]) -> str:
    head = _BASH_HEAD.replace("COMMANDS", " ".join(command.name for command in _first(commands)))
    lines = [head.replace("PAIRS", _pairs(commands))]
    for command in commands:
        flags = command.flags
        lines.append(f'    "{command.name}")')
        lines.append(f'        flags="{" ".join(name for flag in flags for name in flag.names)}"')
        lines.append(f'        words="{" ".join(command.words)}"')
        chosen = [f'{"|".join(f.names)}) values="{" ".join(f.choices)}";;' for f in flags if f.choices]
        if chosen:
            lines.append(f'        case "$before" in {" ".join(chosen)} esac')
        lines.append("        ;;")
    return "\n".join([*lines, _BASH_TAIL])


def _zsh(commands: Sequence[CompletedCommand]) -> str:
    lines = ["#compdef holdfast", "_holdfast() {", "    local -a commands", "    commands=("]
    lines += [f"        {_quoted(f'{command.name}:{command.sentence}')}" for command in _first(commands)]
    lines += [
        "    )",
        "    if (( CURRENT == 2 )); then _describe command commands; return; fi",
        '    local command="$words[2]"',
        f'    if (( CURRENT > 3 )) && [[ "|{_pairs(commands)}|" == *"|$command $words[3]|"* ]]; then',
        '        command="$command $words[3]"; shift words; (( CURRENT-- ))',
        "    fi",
        '    case "$command" in',
    ]
    for command in commands:
        specs = [_zsh_spec(name, flag) for flag in command.flags for name in flag.names]
        rest = f"*:word:({' '.join(words)})" if (words := command.words) else "*:file:_files"
        joined = " ".join([*specs, _quoted(rest)])
        lines.append(f"    {_quoted(command.name)}) shift words; (( CURRENT-- )); _arguments -s {joined};;")
    return "\n".join([*lines, "    esac", "}", '_holdfast "$@"'])


def _zsh_spec(name: str, flag: CompletedFlag) -> str:
    explained = re.sub(r"([\[\]:])", r"\\\1", flag.help)
    value = (
        f":value:({' '.join(flag.choices)})" if flag.choices else ":value:_files" if flag.takes_value else ""
    )
    joined = "=" if value and name.startswith("--") else ""
    return _quoted(f"{name}{joined}[{explained}]{value}")


def _fish(commands: Sequence[CompletedCommand]) -> str:
    first = "complete -c holdfast -n __fish_use_subcommand"
    lines = [f"{first} -f"]
    lines += [
        f"{first} -a {command.name} -d {_quoted_for_fish(command.sentence)}" for command in _first(commands)
    ]
    for command in commands:
        seen = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in command.name.split())
        here = f"complete -c holdfast -n {_quoted(seen)}"
        if words := command.words:
            lines.append(f"{here} -f -a {_quoted(' '.join(words))}")
        for flag in command.flags:
            spelled = " ".join(
                f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in flag.names
            )
            value = f" -x -a {_quoted(' '.join(flag.choices))}" if flag.choices else " -r" * flag.takes_value
            lines.append(f"{here} {spelled}{value} -d {_quoted_for_fish(flag.help)}")
    return "\n".join(lines)


def _first(commands: Sequence[CompletedCommand]) -> list[CompletedCommand]:
    """What can stand as the first word."""
    return [command for command in commands if " " not in command.name]


def _pairs(commands: Sequence[CompletedCommand]) -> str:
    """The commands of two words, as the scripts look for them."""
    return "|".join(command.name for command in commands if " " in command.name)


def _quoted(text: str) -> str:
    """A text in single quotes, in which bash and zsh read every backslash as itself."""
    return "'" + text.replace("'", "'\\''") + "'"


def _quoted_for_fish(text: str) -> str:
    """A text in single quotes, in which a backslash may hide the next character."""
    return _quoted(text.replace("\\", "\\\\"))


SCRIPTS: Final[dict[str, Callable[[Sequence[CompletedCommand]], str]]] = {
    "bash": _bash,
    "zsh": _zsh,
    "fish": _fish,
}
"""The script of each shell, made of the commands."""


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
    nouns = dict.fromkeys(name.split()[0] for name in COMMANDS if " " in name)
    commands += [
        CompletedCommand(noun, f"{', '.join(_seconds(noun))}.", (), _seconds(noun))
        for noun in nouns
        if noun not in COMMANDS
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


def _seconds(noun: str) -> tuple[str, ...]:
    return tuple(name.removeprefix(f"{noun} ") for name in seconds_of(noun))


def _words_of(command: str) -> tuple[str, ...]:
    """The words that a command's own first argument must be one of, where it must; `help` explains more."""
    if command == "help":
        return tuple(dict.fromkeys(name.split()[0] for name in COMMANDS))
    named = (action for action in build_parser(command).actions() if not action.option_strings)
    return (*map(str, next((action.choices for action in named if action.choices), ())), *_seconds(command))
