"""The event loop, chosen in one place: uvloop, or the standard library's where uvloop does not exist."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine
from typing import Any, TypeVar

if sys.platform == "win32":
    from asyncio import new_event_loop
else:
    from uvloop import new_event_loop

__all__ = ["run"]

T = TypeVar("T")


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end on a loop of its own; Ctrl-C cancels it and is raised here.

    A runner that is interrupted while it begins forgets that it was, and raises what it cancelled by.
    """
    try:
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            return runner.run(main)
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
