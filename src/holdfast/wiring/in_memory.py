"""What only looks leaves nothing behind: where there is no ledger yet, it works with an empty one."""

from __future__ import annotations

from holdfast.adapters.keeper import StoreKeeper
from holdfast.adapters.memory.archive import MemoryArchive
from holdfast.adapters.memory.ledger import MemoryLedger

__all__ = ["empty_keeper"]


def empty_keeper() -> StoreKeeper:
    """Of a ledger and an archive that hold nothing, and are gone with the process."""
    return StoreKeeper(MemoryLedger(), MemoryArchive())
