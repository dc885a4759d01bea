"""The engine of one machine: processes."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator, Sequence
from typing import Final

__all__ = ["LocalEngine"]

_LOOK: Final = 0.2
_MOST_STARTS: Final = 100
_STOPS: Final = (signal.SIGINT, signal.SIGTERM)


class LocalEngine:
    """Processes of this machine."""

    def run_workers(self, command: Sequence[str], count: int) -> int:
        """Run a command that many times until all have ended in order; the highest exit status. One that was
        killed is started again. SIGINT and SIGTERM are passed on, and nothing is started any more.
        """
        told: list[int] = []
        before = {number: signal.signal(number, lambda new, _: told.append(new)) for number in _STOPS}
        try:
            return _until_all_ended(command, count, told)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _until_all_ended(command: Sequence[str], wanted: int, told: list[int]) -> int:
    """`told` grows by the signals that come. A process that one of them ends before it listens has begun
    nothing: that is an end in order, too.
    """
    running: list[subprocess.Popen[bytes]] = []
    worst = starts = passed_on = 0
    while True:
        while wanted and not told:
            running.append(subprocess.Popen(command))
            wanted, starts = wanted - 1, starts + 1
        while passed_on < len(told):
            for process in running:
                process.send_signal(told[passed_on])
            passed_on += 1
        if not running:
            return worst
        for status in _endings(running):
            if status >= 0:
                worst = max(worst, status)
            elif not told and starts < _MOST_STARTS:
                wanted += 1
            elif -status not in told:
                worst = max(worst, 1)


def _endings(running: list[subprocess.Popen[bytes]]) -> Iterator[int]:
    """The statuses of those that have ended, which then run no more; a short wait for each that has not."""
    for process in running[:]:
        try:
            status = process.wait(_LOOK)
        except subprocess.TimeoutExpired:
            continue
        running.remove(process)
        yield status
