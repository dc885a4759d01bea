"""What the mirror job works with: the ports, and a way to run `harvest` elsewhere."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from holdfast.core.capture import Capture
from holdfast.jobs.mirror.harvest import Harvest, HarvestRules, harvest
from holdfast.ports import Archive, Clock, Event, Fetcher, Ledger, Mirror, Observer

__all__ = ["Refine", "Tools", "Unreadable", "refine_here", "refine_with"]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A response that could not be made into anything within the limits (SEC-4)."""

    why: str


Refine = Callable[[Capture, HarvestRules], Awaitable[Harvest | Unreadable]]
"""`harvest` somewhere else, with a limit on time and memory."""


@dataclass(frozen=True, slots=True)
class Tools:
    """Everything the job needs of the outside world."""

    fetcher: Fetcher
    ledger: Ledger
    archive: Archive
    folder: Mirror
    refine: Refine
    clock: Clock
    observer: Observer

    def tell(self, name: str, **facts: object) -> None:
        """Tell the observer."""
        self.observer.notice(Event(name, tuple(facts.items())))


async def refine_here(capture: Capture, rules: HarvestRules) -> Harvest:
    """`harvest` in this process, for a few pages."""
    return harvest(capture, rules)


def refine_with(run: Callable[..., Awaitable[Harvest]], lost: type[Exception]) -> Refine:
    """`harvest` by means of worker processes, which remember what calls have in common; `lost` is how they
    say that there is no result.
    """

    async def refine(capture: Capture, rules: HarvestRules) -> Harvest | Unreadable:
        try:
            return await run(harvest, capture, common=(rules,))
        except lost as error:
            return Unreadable(str(error))

    return refine
