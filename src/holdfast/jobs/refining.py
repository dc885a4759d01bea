"""Captures into what the crawl needs of them: here, or in worker processes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from holdfast.core.capture import Capture
from holdfast.core.crawl.harvest import Harvest, HarvestRules, Unreadable
from holdfast.distill.harvest import harvest

__all__ = ["Refine", "refine_here", "refine_with"]

Refine = Callable[[Capture, HarvestRules], Awaitable[Harvest | Unreadable]]
"""`harvest` somewhere else, with a limit on time and memory."""


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
