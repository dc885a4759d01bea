"""How far a run is, on a terminal: a bar, what was asked last, and how long the rest will take."""

from __future__ import annotations

import shutil
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from holdfast.faces.cli.terminal import own, put

if TYPE_CHECKING:
    from holdfast.ports import Event

__all__ = ["TrackProgress"]

_WIDTH = 24
_EVERY = 0.1


class TrackProgress:
    """An `Observer` that draws one line on standard error and wipes it at the end; silent off a terminal."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._started = time.monotonic()
        self._last = 0.0
        self._drawn = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._drawn:
            put(sys.stderr, own("\r\033[K"))
            sys.stderr.flush()

    def notice(self, event: Event) -> None:
        """Draw, at most ten times a second."""
        if not self._shown or event.name != "answered":
            return
        facts = dict(event.facts)
        done, total = int(str(facts["done"])), int(str(facts["total"]))
        now = time.monotonic()
        if done == 1:
            self._started = now
        if done < total and now - self._last < _EVERY:
            return
        self._last = now
        left = (now - self._started) / done * (total - done)
        filled = _WIDTH * done // total
        line = f"[{'#' * filled}{'.' * (_WIDTH - filled)}] {done}/{total}  {left:.0f} s left  {facts['url']}"
        put(sys.stderr, own("\r\033[K") + line[: shutil.get_terminal_size().columns - 1])
        sys.stderr.flush()
        self._drawn = True
