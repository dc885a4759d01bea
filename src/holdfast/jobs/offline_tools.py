"""What a job needs that works on what is there: ledger and archive, by their keeper, and a way to convert
captures; no fetcher.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from holdfast.core.capture import Capture
from holdfast.core.lineage import RecordRef
from holdfast.core.values import dataclass
from holdfast.jobs.refining import Refine
from holdfast.ports import Archive, Clock, Event, Keeper, Ledger, Observer

__all__ = ["OfflineTools"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class OfflineTools:
    """What a job needs that works on what is there; `ahead` captures are under way at once: enough to keep
    every worker busy, few enough to hold in memory.
    """

    keeper: Keeper
    refine: Refine
    clock: Clock
    observer: Observer
    ahead: int = 16

    def ask(self, question: Callable[[Ledger, Archive], T]) -> T:
        """Put a question to ledger and archive, or carry out a step."""
        return self.keeper.now(question)

    def read(self, ref: RecordRef) -> Capture:
        """A capture, from the archive."""
        return self.keeper.now(lambda _, archive: archive.read(ref))

    def tell(self, name: str, **facts: object) -> None:
        """Tell the observer."""
        self.observer.notice(Event(name, tuple(facts.items())))
