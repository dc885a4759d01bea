"""Lines of a file that comes in pieces, however long it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

__all__ = ["lines_of"]


def lines_of(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Each line with the newline that ends it; the last one may have none."""
    rest = b""
    for piece in pieces:
        first, newline, more = piece.partition(b"\n")
        if not newline:
            rest += piece
            continue
        yield rest + first + newline
        *lines, rest = more.split(b"\n")
        for line in lines:
            yield line + b"\n"
    if rest:
        yield rest
