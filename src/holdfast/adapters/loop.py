"""The event loop, chosen in one place: uvloop, or the standard library's where uvloop does not exist."""

from __future__ import annotations

import asyncio
import errno
import sys
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

if sys.platform == "win32":
    from asyncio import new_event_loop
else:
    from uvloop import new_event_loop

T = TypeVar("T")
_NO_MORE: Final = (errno.EMFILE, errno.ENFILE)


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end on a loop of its own; Ctrl-C cancels it and is raised here.

    A runner that is interrupted while it begins forgets that it was, and raises what it cancelled by. One
    whose loop lacks a descriptor to begin says that it cannot be closed: what it lacked is raised.
    """
    try:
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            return runner.run(main)
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    except RuntimeError as error:
        if (wanting := _wanting(error)) is None:
            raise
        raise wanting from None
    finally:
        main.close()


def _wanting(error: BaseException) -> OSError | None:
    """Too many open files, if that is what an error came of."""
    context = error.__context__
    while context is not None and not (isinstance(context, OSError) and context.errno in _NO_MORE):
        context = context.__context__
    return context
