"""The engine of one machine: processes."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Sequence
from types import FrameType
from typing import Final

__all__ = ["LocalEngine"]

_LOOK: Final = 0.2
_MOST_STARTS: Final = 100


class LocalEngine:
    """Processes of this machine."""

    def run_workers(self, command: Sequence[str], count: int) -> int:
        """Run a command that many times until all have ended in order; the highest exit status. One that was
        killed is started again. SIGINT and SIGTERM are passed on, and nothing is started any more.
        """
        running = [subprocess.Popen(command) for _ in range(count)]
        worst, starts, stopping = 0, count, 0

        def pass_on(number: int, _frame: FrameType | None) -> None:
            nonlocal stopping
            stopping += 1
            for process in running:
                if process.poll() is None:
                    process.send_signal(number)

        before = {number: signal.signal(number, pass_on) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            while running:
                for process in running[:]:
                    try:
                        status = process.wait(_LOOK)
                    except subprocess.TimeoutExpired:
                        continue
                    running.remove(process)
                    if status < 0 and not stopping and starts < _MOST_STARTS:
                        starts += 1
                        running.append(subprocess.Popen(command))
                    else:
                        worst = max(worst, status if status >= 0 else 1)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        return worst
