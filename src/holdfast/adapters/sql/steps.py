"""The schema's numbered steps (`schema/NNNN_name.sql`): each is known by number, name and SHA-256 of its
text. A step that was applied with another text, or that is not known here, is refused: somebody else's schema
is not guessed at.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from holdfast.core.errors import LedgerError, VersionError
from holdfast.core.values import dataclass

__all__ = ["Step", "check_applied", "read_steps"]


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the schema."""

    number: int
    name: str
    sql: str

    @property
    def sha256(self) -> str:
        """The digest by which a database remembers it."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


def read_steps(folder: Path) -> tuple[Step, ...]:
    """Every step of a folder, in order."""
    return tuple(
        Step(int(file.name[:4]), file.stem[5:], file.read_text(encoding="utf-8"))
        for file in sorted(folder.glob("*.sql"))
    )


def check_applied(name: str, steps: Sequence[Step], rows: Iterable[tuple[int, str, str]]) -> int:
    """How many steps a database has, each checked against the one known here."""
    known = {step.number: step for step in steps}
    count = 0
    for number, step_name, sha256 in rows:
        if number not in known:
            raise VersionError(
                f"{name} has schema {number} ({step_name}); this Holdfast knows {len(known)}",
                hint="use the newer Holdfast that wrote it",
            )
        if known[number].sha256 != sha256:
            raise LedgerError(
                f"{name} has another schema step {number} than this Holdfast; it is of an unreleased one",
                hint="`holdfast db rebuild` makes a ledger from the archive, and keeps this one beside it",
            )
        count += 1
    return count
