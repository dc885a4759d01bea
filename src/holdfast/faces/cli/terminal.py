"""The one writer for a terminal: no control character of the outside reaches it (SEC-7).

Whatever is written to standard output or standard error while that is a terminal goes through here.
Control, C1 and bidirectional characters come out as `\\xNN` or `\\uNNNN`; what Holdfast itself wants to tell
the terminal (a colour, an emptied line) is marked with a word that nobody outside can know. Where the output
is not a terminal it is data, and stays as it is.
"""

from __future__ import annotations

import io
import os
import re
from typing import Final, TextIO

from holdfast.core.shown_text import harmless_lines

__all__ = ["Terminal", "for_terminal", "own", "put"]

_WORD: Final = os.urandom(8).hex()
_OWN: Final = re.compile(f"\0{_WORD}([^\0]*)\0")


def own(sequence: str) -> str:
    """A control sequence of our own, as it may be part of a text that is written."""
    return f"\0{_WORD}{sequence}\0"


def for_terminal(text: str) -> str:
    """A text as a terminal may get it: our own sequences stay, those of others are shown."""
    pieces = _OWN.split(text)
    return "".join(piece if number % 2 else harmless_lines(piece) for number, piece in enumerate(pieces))


def put(stream: TextIO, text: str) -> None:
    """Write a text that may have sequences of our own in it."""
    stream.write(text if isinstance(stream, Terminal) or not stream.isatty() else for_terminal(text))


class Terminal(io.TextIOWrapper):
    """A text stream that ends at a terminal."""

    def write(self, text: str, /) -> int:
        """Write what is harmless of a text."""
        super().write(for_terminal(text))
        return len(text)
