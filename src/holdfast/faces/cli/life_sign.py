"""A sign of life for commands that have no progress of their own.

1. Work that is over within two seconds shows nothing.
2. On a terminal one line says what is being done and for how long; it goes when something is said, and at
   the end. Elsewhere a line is written after ten seconds, and again whenever half that time more has passed.
3. Where the person is asked something, it ends: whoever thinks is not to be hurried.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Final, TextIO

from holdfast.core.figures import duration
from holdfast.faces.cli.terminal import own, put

__all__ = ["LifeSign", "end_life_sign", "hide_life_sign", "life_sign", "say_life_sign"]

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
