"""What a job needs that works on what is there: ledger, archive, and a way to convert captures; no
fetcher.
"""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.jobs.refining import Refine
from holdfast.ports import Archive, Clock, Event, Ledger, Observer

__all__ = ["Workshop"]


@dataclass(frozen=True, slots=True)
class Workshop:
    """What a job needs that works on what is there."""

    ledger: Ledger
    archive: Archive
    refine: Refine
    clock: Clock
    observer: Observer

    def tell(self, name: str, **facts: object) -> None:
        """Tell the observer."""
        self.observer.notice(Event(name, tuple(facts.items())))
