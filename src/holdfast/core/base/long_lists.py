"""Very many rows, lines or texts in little memory.

1. Rows come in any order and are read in that of their bytes: what is about all pages of a mirror is
   sorted so, on disk where they are many (`adapters/folder/sorted_rows`).
2. A file that comes in pieces is read by lines, however long it is.
3. `Fingerprints` say of a text whether it is there, in 8 bytes, not 130. It counts as there when its hash
   is. The hash has 64 bits and another key in each process (Python's own, SipHash), so nobody can choose
   texts that collide; among a million one that is not there is taken for one that is once in 10^13
   questions.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from typing import Final, Protocol


class Rows(Protocol):
    """Rows to be read in the order of their bytes, however many they are."""

    def add(self, row: bytes) -> None:
        """Put a row in."""
        ...

    def __iter__(self) -> Iterator[bytes]:
        """The rows in order, as often as they are asked for."""
        ...


class RowsInMemory:
    """Rows that are held."""

    def __init__(self) -> None:
        self._rows: list[bytes] = []

    def add(self, row: bytes) -> None:
        """Put a row in."""
        self._rows.append(row)

    def __iter__(self) -> Iterator[bytes]:
        """The rows in order."""
        return iter(sorted(self._rows))


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


_FIRST: Final = 1 << 10
_MASK: Final = (1 << 64) - 1


class Fingerprints:
    """A set of texts that can be asked for its members, not for a list of them."""

    __slots__ = ("_count", "_slots")

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._slots = _empty(_FIRST)
        self._count = 0
        for text in texts:
            self.add(text)

    def __contains__(self, text: str) -> bool:
        if not self._count:
            return False
        mark = hash(text) & _MASK or 1
        return self._slots[_slot(self._slots, mark)] == mark

    def __len__(self) -> int:
        return self._count

    def add(self, text: str) -> None:
        """Put a text in."""
        mark = hash(text) & _MASK or 1
        at = _slot(self._slots, mark)
        if self._slots[at] == mark:
            return
        self._slots[at] = mark
        self._count += 1
        if 2 * self._count > len(self._slots):
            self._grow()

    def _grow(self) -> None:
        slots = _empty(2 * len(self._slots))
        for mark in self._slots:
            if mark:
                slots[_slot(slots, mark)] = mark
        self._slots = slots


def _empty(size: int) -> array[int]:
    return array("Q", bytes(8 * size))


def _slot(slots: array[int], mark: int) -> int:
    """Where a mark is, or would be: the first slot from its own on that has it or is free."""
    last = len(slots) - 1
    at = mark & last
    while (there := slots[at]) and there != mark:
        at = (at + 1) & last
    return at
