"""Commands that a program talks to over standard input, and that a person may start by hand.

Whoever waits for input there waits in a thread that nothing can wake, so a signal ends the process, after
what has to be ended before it.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from threading import Thread

from holdfast.faces.cli.console import note


def signals_end_it(before: Callable[[], None] | None = None) -> None:
    """From now on Ctrl-C and SIGTERM end this process, `before` having been done. A thread does it: what was
    interrupted may hold what `before` needs.
    """

    def end(number: int) -> None:
        if before is not None:
            before()
        if number == signal.SIGINT:
            note("error: interrupted")
        os._exit(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: Thread(target=end, args=(number,)).start())
