"""Standard output that takes all of it.

Python's own drops what one write does not take when it is unbuffered (PYTHONUNBUFFERED), and gives up where
the pipe is non-blocking, which somebody who shares it may have made it. Either would cut data short; the
first even with exit status 0.
"""

from __future__ import annotations

import io
import os
import select
import sys
from typing import TYPE_CHECKING

from holdfast.faces.cli.terminal import Terminal

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["use_whole_output"]


class _Whole(io.RawIOBase):
    """A handle that is written to until everything is there; it stays the system's to close."""

    def __init__(self, handle: int) -> None:
        super().__init__()
        self._handle = handle

    def fileno(self) -> int:
        return self._handle

    def isatty(self) -> bool:
        return os.isatty(self._handle)

    def writable(self) -> bool:
        return True

    def write(self, data: ReadableBuffer, /) -> int:
        left = memoryview(data).cast("B")
        size = len(left)
        while left:
            try:
                left = left[os.write(self._handle, left) :]
            except BlockingIOError:
                select.select([], [self._handle], [])
        return size


def use_whole_output() -> None:
    """Put it in the place of `sys.stdout`, unless that is somebody's own; terminals get what is harmless."""
    there, errors = sys.stdout, sys.stderr
    if there is sys.__stdout__ and isinstance(there, io.TextIOWrapper):
        sys.stdout = _whole(there)
    if errors is sys.__stderr__ and isinstance(errors, io.TextIOWrapper) and errors.isatty():
        sys.stderr = _whole(errors)


def _whole(there: io.TextIOWrapper) -> io.TextIOWrapper:
    raw = _Whole(there.fileno())
    kind = Terminal if raw.isatty() else io.TextIOWrapper
    buffer = raw if there.write_through else io.BufferedWriter(raw)
    return kind(
        buffer,  # type: ignore[arg-type] # an unbuffered stream has none, and its methods all the same
        encoding=there.encoding,
        errors=there.errors,
        line_buffering=there.line_buffering,
        write_through=there.write_through,
    )
