"""Where words go: data to standard output, everything else to standard error, colour only on a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, TextIO, cast

from holdfast.core.shown_text import harmless, harmless_json, loggable, printable, without_userinfo
from holdfast.faces.cli.life_sign import hide_life_sign
from holdfast.faces.cli.terminal import Terminal, for_terminal, own, put

if TYPE_CHECKING:
    from io import BufferedReader

__all__ = [
    "answer",
    "harmless",
    "input_groups",
    "input_lines",
    "loggable",
    "note",
    "notes",
    "out",
    "out_ascii",
    "out_content",
    "out_lines",
    "printable",
    "style",
]

_AT_ONCE = 1 << 18
_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34"}


def out(text: str) -> None:
    """A line of an answer, fit for a terminal wherever it goes (SEC-7)."""
    hide_life_sign()
    sys.stdout.write((text if isinstance(sys.stdout, Terminal) else for_terminal(text)) + "\n")


def out_lines(lines: Iterable[str]) -> None:
    """Lines of an answer."""
    for line in lines:
        out(line)


def out_ascii(lines: list[str]) -> None:
    """Lines of an answer that hold printable ASCII alone, as canonical URLs do: all at once."""
    if lines:
        hide_life_sign()
        sys.stdout.write("\n".join(lines) + "\n")


def out_content(text: str) -> None:
    """What a page or a document says, as it is; a terminal gets what is harmless of it."""
    hide_life_sign()
    put(sys.stdout, text + "\n")


def answer(name: str, value: object, *, on_one_line: bool = False) -> None:
    """A value as JSON of the schema of that name (STA-3): a document, indented for people, or a line."""
    from holdfast.formats.schemas.catalogue import schema_of  # noqa: PLC0415 # lazy: only who asks for JSON

    hide_life_sign()
    text = schema_of(name).text(value, on_one_line=on_one_line)
    sys.stdout.write(harmless_json(text) + "\n")


def note(text: str) -> None:
    """Something for the person at the terminal; no password of an address is in it (SEC-3)."""
    hide_life_sign()
    text = without_userinfo(text)
    shown = text if isinstance(sys.stderr, Terminal) else for_terminal(text)
    print(shown, file=sys.stderr, flush=True)


def notes(lines: Iterable[str]) -> None:
    """Lines for the person at the terminal."""
    for line in lines:
        note(line)


def style(text: str, *names: str, stream: TextIO | None = None) -> str:
    """Text in colour, if it goes to a terminal that wants it."""
    stream = stream or sys.stdout
    if not stream.isatty() or "NO_COLOR" in os.environ:
        return text
    codes = ";".join(_CODES[name] for name in names)
    return own(f"\033[{codes}m") + text + own("\033[0m")


def input_lines(arguments: list[str]) -> Iterator[str]:
    """The arguments; where one is `-`, the lines of standard input, as many as there are.

    Lines that are not UTF-8 keep their bytes as surrogates: they are answered (refused), not lost.
    """
    return chain.from_iterable(input_groups(arguments))


def input_groups(arguments: list[str]) -> Iterator[list[str]]:
    """The same in groups: as many lines as are there to be read at once."""
    for argument in arguments:
        if argument != "-":
            yield [argument]
            continue
        stdin, begun = cast("BufferedReader", sys.stdin.buffer), list[bytes]()
        while data := stdin.read1(_AT_ONCE):
            lines, newline, last = data.rpartition(b"\n")
            if newline:
                yield _split(b"".join([*begun, lines]))
                begun = [last]
            else:
                begun.append(data)
        if rest := b"".join(begun):
            yield _split(rest)


def _split(data: bytes) -> list[str]:
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    return [line.rstrip("\r") for line in lines] if b"\r" in data else lines
