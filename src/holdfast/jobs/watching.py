"""Documents that are looked at when they change, and what they cite asked in the background (TRK-10).

1. A change on disk is answered at once, by what is known: nobody waits for the web.
2. With consent, what is new or due is asked once documents have been quiet for a moment, and again from time
   to time. A change meanwhile ends the asking, which keeps what was answered, and begins anew after it.
3. Whatever uses the state folder has its turn, one at a time: looks, questions, jobs, notifications.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final

from holdfast.core.errors import HoldfastError
from holdfast.core.finding_changes import came_and_went
from holdfast.core.report import Report, ReportFinding
from holdfast.ports import Clock, Event, Observer

__all__ = ["ASK_AGAIN", "QUIET", "DocumentWatch"]

QUIET: Final = 2.0
"""Seconds without a change before anything is asked."""
ASK_AGAIN: Final = 300.0
"""Seconds after which is looked for what has become due."""

Look = Callable[[], Awaitable[Report]]


class DocumentWatch:
    """Looks at documents. `look` says what is wrong by what is known, `ask` asks first; None: no consent."""

    def __init__(self, look: Look, ask: Look | None, clock: Clock, observer: Observer) -> None:
        self._look = look
        self._ask = ask
        self._clock = clock
        self._observer = observer
        self._known: tuple[ReportFinding, ...] = ()
        self._turn = asyncio.Lock()
        self._asking: asyncio.Task[None] | None = None

    async def run(self, batches: AsyncIterator[object]) -> None:
        """Look now, and after each batch of changes, until there are no more of them."""
        try:
            await self._look_and_ask()
            async for _ in batches:
                await self._look_and_ask()
        finally:
            await self._stop_asking()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """While somebody else uses the state folder; after that documents are looked at again."""
        await self._stop_asking()
        async with self._turn:
            yield
        await self._look_and_ask()

    async def _look_and_ask(self) -> None:
        await self._stop_asking()
        async with self._turn:
            await self._tell(self._look)
            await self._stop_asking()  # what somebody else began while this waited for its turn
            if self._ask is not None:
                self._asking = asyncio.create_task(self._keep_asking(self._ask))

    async def _keep_asking(self, ask: Look) -> None:
        await self._clock.sleep(QUIET)
        while True:
            async with self._turn:
                await self._tell(ask)
            await self._clock.sleep(ASK_AGAIN)

    async def _stop_asking(self) -> None:
        task, self._asking = self._asking, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _tell(self, look: Look) -> None:
        """Look, and tell what came and what went."""
        try:
            report = await look()
        except HoldfastError as error:  # another run holds the state folder: the next look tells
            self._observer.notice(Event("trouble", (("text", error.message),)))
            return
        came, went = came_and_went(self._known, report.findings)
        self._known = report.findings
        self._observer.notice(Event("findings", (("came", came), ("went", went))))
