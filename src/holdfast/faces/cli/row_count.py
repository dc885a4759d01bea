"""How many rows of a long copy are done: one line on a terminal, wiped at the end; elsewhere nothing."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Final, Self

from holdfast.faces.cli.terminal import own, put

__all__ = ["RowCount"]

_EVERY: Final = 0.1
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
        if self._is_terminal and (now := time.monotonic()) - self._last >= _EVERY:
            self._last = now
            put(sys.stderr, f"{_WIPE}{rows:,} rows, {table}")
            sys.stderr.flush()
