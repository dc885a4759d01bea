"""The event loop that commands run on, and Ctrl-C for those that run long."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable
from typing import TypeVar

from holdfast.adapters.loop import run
from holdfast.jobs.stop import Stop

__all__ = ["run", "run_until_stopped"]

T = TypeVar("T")


def run_until_stopped(work: Callable[[Stop], Awaitable[T]], say: Callable[[str], None], doing: str) -> T:
    """Run work that can be asked to stop: Ctrl-C once finishes what is in flight (`doing`), twice stops at
    once.
    """
    return run(_stoppable(work, say, doing))


async def _stoppable(work: Callable[[Stop], Awaitable[T]], say: Callable[[str], None], doing: str) -> T:
    stop = Stop()

    def interrupt() -> None:
        stop.ask()
        if stop.asked == 1:
            say(f"finishing {doing}; Ctrl-C again stops at once")

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, interrupt)
    try:
        return await work(stop)
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
