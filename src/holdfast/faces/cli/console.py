r"""Where words go: data to standard output, everything else to standard error, colour only on a terminal.

1. No control character of the outside reaches a terminal (SEC-7). Whatever is written to standard output or
   standard error while that is a terminal goes through here. Control, C1 and bidirectional characters come
   out as `\xNN` or `\uNNNN`; what Holdfast itself wants to tell the terminal (a colour, an emptied line) is
   marked with a word that nobody outside can know. Where the output is not a terminal it is data, and stays
   as it is.
2. A command that has no progress of its own gives a sign of life. Work that is over within two seconds
   shows nothing.
3. On a terminal the sign is one line that says what is being done and for how long; it goes when something
   is said, and at the end. Elsewhere a line is written after ten seconds, and again whenever half that time
   more has passed.
4. Where the person is asked something, the sign ends: whoever thinks is not to be hurried.
5. How many rows of a long copy are done is one line on a terminal, wiped at the end; elsewhere nothing.
"""

from __future__ import annotations

import io
import os
import re
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self, TextIO, cast

from holdfast.core.base.figures import duration
from holdfast.core.base.shown_text import harmless_json, harmless_lines, without_userinfo

if TYPE_CHECKING:
    from io import BufferedReader


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
    from holdfast.questions.rows.table import schema_of  # noqa: PLC0415 # lazy: only who asks for JSON

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


_COLOUR: Final = ContextVar("colour", default="auto")


@contextmanager
def coloured(when: str) -> Iterator[None]:
    """Have colours as `--color` says, meanwhile: auto, always, never."""
    before = _COLOUR.set(when)
    try:
        yield
    finally:
        _COLOUR.reset(before)


def style(text: str, *names: str, stream: TextIO | None = None) -> str:
    """Text in colour, if the person wants it, or it goes to a terminal that does."""
    when = _COLOUR.get()
    is_plain = not (stream or sys.stdout).isatty() or "NO_COLOR" in os.environ
    if when == "never" or (when == "auto" and is_plain):
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


_EVERY: Final = 0.5
_SHORT: Final = 2.0
_FIRST_LINE: Final = 10.0
_CLEAR: Final = own("\r\033[K")


class LifeSign:
    """What is being done, said again as time passes; `beat` is told how long it has taken."""

    def __init__(self, doing: str, stream: TextIO) -> None:
        self._doing = doing
        self._stream = stream
        self._next_line = _FIRST_LINE
        self._lock = threading.Lock()
        self._drawn = False
        self._ended = False

    def beat(self, elapsed: float) -> None:
        """Say it, where it is time."""
        with self._lock:
            if self._ended:
                return
            if self._stream.isatty():
                if elapsed >= _SHORT:
                    put(self._stream, f"{_CLEAR}{self._doing}, {duration(elapsed)}")
                    self._stream.flush()
                    self._drawn = True
            elif elapsed >= self._next_line:
                self._next_line = elapsed * 1.5
                put(self._stream, f"{self._doing}, {duration(elapsed)}\n")
                self._stream.flush()

    def say(self, doing: str) -> None:
        """What is being done now."""
        self._doing = doing

    def hide(self) -> None:
        """Make room for something else."""
        with self._lock:
            if self._drawn:
                put(self._stream, _CLEAR)
                self._stream.flush()
                self._drawn = False

    def end(self) -> None:
        """Show nothing any more."""
        self.hide()
        self._ended = True


_current: list[LifeSign] = []


def say_life_sign(doing: str) -> None:
    """Say from now on that this is being done."""
    for shown in _current:
        shown.say(doing)


def hide_life_sign() -> None:
    """Make room for something else, where a sign of life is shown."""
    for shown in _current:
        shown.hide()


def end_life_sign() -> None:
    """Show no further sign of life in this command."""
    for shown in _current:
        shown.end()


@contextmanager
def life_sign(doing: str | None, stream: TextIO | None = None) -> Iterator[None]:
    """Show that something is being done while the block runs; nothing is shown where nothing is named."""
    if doing is None:
        yield
        return
    shown = LifeSign(doing, stream or sys.stderr)
    over = threading.Event()
    began = monotonic()

    def run() -> None:
        while not over.wait(_EVERY):
            shown.beat(monotonic() - began)

    thread = threading.Thread(target=run, name="life-sign", daemon=True)
    _current.append(shown)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        shown.hide()
        _current.remove(shown)


_EVERY_ROWS: Final = 0.1
_WIPE: Final = own("\r\033[K")


class RowCount:
    """A line on standard error."""

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._last = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._last:
            put(sys.stderr, _WIPE)
            sys.stderr.flush()

    def seen(self, table: str, rows: int) -> None:
        """Draw, at most ten times a second."""
        if self._is_terminal and (now := time.monotonic()) - self._last >= _EVERY_ROWS:
            self._last = now
            put(sys.stderr, f"{_WIPE}{rows:,} rows, {table}")
            sys.stderr.flush()
