"""Rows in order, however many: what does not fit into a few megabytes is sorted in parts, which lie in an
unnamed file and are merged whenever the rows are read.
"""

from __future__ import annotations

import heapq
import os
import tempfile
import weakref
from collections.abc import Iterator
from struct import Struct
from typing import Final

_BLOCK: Final = 1 << 16
_ROW: Final = 64
"""What Python needs for a row besides its bytes, roughly."""
_LENGTH: Final = Struct("<I")


class RowsOnDisk:
    """The `Rows` port; about `held` bytes of the rows are in memory at a time."""

    held = 8 << 20

    def __init__(self) -> None:
        self._some: list[bytes] = []
        self._size = 0
        self._parts: list[tuple[int, int]] = []
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed when nobody has the rows any more
        weakref.finalize(self, self._file.close)

    def add(self, row: bytes) -> None:
        """Put a row in."""
        self._some.append(row)
        self._size += len(row) + _ROW
        if self._size >= self.held:
            self._write_part()

    def __iter__(self) -> Iterator[bytes]:
        """The rows in the order of their bytes, as often as they are asked for."""
        parts = (_part(self._file.fileno(), *part) for part in self._parts)
        yield from heapq.merge(sorted(self._some), *parts)

    def _write_part(self) -> None:
        begin = self._file.seek(0, os.SEEK_END)
        self._file.writelines(_LENGTH.pack(len(row)) + row for row in sorted(self._some))
        self._file.flush()
        self._parts.append((begin, self._file.tell()))
        self._some, self._size = [], 0


def _part(handle: int, at: int, end: int) -> Iterator[bytes]:
    """The rows of one part, read a block at a time."""
    data = b""
    while data or at < end:
        wanted = _BLOCK
        if len(data) >= _LENGTH.size:
            wanted = max(_LENGTH.unpack_from(data)[0] + _LENGTH.size - len(data), _BLOCK)
        data += os.pread(handle, min(wanted, end - at), at)
        at = min(at + wanted, end)
        first = 0
        while len(data) - first >= _LENGTH.size:
            after = first + _LENGTH.size + _LENGTH.unpack_from(data, first)[0]
            if after > len(data):
                break
            yield data[first + _LENGTH.size : after]
            first = after
        data = data[first:]
