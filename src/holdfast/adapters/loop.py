"""The event loop, chosen in one place."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, TypeVar

import uvloop

__all__ = ["run"]

T = TypeVar("T")


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end on a loop of its own; Ctrl-C cancels it and is raised here."""
    return uvloop.run(main)
