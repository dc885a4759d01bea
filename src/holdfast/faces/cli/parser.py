"""The parser of one command, and the table of all commands.

1. A parser has its usage on one line, flags in groups, and a guess at what a mistyped flag meant.
2. Help, completion, man pages and the reference are made of the table. A command is a row of `questions`,
   or a module of this package with `HELP`, `add_arguments(parser)` and `run(args) -> ExitStatus`, or a
   `CommandPart` with these names in the `PARTS` of one. A command of two words is one with its noun. It
   stands in the table, and nowhere else, under the job it belongs to, with the sentence of `--help` and the
   extra that brings what it needs: so help costs no imports, and a missing library has a name.
3. The flags of all commands come last in its help (`faces/cli/common_flags`); `-h` is the short help
   (`faces/cli/first_help`), `--help` the whole one.
"""

from __future__ import annotations

import argparse
import re
import shutil
import textwrap
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import Any, Final, NamedTuple, NoReturn

from holdfast import jobs
from holdfast.core.base.errors import ExitStatus, UsageError, nearest
from holdfast.faces.cli.common_flags import add_common, flags_first


class CommandParser(argparse.ArgumentParser):
    """An argument parser that answers a wrong call with one line, as all errors are answered."""

    def actions(self) -> list[argparse.Action]:
        """Every argument and flag, in the order they were added."""
        return list(self._actions)

    def short_usage(self) -> str:
        """What a call looks like, without the flags, which have a list of their own."""
        return " ".join([self.prog, *_positionals(self), "[FLAGS]"])

    def read(self, words: list[str]) -> argparse.Namespace:
        """What a call says. An empty word is no value: somebody's variable was not set."""
        args = self.parse_args(words)
        if args.json and (why := self.get_default("no_json")):
            raise UsageError(why, hint=f"`{self.prog} -h` explains")
        if args.json and getattr(args, "format", None) not in ("json", self.get_default("format")):
            self.error("--json and --format do not go together")
        for action in self._actions:
            given = getattr(args, action.dest, None)
            is_empty = "" in given if isinstance(given, list) else given == ""
            if is_empty and given != action.default and not _answers_each_word(action):
                flags = "/".join(action.option_strings)
                self.error(f"{flags} needs a value" if flags else f"{_placeholder(action)} is empty")
        return args

    def error(self, message: str) -> NoReturn:
        """A wrong call, in words; argparse would print the usage and leave."""
        raise UsageError(self._plain(message), hint=self._hint(message))

    def _plain(self, message: str) -> str:
        """What argparse says, in our words."""
        if message.startswith(_REQUIRED):
            return self._missing(message.removeprefix(_REQUIRED).split(", "))
        for pattern, words in _PLAIN.items():
            if found := re.fullmatch(pattern, message, re.DOTALL):
                return words(*found.groups())
        return message

    def _missing(self, names: list[str]) -> str:
        wanted = {action.metavar or action.dest: action for action in self._actions}
        missing = [_placeholder(wanted[name]) for name in names if wanted[name].nargs not in ("*", "?")]
        return f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"

    def _hint(self, message: str) -> str:
        if message.startswith(_REQUIRED) and self.prog == "holdfast mirror":
            return "a mirror is named by where it begins; `holdfast sync` brings up to date what is kept here"
        if unknown := re.match(r"unrecognized arguments: (--?[^\s=]+)", message):
            flags = {flag.lstrip("-"): flag for action in self._actions for flag in action.option_strings}
            command = self.prog.removeprefix("holdfast ")
            if meant := jobs.name_tables.flag_meant(unknown[1], command, flags.values()):
                is_call = not meant.startswith("-") and meant != "last"
                return f"did you mean {f'`holdfast {meant}`' if is_call else meant}?"
        if unknown := re.search(r"invalid choice: '(.*)' \(choose from (.*)\)$", message):
            command = self.prog.removeprefix("holdfast ")
            if meant := jobs.name_tables.second_word_meant((command, unknown[1])):
                return meant
            if "--format" in message and unknown[1] == "json":
                return "did you mean --json?"
            guess = nearest(unknown[1], re.findall(r"'([^']*)'", unknown[2]), cutoff=0.6)
            if guess is not None:
                return f"did you mean {guess}?"
        return f"usage: {self.short_usage()}; `{self.prog} --help` explains"


def build_parser(command: str, *, common: bool = True) -> CommandParser:
    """The parser of one command: made of its row, or by its module; without what is `common` if asked."""
    part = _part(command)
    parser = _empty_parser(f"holdfast {command}", part.HELP)
    part.add_arguments(parser)
    if common:
        add_common(parser, command)
    parser.usage = parser.short_usage()
    parser.set_defaults(run=part.run)
    return parser


def common_parser() -> CommandParser:
    """The flags of all commands, without a command."""
    parser = _empty_parser("holdfast", None)
    add_common(parser)
    return parser


def split_call(words: list[str]) -> tuple[str, list[str]]:
    """A call's command, of two words where the first wants a second, and the rest. The flags of all commands
    that stand before the command or between its words come first in the rest.
    """
    before, rest = flags_first(words)
    if not rest:
        return "", before
    between, after = flags_first(rest[1:])
    two = " ".join((rest[0], *after[:1]))
    return (two, before + between + after[1:]) if after and two in COMMANDS else (rest[0], before + rest[1:])


def _empty_parser(name: str, about: str | None) -> CommandParser:
    return CommandParser(
        prog=name, description=about, add_help=False, allow_abbrev=False, formatter_class=_Formatter
    )


class _Formatter(argparse.HelpFormatter):
    """Help in the width of the terminal, and never wider than 100 columns; lists keep their lines."""

    def __init__(self, prog: str, width: int | None = None) -> None:
        super().__init__(prog, width=width or min(shutil.get_terminal_size().columns, MOST_COLUMNS))

    def _fill_text(self, text: str, width: int, indent: str) -> str:  # noqa: ARG002 - argparse gives it
        return "\n\n".join(_filled(paragraph, width) for paragraph in text.strip().split("\n\n"))


def keeps_lines(paragraph: str) -> bool:
    """Whether a paragraph of help is a list or an example, of which each line stays a line."""
    return any(line.startswith(" ") or "   " in line for line in paragraph.splitlines())


def _filled(paragraph: str, width: int) -> str:
    if not keeps_lines(paragraph):
        return textwrap.fill(paragraph, width, break_on_hyphens=False, break_long_words=False)
    entries: list[tuple[int, str]] = []
    for line in paragraph.splitlines():
        indent = len(line) - len(line.lstrip())
        if entries and entries[-1][0] == indent > len(entries[-1][1]) - len(entries[-1][1].lstrip()):
            entries[-1] = (indent, f"{entries[-1][1]} {line.strip()}")  # the explanation of an entry goes on
        else:
            gap = re.match(r" *\S.*?   +", line)
            entries.append((gap.end() if gap else indent, line))
    wrapped = partial(textwrap.fill, width=width, break_on_hyphens=False, break_long_words=False)
    return "\n".join(wrapped(text, subsequent_indent=" " * below) for below, text in entries)


def seconds_of(noun: str) -> dict[str, Command]:
    """The commands that begin with a noun, as `store backup`; none where it is no noun."""
    return {name: command for name, command in COMMANDS.items() if name.startswith(f"{noun} ")}


def _part(command: str) -> Any:
    """What has the help, the flags and the work of a command: its row, its module, or a part of one."""
    rows = import_module("holdfast.questions.rows.table")
    if command in rows.ROWS:
        made = import_module("holdfast.faces.cli.run_question")
        question = rows.question_named(command)
        add = partial(made.add_row, question=question)
        return CommandPart(made.help_of(question), add, partial(made.run, question))
    module = import_module(f"holdfast.faces.cli.{COMMANDS[command].module or command}")
    return getattr(module, "PARTS", {}).get(command, module)


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


def _answers_each_word(action: argparse.Action) -> bool:
    """Commands that take many URLs say what is wrong with each."""
    return not action.option_strings and action.nargs == "+"


def _unknown(word: str) -> str:
    return f"there is no flag {word}" if word.startswith("-") else f"{word} is one too many"


def _choice(flag: str, value: str, choices: str) -> str:
    return f"{_given(flag, value)}: expected {' or '.join(choices.replace(chr(39), '').rsplit(', ', 1))}"


def _number(flag: str, kind: str, value: str) -> str:
    return f"{_given(flag, value)}: expected {'a whole number' if kind == 'int' else 'a number'}"


def _given(flag: str, value: str) -> str:
    """What was given, as errors about settings say it; a place on the line has no name that people know."""
    return f"{flag.rpartition('/')[2]} = {value!r}" if flag.startswith("-") else repr(value)


MOST_COLUMNS: Final = 100
_REQUIRED: Final = "the following arguments are required: "
_PLAIN: Final[dict[str, Callable[..., str]]] = {
    r"unrecognized arguments: (\S+).*": _unknown,
    r"argument (\S+): invalid choice: '(.*)' \(choose from (.*)\)": _choice,
    r"argument (\S+): invalid (int|float) value: '(.*)'": _number,
    r"argument (\S+): expected (?:at least )?one argument": "{} needs a value".format,
    r"argument (\S+): ignored explicit argument .*": "{} takes no value".format,
    r"argument (\S+): not allowed with argument (\S+)": "{} and {} do not go together".format,
    r"one of the arguments (.+) is required": "one of {} is needed".format,
}
"""What argparse says, and what we say instead."""


class Command(NamedTuple):
    """One command: what it does, the extra of `pip install 'holdfast[…]'` that it needs (none: base), and
    what it is doing while it takes long (none: it is short, or has a progress of its own). `module` is the
    file that has it, where that is not called as it is.
    """

    sentence: str
    extra: str | None = None
    doing: str | None = None
    module: str = ""


class CommandPart(NamedTuple):
    """One of several commands of a file, under the names that a file of one command has."""

    HELP: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], ExitStatus]


_LEDGER: Final = "going through the ledger"
GROUPS: Final[dict[str, dict[str, Command]]] = {
    "mirror a site": {
        "mirror": Command("Mirror a site to a folder of Markdown.", "mirror", "looking for pages"),
        "sync": Command("Update the mirrors and checked documents in this folder.", "mirror"),
        "log": Command(
            "What was added, changed, removed: in a mirror, on a page.",
            "mirror",
            "comparing versions",
        ),
        "export": Command("Pages as JSON lines or Parquet, for search and models.", "mirror", "exporting"),
        "verify": Command("Check that all that is kept is undamaged; --repair.", "mirror"),
        "restore": Command("Write a mirror again, as it is or was.", "mirror"),
    },
    "check what you cite": {
        "check": Command(
            "Find dead and changed links in your documents; asks the web only with --fetch-urls.", "check"
        ),
        "broken": Command("Show the citations of dead URLs.", "check", "asking the ledger"),
        "changed": Command(
            "Show which cited URLs changed, and who cites them.", "check", "asking the ledger"
        ),
        "links": Command("Show what a document cites.", "check"),
        "backlinks": Command("Show who cites a URL, a host, or what matches a pattern.", "check"),
        "fix": Command(
            "Repair links in your documents; a diff until --write.",
            "check",
            "looking for repairs",
        ),
        "notify": Command(
            "Send notifications: show what is waiting, send it, send a trial.", "check", "telling"
        ),
        "lsp": Command("Serve editors: what is wrong with links, while you type.", "lsp"),
        "graph": Command("Write the graph of documents and cited URLs.", "check", "asking the ledger"),
    },
    "look at what is kept": {
        "status": Command("Show what is kept here, how fresh it is, and what to do next.", "mirror"),
        "search": Command("Find where something is said: sections, by their words.", "mirror", "searching"),
        "show": Command("A page as it was kept, now or at a moment.", "mirror", "reading the archive"),
        "diff": Command(
            "Show what changed in a page or a mirror between two moments.", "mirror", "comparing versions"
        ),
        "serve": Command("Look at all of it in a browser.", "serve"),
        "mcp": Command("Answer an agent's questions (Model Context Protocol).", "mcp"),
    },
    "identify URLs and pages": {
        "url canon": Command("Give URLs their canonical form and key.", module="canon"),
        "url path": Command("Give URLs the names they have on disk, and names their URLs.", module="path"),
        "url probe": Command("Ask for one URL and show what happened.", "mirror", module="probe"),
        "convert": Command("Turn one HTML file into Markdown, text or JSON.", "mirror", "converting"),
    },
    "more than one machine": {
        "cluster submit": Command(
            "Put named mirrors in the queue of a shared ledger.", "mirror", module="submit"
        ),
        "cluster worker": Command("Take mirrors from the queue, and make them.", "mirror", module="worker"),
        "cluster jobs": Command(
            "List the jobs of a shared ledger, and who has them.", "mirror", module="jobs"
        ),
        "cluster run": Command(
            "Run workers on a Dask cluster, or on this machine.", "mirror", module="cluster"
        ),
    },
    "keep it in order": {
        "forget": Command("Erase a page or host from all history, for ever.", "mirror", "forgetting"),
        "store prune": Command(
            "Delete archived responses that nothing needs.", "mirror", "writing the archive anew", "prune"
        ),
        "store reprocess": Command(
            "Go over a run with another policy or content rule, from the archive.",
            "mirror",
            None,
            "reprocess",
        ),
        "store backup": Command("Copy ledger and archive to a folder.", "mirror", _LEDGER, "store"),
        "store copy": Command("Copy a ledger to a server, or back.", "mirror", _LEDGER, "store"),
        "store join": Command("Bring a mirror's own history into its root's.", "mirror", _LEDGER, "store"),
        "store migrate": Command("Bring the ledger's schema up to date.", "mirror", _LEDGER, "store"),
        "store rebuild": Command("Make the ledger anew from the archive.", "mirror", _LEDGER, "store"),
        "store rekey": Command("Make the keys of URLs anew.", "mirror", _LEDGER, "store"),
        "store pack": Command(
            "Join the archive's small files into full ones.", "mirror", "reading the archive", "store"
        ),
        "store index": Command(
            "Print the archive's index for replay tools.", "mirror", "reading the archive", "store"
        ),
        "store import": Command("Take in archives that others made.", "mirror", "importing", "store"),
        "config": Command("Every setting and where it came from; trust, import."),
        "config import": Command(
            "Take over the settings of another link checker.", "check", "importing", "config_import"
        ),
        "help": Command(
            "Explain a word; --all lists store (backup, prune), notify, convert, mcp, lsp, cluster, "
            "completion."
        ),
        "completion": Command("Print the completion script of a shell."),
    },
}
"""The commands by the job they belong to, in the order in which help lists them."""

COMMANDS: Final[dict[str, Command]] = {
    name: command for group in GROUPS.values() for name, command in group.items()
}
"""Every command by name."""
