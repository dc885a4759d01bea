"""A command of our own that runs beside us: its last lines are kept, and it can be asked to stop.

1. It has a session of its own: a Ctrl-C in the terminal is for us, and whoever ends us ends it (`close`).
2. Asked once it finishes what is in flight, asked again it stops at once (SIGINT, as from a terminal).
3. Whatever it says, a bounded number of lines of bounded length is kept.
"""

from __future__ import annotations

import signal
import subprocess
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock, Thread
from typing import IO, Final

from holdfast.core.answers.acting import SaidSoFar, run_progress
from holdfast.core.errors import FailedError

__all__ = ["BackgroundCommand"]

_LINES: Final = 400
_LINE_BYTES: Final = 2000
_PATIENCE: Final = 20.0
"""Seconds that a command has to finish what is in flight, and again to stop at once."""


class BackgroundCommand:
    """A process that was started."""

    def __init__(self, words: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        try:
            self._process = subprocess.Popen(
                words,
                cwd=folder,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            raise FailedError(f"the run cannot be started: {error.strerror}") from error
        self._lock = Lock()
        self._lines: deque[str] = deque(maxlen=_LINES)
        self._said = 0
        self._progress: tuple[int, int] | None = None
        self._status: int | None = None
        self.is_stopping = False
        self._reader = Thread(target=self._read, args=(self._process.stdout,), daemon=True)
        self._reader.start()

    @property
    def status(self) -> int | None:
        """Its exit status; None while it runs, or while it is still heard."""
        with self._lock:
            return self._status

    def said(self) -> SaidSoFar:
        """What it said."""
        with self._lock:
            return SaidSoFar(tuple(self._lines), self._said - len(self._lines), self._progress)

    def stop(self) -> None:
        """Ask it to stop."""
        self.is_stopping = True
        self._signal(signal.SIGINT)

    def close(self) -> None:
        """End it, in order where it lets us."""
        for ask in (signal.SIGINT, signal.SIGINT, signal.SIGKILL):
            if self._process.poll() is not None:
                break
            self.is_stopping = True
            self._signal(ask)
            try:
                self._process.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                continue
        self._reader.join(_PATIENCE)

    def _signal(self, number: signal.Signals) -> None:
        if self._process.poll() is None:
            self._process.send_signal(number)

    def _read(self, stream: IO[bytes] | None) -> None:
        """Every line as it comes; a longer one in pieces."""
        if stream is not None:
            with stream:
                while line := stream.readline(_LINE_BYTES):
                    self._hear(line.decode("utf-8", "replace").rstrip("\r\n"))
        status = self._process.wait()
        with self._lock:
            self._status = status

    def _hear(self, line: str) -> None:
        with self._lock:
            self._lines.append(line)
            self._said += 1
            self._progress = run_progress(line) or self._progress
