"""A misbehaving server on a thread of its own, so that commands with their own event loop can ask it."""

from __future__ import annotations

import asyncio
import threading
from contextlib import contextmanager

from helpers.faults.server import FaultServer


@contextmanager
def serving(scripts, **options):
    """A FaultServer on loopback, while the block runs."""
    ready = threading.Event()
    held = []

    async def serve():
        done = asyncio.Event()
        async with FaultServer(scripts, **options) as server:
            held.extend((server, asyncio.get_running_loop(), done))
            ready.set()
            await done.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert ready.wait(5)
    server, loop, done = held
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(done.set)
        thread.join(5)
