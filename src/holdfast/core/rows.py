"""Rows that come in any order and are read in that of their bytes: what is about all pages of a mirror is
sorted so, on disk where they are many (`adapters.folder.sorting`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

__all__ = ["Rows", "RowsInMemory"]


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
