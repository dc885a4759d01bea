"""A misbehaving server on a thread of its own, so that commands with their own event loop can ask it."""

from __future__ import annotations

import asyncio
import threading
from contextlib import contextmanager

from faults.server import FaultServer


@contextmanager
def serving(scripts, **options):
    """A FaultServer on loopback, while the block runs."""
    ready, stop = threading.Event(), threading.Event()
    held = []

    async def serve():
        async with FaultServer(scripts, **options) as server:
            held.append(server)
            ready.set()
            while not stop.is_set():
                await asyncio.sleep(0.01)

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert ready.wait(5)
    try:
        yield held[0]
    finally:
        stop.set()
        thread.join(5)
