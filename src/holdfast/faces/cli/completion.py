"""`holdfast completion SHELL`: the script that completes commands, each command's flags, and their words.

1. A script is static, so that completing starts no program.
2. Files are offered where a file, a folder or a target belongs, by the word that help has for it; moments by
   their names; nothing where a number, a version or a name is wanted.
3. The flags of all commands stand in a script once, and before a command too.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from holdfast.core.base.errors import ExitStatus
from holdfast.faces.cli.console import out
from holdfast.faces.cli.first_help import NOUNS
from holdfast.faces.cli.parser import COMMANDS, CommandParser, build_parser, common_parser, seconds_of


class CompletedFlag(NamedTuple):
    """One flag: its spellings, what it does, the words it takes (none: any, or no value), whether it takes a
    value, and whether that is a file.
    """

    names: tuple[str, ...]
    help: str
    choices: tuple[str, ...]
    takes_value: bool
    is_file: bool


class CompletedCommand(NamedTuple):
    """One command, or a noun with its second words: what it does, its flags, the words that its first
    argument must be one of, and whether it takes files.
    """

    name: str
    sentence: str
    flags: Sequence[CompletedFlag]
    words: tuple[str, ...]
    takes_files: bool = False


_FILES: Final = frozenset({"CMD", "DIR", "DOC", "FILE", "PATH", "SOURCE", "TARGET", "TO"})
_WORDS: Final = {"MOMENT": ("last", "today", "yesterday")}

_BASH_HEAD: Final = """\
_holdfast() {
    local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" flags= words= values= files=
    local common="COMMON" command= at=1
    if [ "$before" = "=" ]; then before="${COMP_WORDS[COMP_CWORD-2]}"
    elif [ "$word" = "=" ]; then word=; fi
    while [ "$at" -lt "$COMP_CWORD" ]; do
        case "${COMP_WORDS[at]}" in
            VALUED) at=$((at + 1)); if [ "${COMP_WORDS[at]}" = "=" ]; then at=$((at + 1)); fi;;
            -*) ;;
            *) if [ -z "$command" ]; then command="${COMP_WORDS[at]}"
               elif [[ "|PAIRS|" == *"|$command ${COMP_WORDS[at]}|"* ]]; then
                   command="$command ${COMP_WORDS[at]}"
               fi;;
        esac
        at=$((at + 1))
    done
    case "$command" in
    "")
        words="COMMANDS";;"""
_BASH_TAIL: Final = """\
    esac
    case "$before" in COMMON_VALUES esac
    if [ -n "$values" ]; then COMPREPLY=($(compgen -W "$values" -- "$word"))
    elif [[ "$word" == -* ]]; then COMPREPLY=($(compgen -W "$flags $common" -- "$word"))
    elif [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$word"))
    elif [ -n "$files" ]; then COMPREPLY=($(compgen -f -- "$word"))
    else COMPREPLY=(); fi
}
complete -o filenames -F _holdfast holdfast"""


def _bash(commands: Sequence[CompletedCommand]) -> str:
    common = common_flags()
    head = _BASH_HEAD.replace("COMMANDS", " ".join(command.name for command in _first(commands)))
    head = head.replace("COMMON", _spelled(common)).replace("PAIRS", _pairs(commands))
    lines = [head.replace("VALUED", "|".join(_valued(common)))]
    for command in commands:
        lines.append(f'    "{command.name}")')
        lines.append(f'        flags="{_spelled(command.flags)}"')
        lines.append(f'        words="{" ".join(command.words)}" files={"1" * command.takes_files}')
        if values := _bash_values(command.flags):
            lines.append(f'        case "$before" in {values} esac')
        lines.append("        ;;")
    return "\n".join([*lines, _BASH_TAIL.replace("COMMON_VALUES", _bash_values(common))])


def _bash_values(flags: Iterable[CompletedFlag]) -> str:
    """What follows each flag that takes a value: its words, files, or nothing that is known."""
    return " ".join(
        f"{'|'.join(flag.names)}) "
        + (f'values="{" ".join(flag.choices)}";;' if flag.choices else f"words= files={'1' * flag.is_file};;")
        for flag in flags
        if flag.takes_value
    )


def _spelled(flags: Iterable[CompletedFlag]) -> str:
    return " ".join(name for flag in flags for name in flag.names)


def _valued(flags: Iterable[CompletedFlag]) -> list[str]:
    return [name for flag in flags if flag.takes_value for name in flag.names]


def _zsh(commands: Sequence[CompletedCommand]) -> str:
    common = common_flags()
    valued = "|".join(_valued(common))
    lines = ["#compdef holdfast", "_holdfast() {", "    local -a commands common", "    commands=("]
    lines += [f"        {_quoted(f'{command.name}:{command.sentence}')}" for command in _first(commands)]
    lines += [
        "    )",
        f"    common=({' '.join(_zsh_spec(name, flag) for flag in common for name in flag.names)})",
        '    while (( CURRENT > 2 )) && [[ "$words[2]" == -* ]]; do',
        f'        case "$words[2]" in ({valued})',
        "            (( CURRENT > 3 )) || break; words[2]=(); (( CURRENT-- ));; esac",
        "        words[2]=(); (( CURRENT-- ))",
        "    done",
        '    if (( CURRENT == 2 )) && [[ "$words[2]" == -* ]]; then _arguments -s $common; return; fi',
        "    if (( CURRENT == 2 )); then _describe command commands; return; fi",
        '    local command="$words[2]"',
        f'    if (( CURRENT > 3 )) && [[ "|{_pairs(commands)}|" == *"|$command $words[3]|"* ]]; then',
        '        command="$command $words[3]"; shift words; (( CURRENT-- ))',
        "    fi",
        '    case "$command" in',
    ]
    for command in commands:
        specs = [_zsh_spec(name, flag) for flag in command.flags for name in flag.names]
        rest = "*:file:_files" if command.takes_files else "*:word: "
        rest = f"*:word:({' '.join(words)})" if (words := command.words) else rest
        joined = " ".join([*specs, "$common", _quoted(rest)])
        lines.append(f"    {_quoted(command.name)}) shift words; (( CURRENT-- )); _arguments -s {joined};;")
    lines.append(f"    {valued}) _files;;")
    return "\n".join([*lines, "    esac", "}", '_holdfast "$@"'])


def _zsh_spec(name: str, flag: CompletedFlag) -> str:
    explained = re.sub(r"([\[\]:])", r"\\\1", flag.help)
    value = (
        f":value:({' '.join(flag.choices)})"
        if flag.choices
        else ":value:_files"
        if flag.is_file
        else ":value: "
    )
    value = value if flag.takes_value else ""
    joined = "=" if value and name.startswith("--") else ""
    return _quoted(f"{name}{joined}[{explained}]{value}")


def _fish(commands: Sequence[CompletedCommand]) -> str:
    first = "complete -c holdfast -n __fish_use_subcommand"
    lines = [f"{first} -f", *(_fish_flag("complete -c holdfast", flag) for flag in common_flags())]
    lines += [
        f"{first} -a {command.name} -d {_quoted_for_fish(command.sentence)}" for command in _first(commands)
    ]
    for command in commands:
        seen = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in command.name.split())
        here = f"complete -c holdfast -n {_quoted(seen)}"
        if words := command.words:
            lines.append(f"{here} -f -a {_quoted(' '.join(words))}")
        elif not command.takes_files:
            lines.append(f"{here} -f")
        lines += [_fish_flag(here, flag) for flag in command.flags]
    return "\n".join(lines)


def _fish_flag(here: str, flag: CompletedFlag) -> str:
    spelled = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in flag.names)
    value = f" -x -a {_quoted(' '.join(flag.choices))}" if flag.choices else " -r" if flag.is_file else " -x"
    return f"{here} {spelled}{value if flag.takes_value else ''} -d {_quoted_for_fish(flag.help)}"


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
        CompletedCommand(name, command.sentence, flags_of(name), _words_of(name), _takes_files(name))
        for name, command in COMMANDS.items()
    ]
    commands += [CompletedCommand(noun, sentence, (), _seconds(noun)) for noun, sentence in NOUNS.items()]
    out(SCRIPTS[args.shell](commands))
    return ExitStatus.SUCCESS


def flags_of(command: str) -> list[CompletedFlag]:
    """The flags of a command, as its parser has them."""
    return _flags(build_parser(command, common=False))


def common_flags() -> list[CompletedFlag]:
    """The flags of all commands."""
    return _flags(common_parser())


def _flags(parser: CommandParser) -> list[CompletedFlag]:
    return [
        CompletedFlag(
            tuple(action.option_strings),
            re.sub(r"\s+", " ", (action.help or "").replace("%%", "%")),
            tuple(map(str, action.choices or ())) or tuple(_WORDS.get(str(action.metavar), ())),
            action.nargs != 0 and not isinstance(action, argparse.BooleanOptionalAction),
            action.metavar in _FILES,
        )
        for action in parser.actions()
        if action.option_strings
    ]


def _seconds(noun: str) -> tuple[str, ...]:
    return tuple(name.removeprefix(f"{noun} ") for name in seconds_of(noun))


def _places(command: str) -> list[argparse.Action]:
    return [action for action in build_parser(command, common=False).actions() if not action.option_strings]


def _takes_files(command: str) -> bool:
    return any(action.metavar in _FILES for action in _places(command))


def _words_of(command: str) -> tuple[str, ...]:
    """The words that a command's own first argument must be one of, where it must; `help` explains more."""
    if command == "help":
        return tuple(dict.fromkeys(name.split()[0] for name in COMMANDS))
    named = next((action.choices for action in _places(command) if action.choices), ())
    return (*map(str, named), *_seconds(command))
