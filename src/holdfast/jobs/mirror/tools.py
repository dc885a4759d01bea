"""What the mirror job works with: the ports. Ledger and archive are the scribe's alone."""

from __future__ import annotations

from holdfast.core.values import dataclass
from holdfast.jobs.refining import Refine
from holdfast.ports import Clock, Event, Fetcher, Mirror, Observer, Scribe

__all__ = ["Tools"]


@dataclass(frozen=True, slots=True)
class Tools:
    """Everything the job needs of the outside world."""

    fetcher: Fetcher
    scribe: Scribe
    folder: Mirror
    refine: Refine
    clock: Clock
    observer: Observer

    def tell(self, name: str, **facts: object) -> None:
        """Tell the observer."""
        self.observer.notice(Event(name, tuple(facts.items())))

    def warn(self, text: str) -> None:
        """Tell the observer of something odd."""
        self.tell("warning", text=text)
