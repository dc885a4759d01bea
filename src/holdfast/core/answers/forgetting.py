"""What was taken out of ledger and archive, and what is left."""

from __future__ import annotations

from holdfast.core.ledger import Purged
from holdfast.core.place import Place
from holdfast.core.values import dataclass

__all__ = ["Collected", "Forgotten", "Packed", "Repaired"]


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten, the files that mirrors had of it: (label, path), and how many records among the
    orphans.
    """

    places: tuple[Place, ...]
    purged: Purged
    files: tuple[tuple[str, str], ...]
    orphans: int = 0


@dataclass(frozen=True, slots=True)
class Collected:
    """What was dropped; `freed` are the archive's bytes."""

    purged: Purged
    freed: int


@dataclass(frozen=True, slots=True)
class Packed:
    """How many files an archive had and has, how many captures they hold, and how many could not be read."""

    before: int
    after: int
    kept: int
    lost: int


@dataclass(frozen=True, slots=True)
class Repaired:
    """How many captures an archive still has, how many it lost, and of which addresses."""

    kept: int
    lost: int
    urls: tuple[str, ...]
