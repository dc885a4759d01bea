"""What a person reads first: the screen of `holdfast --help`, the list of all commands, the short `-h`.

1. The screen is a table of names. A command stands on it once it exists, with the sentence that it has
   everywhere.
2. `-h` is a call, what the command does, what is most used of its flags, and an example.
"""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Final

from holdfast.faces.cli.common_flags import ALL_COMMANDS
from holdfast.faces.cli.parser import COMMANDS, GROUPS, CommandParser, common_parser, seconds_of

COLUMNS: Final = 80
LINES: Final = 40

NOUNS: Final = {
    "url": "Canonical form, key and file name of URLs.",
    "store": "Keep what is kept in order: back up, prune, move, make anew.",
    "cluster": "Share mirrors among machines: a queue, and who works on it.",
}
"""What a first word is about that wants a second one."""

_SCREEN: Final = {
    "keep": "mirror check sync",
    "look (from memory: nothing is asked)": "status log diff show search links",
    "act": "fix export restore verify forget",
    "more": "serve url config help",
}
"""The commands on the screen, by group."""

_HEAD: Final = """\
Holdfast keeps the web pages that you rely on: whole sites as Markdown,
every version of every page, and which of your documents cite a page that
changed or died.

usage: holdfast COMMAND [TARGET] [FLAGS]          holdfast COMMAND -h
"""
_FOOT: Final = """
TARGET: a URL, a mirror's folder, a document, a host. MOMENT (--at,
--since): 2026-05-04, 7d, yesterday, last (run), v2 (of a page).
"""
_NARROW: Final = 74
"""Columns of the sentences on the screen."""


def first_screen(sentences: Mapping[str, str]) -> str:
    """The screen of commands with these sentences."""
    there = dict(NOUNS) | dict(sentences)
    lines = _HEAD.splitlines()
    for group, names in _SCREEN.items():
        lines += ["", group]
        for name in names.split():
            lines += _line(name, there[name], 10, _NARROW) if name in there else ()
    lines += [*_FOOT.splitlines(), ""]
    return "\n".join([*lines, *(f"  holdfast {EXAMPLES[name]}" for name in ("mirror", "diff", "check"))])


def today_screen() -> str:
    """The screen of the commands that there are."""
    return first_screen({name: command.sentence for name, command in COMMANDS.items()})


def all_help() -> str:
    """Every command in its group, and the flags that all of them take."""
    lines = ["usage: holdfast COMMAND [TARGET] [FLAGS]"]
    for group, commands in GROUPS.items():
        lines += ["", f"{group}:", *_listed({name: one.sentence for name, one in commands.items()})]
    return "\n".join([*lines, "", common_help(), "", _ASIDE])


def common_help() -> str:
    """The flags of all commands."""
    whole = common_parser().format_help()
    return whole[whole.index(f"{ALL_COMMANDS}:") :].rstrip()


_ASIDE: Final = """\
`holdfast help WORD` explains a command, a setting or a code of a report.
`holdfast --version --verbose` says what is installed."""


def noun_help(noun: str) -> str:
    """The second words of a noun."""
    seconds = {name: one.sentence for name, one in seconds_of(noun).items()}
    lines = [f"usage: holdfast {noun} COMMAND [TARGET] [FLAGS]", "", NOUNS[noun], "", *_listed(seconds)]
    return "\n".join([*lines, "", f"`holdfast {noun} COMMAND -h` explains."])


def short_help(parser: CommandParser) -> str:
    """What `-h` says: as many of the most used flags as find room."""
    command = parser.prog.removeprefix("holdfast ")
    head = [f"usage: {parser.short_usage()}", "", *_wrapped(COMMANDS[command].sentence, COLUMNS)]
    foot = ["", f"  holdfast {EXAMPLES[command]}", "", f"`{parser.prog} --help` has all."]
    used = _most_used(parser)
    while len(lines := _arguments(parser, used)) > LINES - len(head) - len(foot):
        used = used[:-1]
    return "\n".join([*head, *lines, *foot])


_MOST_USED: Final = 12


def _most_used(parser: CommandParser) -> list[argparse.Action]:
    """What it is about, then the flags that its help calls common, else the first ones."""
    named = {group.title: group._group_actions for group in parser._action_groups}  # noqa: SLF001 - argparse has no other way
    places = [action for action in parser.actions() if not action.option_strings]
    flags = [action for action in named["options"] if action.option_strings]
    return [*places, *(*flags, *named.get("common flags", ()))[:_MOST_USED]]


def _arguments(parser: CommandParser, actions: Iterable[argparse.Action]) -> list[str]:
    formatter = parser.formatter_class(prog=parser.prog, width=COLUMNS)  # type: ignore[call-arg] # it takes a width
    formatter.start_section(None)
    formatter.add_arguments(actions)
    formatter.end_section()
    text = formatter.format_help().rstrip("\n")
    return ["", *text.splitlines()] if text else []


def _listed(sentences: Mapping[str, str]) -> list[str]:
    width = max(map(len, COMMANDS)) + 2
    return [line for name, sentence in sentences.items() for line in _line(name, sentence, width, COLUMNS)]


def _line(name: str, sentence: str, width: int, columns: int) -> list[str]:
    """A name and what it does, on as many lines as it takes."""
    return _wrapped(f"  {name:<{width}}{sentence}", columns, subsequent_indent=" " * (width + 2))


_wrapped: Final = partial(textwrap.wrap, break_on_hyphens=False, break_long_words=False)


EXAMPLES: Final = {
    "mirror": "mirror https://docs.example.com/ -o docs",
    "export": "export docs --unit page > pages.jsonl",
    "verify": "verify docs",
    "restore": "restore docs --at 2026-05-04 -o old",
    "check": "check notes --fetch-urls",
    "broken": "broken notes",
    "changed": "changed notes --since 2026-05-04",
    "links": "links notes/plan.md",
    "backlinks": "backlinks docs.example.com",
    "fix": "fix notes --only redirect",
    "watch": "watch notes --once",
    "notify": "notify list",
    "lsp": "lsp --stdio",
    "graph": "graph notes --format graphml > cited.graphml",
    "search": 'search "rate limit" --limit 20',
    "show": "show https://docs.example.com/a --at 2026-05-04",
    "diff": "diff docs --since 7d",
    "serve": "serve docs --port 8080",
    "mcp": "mcp docs",
    "url canon": "url canon https://docs.example.com/a?utm_source=x",
    "url path": "url path https://docs.example.com/a",
    "url probe": "url probe https://docs.example.com/a",
    "convert": "convert page.html --base-url https://docs.example.com/",
    "cluster submit": "cluster submit docs",
    "cluster worker": "cluster worker --workers 4 --drain",
    "cluster jobs": "cluster jobs",
    "cluster run": "cluster run --workers 8 --drain",
    "forget": "forget https://docs.example.com/a",
    "archive": "archive check",
    "db": "db check",
    "store prune": "store prune docs --orphans",
    "store reprocess": "store reprocess 4b908582 --policy docs",
    "store backup": "store backup ../copy",
    "store copy": "store copy docs postgresql://me@db.example/holdfast",
    "store join": "store join docs",
    "store migrate": "store migrate",
    "store rebuild": "store rebuild",
    "store rekey": "store rekey web@2",
    "store pack": "store pack",
    "store index": "store index > docs.cdxj",
    "store import": "store import crawl-2019.warc.gz",
    "config": "config --store docs",
    "config import": "config import lychee.toml > holdfast.toml",
    "help": "help max_pages",
    "completion": "completion bash",
    "log": "log docs --since 7d",
    "status": "status",
    "sync": "sync docs",
}
"""One call of each command, without `holdfast`; `status` and `sync` are not there yet."""
