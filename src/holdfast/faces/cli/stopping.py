"""Ctrl-C for commands that run long: once finishes what is in flight, twice stops at once."""

from __future__ import annotations

import signal
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from holdfast.faces.cli.mirror_progress import Watcher
    from holdfast.jobs.stop import Stop

__all__ = ["stoppable"]

T = TypeVar("T")


async def stoppable(work: Callable[[Stop], Awaitable[T]], watching: Watcher, doing: str) -> T:
    """Run work that can be asked to stop; `doing` is what is finished first."""
    import asyncio  # noqa: PLC0415 # lazy: with the job, which `--help` must not pay for

    from holdfast.jobs.stop import Stop  # noqa: PLC0415 # lazy: as above

    stop = Stop()

    def interrupt() -> None:
        stop.ask()
        if stop.asked == 1:
            watching.say(f"finishing {doing}; Ctrl-C again stops at once")

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, interrupt)
    try:
        return await work(stop)
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
