"""The event loop that commands run on, and Ctrl-C for those that run long."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from holdfast.adapters.loop import run as run  # noqa: PLC0414 - faces reach the outside through jobs
from holdfast.jobs.stop import Stop

T = TypeVar("T")


def run_anywhere(work: Coroutine[Any, Any, T]) -> T:
    """Run work to its end: on a thread of its own, where this one has an event loop that runs."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return run(work)
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(run, work).result()


def run_as_service(work: Coroutine[Any, Any, T]) -> T | None:
    """Run work that SIGTERM ends, as it does a service: None then. Ctrl-C is raised, as everywhere."""
    return run(_until_ended(work))


async def _until_ended(work: Coroutine[Any, Any, T]) -> T | None:
    task, loop = asyncio.ensure_future(work), asyncio.get_running_loop()
    ended: list[bool] = []

    def end() -> None:
        ended.append(True)
        task.cancel()

    loop.add_signal_handler(signal.SIGTERM, end)
    try:
        return await task
    except asyncio.CancelledError:
        if ended:
            return None
        raise
    finally:
        loop.remove_signal_handler(signal.SIGTERM)


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
