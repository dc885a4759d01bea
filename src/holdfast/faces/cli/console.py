"""Where words go: data to standard output, everything else to standard error, colour only on a terminal."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from typing import Any, TextIO

__all__ = [
    "harmless",
    "input_lines",
    "json_document",
    "json_line",
    "loggable",
    "note",
    "out",
    "printable",
    "style",
]

_USERINFO = re.compile(r"(?<=[/\\])[^/\\?#]*@")
_CONTROLS = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f]")
_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34"}


def out(text: str) -> None:
    """One line of data."""
    sys.stdout.write(text + "\n")


def json_line(value: dict[str, Any]) -> None:
    """One JSON object, on one line."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")


def json_document(name: str, value: dict[str, Any]) -> None:
    """One JSON document with its schema (STA-3), indented for people."""
    document = {"schema": f"holdfast.{name}/1", **value}
    sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")


def printable(text: str) -> str:
    """A text that can be written: bytes that were no UTF-8 come out as `\\xNN`."""
    return text.encode("utf-8", "backslashreplace").decode() if _has_surrogates(text) else text


def harmless(text: str) -> str:
    """A text of the web, fit for a terminal: control characters come out as `\\xNN`, so none is obeyed."""
    return _CONTROLS.sub(lambda match: f"\\x{ord(match[0]):02x}", printable(text))


def loggable(text: str) -> str:
    """A URL as typed, fit for a message: whatever looks like user and password is left out (SEC-3)."""
    return _USERINFO.sub("", printable(text))


def _has_surrogates(text: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in text)


def note(text: str) -> None:
    """Something for the person at the terminal."""
    print(text, file=sys.stderr, flush=True)


def style(text: str, *names: str, stream: TextIO | None = None) -> str:
    """Text in colour, if it goes to a terminal that wants it."""
    stream = stream or sys.stdout
    if not stream.isatty() or "NO_COLOR" in os.environ:
        return text
    return f"\033[{';'.join(_CODES[name] for name in names)}m{text}\033[0m"


def input_lines(arguments: list[str]) -> Iterator[str]:
    """The arguments; where one is `-`, the lines of standard input, as many as there are.

    Lines that are no UTF-8 keep their bytes as surrogates: they are answered (refused), not lost.
    """
    for argument in arguments:
        if argument != "-":
            yield argument
            continue
        for line in sys.stdin.buffer:
            yield line.rstrip(b"\r\n").decode("utf-8", "surrogateescape")
