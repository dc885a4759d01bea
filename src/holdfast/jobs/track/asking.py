"""Putting the questions: so many at a time over all, each host at its own pace.

1. A host's URLs are asked in order. While there is a pause between two requests to a host, one task asks them
   one by one and sleeps the pause *outside* the shared slots: a slow host costs time, never a slot. The pause
   runs from the end of the response (MIR-3); what is done with the answer is done meanwhile. Without a pause
   up to `per_host` tasks share the host's line.
2. The fetcher keeps its own politeness whatever happens here; this only keeps its waits out of the slots.
3. Answers are handed over as they come.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence

from holdfast.core.capture import Outcome
from holdfast.core.hosts import HostRules
from holdfast.core.url import Url
from holdfast.jobs.track.options import Pacing
from holdfast.jobs.track.planning import LinkAsk
from holdfast.ports import Admit, Clock, Fetcher, FetchRequest

__all__ = ["ask_all"]


async def ask_all(
    asks: Sequence[LinkAsk],
    fetcher: Fetcher,
    clock: Clock,
    pacing: Pacing,
    rules: HostRules,
    *,
    obey_robots: bool,
    answered: Callable[[LinkAsk, Outcome], Awaitable[None]],
) -> None:
    """Ask everything; `answered` is awaited once for each question, outside the slots."""
    lines: dict[str, deque[LinkAsk]] = {}
    for ask in asks:
        lines.setdefault(ask.url.host, deque()).append(ask)
    slots = asyncio.Semaphore(pacing.at_a_time)

    def admit(url: Url) -> str | None:
        return rules.refusal(url.host)

    async def serve(line: deque[LinkAsk]) -> None:
        while line:
            ask = line.popleft()
            async with slots:
                outcome = await fetcher.fetch(_request(ask, admit, obey_robots=obey_robots))
            ready_at = clock.monotonic() + pacing.pause
            await answered(ask, outcome)
            left = ready_at - clock.monotonic()
            if line and pacing.pause and left > 0:
                await clock.sleep(left)

    width = 1 if pacing.pause else pacing.per_host
    async with asyncio.TaskGroup() as group:
        for line in lines.values():
            for _ in range(min(width, len(line))):
                group.create_task(serve(line))


def _request(ask: LinkAsk, admit: Admit, *, obey_robots: bool) -> FetchRequest:
    return FetchRequest(
        ask.url,
        etag=ask.node.etag if ask.conditional else None,
        last_modified=ask.node.last_modified if ask.conditional else None,
        admit=admit,
        obey_robots=obey_robots,
    )
