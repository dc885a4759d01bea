"""The program: `holdfast`, and `python -m holdfast`. Ctrl-C ends it with status 130, whenever it comes.

1. Before the command begins, and after it has ended, there is nothing to put in order: the process ends at
   once. While the command runs, Ctrl-C is KeyboardInterrupt.
2. What is registered first is done last: then the status stands, and what is left is the interpreter's own.
3. An interrupt that Python raised where nobody can meet it, as in a weak reference's callback, comes again.
4. Where SIGINT is ignored (`nohup`, a job in the background of a script), it stays ignored.

Little is imported here, not even `signal`: what comes before the handler stands is out of reach.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found] # what `signal` is made of, at no cost
import atexit
import os
import sys
from _thread import interrupt_main
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SOON = 0.05
"""Seconds, in which what was going on is over."""


def main() -> int:
    """Run the command of this process; its exit status."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return _command()
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
    sys.unraisablehook = _unraisable
    try:
        try:
            signal.signal(signal.SIGINT, _end)
            return _command(signal.default_int_handler)
        finally:
            signal.signal(signal.SIGINT, _end)
    except KeyboardInterrupt:  # once more, while the first was being answered
        signal.signal(signal.SIGINT, _end)
        return _interrupted()


def _command(handler: object = None) -> int:
    program = import_module("holdfast.faces.cli.main")  # here: an interrupted import is no traceback
    if handler is not None:
        signal.signal(signal.SIGINT, handler)
    status: int = program.main()
    return status


def _end(number: int, frame: object) -> None:  # noqa: ARG001 # as handlers are called
    os._exit(_interrupted())


def _unraisable(told: Any) -> None:
    if told.exc_type is KeyboardInterrupt:
        import_module("threading").Timer(_SOON, interrupt_main).start()
    else:
        sys.__unraisablehook__(told)


def _interrupted() -> int:
    if sys.__stderr__ is not None:
        os.write(2, b"error: interrupted\n")
    return 130


if __name__ == "__main__":
    raise SystemExit(main())
