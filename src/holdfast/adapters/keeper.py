"""The one owner of ledger and archive where no event loop runs: it needs no thread, and no socket (TRK-1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from holdfast.ports import Archive, Ledger

__all__ = ["StoreKeeper"]

T = TypeVar("T")


class StoreKeeper:
    """The `Keeper` port, for real."""

    def __init__(self, ledger: Ledger, archive: Archive) -> None:
        self._ledger, self._archive = ledger, archive

    def now(self, question: Callable[[Ledger, Archive], T]) -> T:
        """Put a question, or carry out a step."""
        return question(self._ledger, self._archive)
