"""What a link's state rests on, as the ledger keeps it and reports show it: no secrets, no bodies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

__all__ = ["NO_EVIDENCE", "KeptEvidence"]


class KeptEvidence(NamedTuple):
    """The rule that decided, and what it saw; `unread`: the page answered and nobody read it.
    A hop is a URL, its status, and where it pointed.
    """

    rule: str = ""
    status: int | None = None
    hops: tuple[tuple[str, int, str], ...] = ()
    header: str = ""
    detail: str = ""
    unread: bool = False

    def table(self) -> dict[str, Any]:
        """What is there, by name."""
        return {name: value for name, value in zip(self._fields, self, strict=True) if value}

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> KeptEvidence:
        """Read what `table` made."""
        known = {name: table[name] for name in cls._fields if name in table}
        return cls(**{**known, "hops": tuple(map(tuple, table.get("hops", ())))})


NO_EVIDENCE: Final = KeptEvidence()
