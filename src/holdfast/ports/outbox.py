"""What is owed to whom, and what was told: one part of the ledger.

What happened is known to the other parts. Here are names: of runs whose events a target is still to be told,
of events that stand in a notice. So `forget` has nothing to take out here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from holdfast.core.notify.notice import EventName, Notice

__all__ = ["OutboxLedger"]


class OutboxLedger(Protocol):
    """Notices on their way (TRK-10). That a run is owed is written by `RunLedger.begin_run`, with the run."""

    def owed(self, target: str) -> tuple[str, ...]:
        """Read the runs whose events a target has not been told, the earliest first."""
        ...

    def told(self, target: str) -> frozenset[str]:
        """Read the events that stand in a notice to a target. Once the notice was sent and the run is over,
        nobody can ask for them again, and they are let go.
        """
        ...

    def gather(
        self, notice: Notice | None, events: Sequence[EventName], target: str, runs: Collection[str]
    ) -> None:
        """Write a notice with the names of its events, and that the target is not owed these runs any more,
        in one transaction. Without a notice there was nothing to tell.
        """
        ...

    def unsent(self) -> tuple[Notice, ...]:
        """Read the notices that nobody took yet, in the order in which they were made."""
        ...

    def sent(self, limit: int) -> tuple[Notice, ...]:
        """Read the notices that were taken, the latest first."""
        ...

    def events_of(self, notice_id: str) -> Mapping[str, frozenset[str]]:
        """Read the events of a notice that was not sent, by the run that saw them."""
        ...

    def failed(self, notice_id: str, trouble: str, next_try: datetime) -> None:
        """Write that a target did not take a notice, and when to try again."""
        ...

    def acknowledge(self, notice_id: str, at: datetime) -> None:
        """Write that a target took a notice."""
        ...

    def drop(self, target: str) -> int:
        """Write that a target is owed nothing; how many notices were let go."""
        ...

    def targets(self) -> Mapping[str, int]:
        """Read who is owed anything: the number of runs not yet gathered, by target."""
        ...
