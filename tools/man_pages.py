"""Man pages, one a command and one for the whole, made of the parsers (roff, section 1)."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator
from functools import partial

from holdfast import __version__
from holdfast.core.base.errors import ExitStatus
from holdfast.faces.cli.parser import (
    COMMANDS,
    GROUPS,
    CommandParser,
    build_parser,
    common_parser,
    keeps_lines,
)

MADE = '.\\" Made by `make docs`. Do not edit: change the parsers it is made of.'
MEANINGS = {
    ExitStatus.SUCCESS: "success",
    ExitStatus.FINDINGS: "findings: dead links, refused URLs, differences, failed pages",
    ExitStatus.USAGE: "the call or a settings file is wrong",
    ExitStatus.FAILED: "it was tried and did not work",
    ExitStatus.REFUSED: "refused: the store is locked, versions differ, consent is missing",
    ExitStatus.NO_SPACE: "no space on the disk",
    ExitStatus.INTERRUPTED: "interrupted",
}


def man_pages() -> dict[str, Callable[[], str]]:
    """What makes each page, by the path it has in the repository."""
    pages: dict[str, Callable[[], str]] = {"docs/man/holdfast.1": lambda: _page(_whole())}
    for name in COMMANDS:
        pages[f"docs/man/holdfast-{name.replace(' ', '-')}.1"] = partial(_page_of, name)
    return pages


def _page_of(command: str) -> str:
    return _page(_command(command))


def _page(lines: Iterator[str]) -> str:
    return "\n".join(lines) + "\n"


def _whole() -> Iterator[str]:
    yield from _head("holdfast", "a fixed identity for web content")
    yield from (".SH SYNOPSIS", ".B holdfast", ".I COMMAND", "[ARGUMENTS]", ".SH DESCRIPTION")
    yield "Holdfast mirrors sites to Markdown, keeps every version of every page with its lineage, and tells"
    yield "which of your documents cite a page that changed or died."
    for group, commands in GROUPS.items():
        yield f".SS {_text(group.capitalize())}"
        for name, command in commands.items():
            yield from (".TP", f".BR holdfast-{_text(name.replace(' ', '-'))} (1)", _text(command.sentence))
    yield from (".SH OPTIONS", "Every command takes these, before or after it.")
    yield from _options(common_parser())
    yield from _exits()


def _command(name: str) -> Iterator[str]:
    parser = build_parser(name, common=False)
    yield from _head(f"holdfast-{name.replace(' ', '-')}", COMMANDS[name].sentence.rstrip("."))
    yield from (".SH SYNOPSIS", _text(parser.short_usage()), ".SH DESCRIPTION")
    for paragraph in (parser.description or "").strip().split("\n\n"):
        yield ".PP"
        yield f".nf\n{_text(paragraph)}\n.fi" if keeps_lines(paragraph) else _text(paragraph)
    yield ".SH OPTIONS"
    yield from _options(parser)
    yield from (".PP", "The flags of all commands stand in", ".BR holdfast (1).")
    yield from _exits()
    yield from (".SH SEE ALSO", ".BR holdfast (1)")


def _options(parser: CommandParser) -> Iterator[str]:
    for action in parser.actions():
        yield from (".TP", _call(action), _text(_explained(action)))


def _head(name: str, sentence: str) -> tuple[str, ...]:
    title = f'.TH {name.upper()} 1 "" "holdfast {__version__}" "Holdfast"'
    return (MADE, title, ".SH NAME", f"{_text(name)} \\- {_text(sentence)}")


def _exits() -> Iterator[str]:
    yield ".SH EXIT STATUS"
    for status, meaning in MEANINGS.items():
        yield from (".TP", f".B {status.value}", _text(meaning))


def _call(action: argparse.Action) -> str:
    """How an argument or a flag is written, with its value."""
    if not action.option_strings:
        return f".I {_text(action.metavar if isinstance(action.metavar, str) else action.dest)}"
    flags = ", ".join(f"\\fB{_text(flag)}\\fR" for flag in action.option_strings)
    if action.nargs == 0 or isinstance(action, argparse.BooleanOptionalAction):
        return flags
    value = "|".join(map(str, action.choices)) if action.choices else str(action.metavar or action.dest)
    return f"{flags} \\fI{_text(value)}\\fR"


def _explained(action: argparse.Action) -> str:
    words = re.sub(r"\s+", " ", (action.help or "").replace("%%", "%"))
    return words or " or ".join(map(str, action.choices or ())) or "see above"


def _text(text: str) -> str:
    """A text as roff reads it: its own signs escaped, no line that would be a request."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga").replace("…", "...")
    return "\n".join(f"\\&{line}" if line.startswith((".", "'")) else line for line in escaped.splitlines())
