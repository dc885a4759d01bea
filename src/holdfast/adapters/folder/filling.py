"""Bytes into an open file: all of them, in few calls."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

__all__ = ["BLOCK", "fill", "write_whole"]

BLOCK = 1 << 16


def fill(handle: int, content: bytes | Iterable[bytes], time: float | None) -> None:
    """Write a file's content, and when it was last modified, if that is known."""
    for block in (content,) if isinstance(content, bytes) else _blocks(content):
        write_whole(handle, block)
    if time is not None:
        os.utime(handle, (time, time))


def _blocks(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in pieces that are worth a call."""
    gathered = bytearray()
    for piece in pieces:
        gathered += piece
        if len(gathered) >= BLOCK:
            yield bytes(gathered)
            gathered.clear()
    yield bytes(gathered)


def write_whole(handle: int, data: bytes) -> None:
    """Write until nothing is left."""
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]
