"""The search index of a served state folder, brought up to date beside the server.

1. Who asks waits for a few pages, never for many: those are read by a process of its own, of low priority, so
   that neither the server nor a mirror is held up. Searches answer meanwhile from what is there.
2. What was read is kept group by group: a process that was ended goes on where it was, the next time.
3. Where nothing can be written beside the ledger, the index lies elsewhere until the server ends.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Final

from holdfast.adapters.background import BackgroundCommand
from holdfast.wiring.searching import INDEX, IndexHolder
from holdfast.wiring.settings import load_settings
from holdfast.wiring.store import read_store

__all__ = ["IndexBuilder", "build"]

_POLITE: Final = 10
_AGAIN: Final = 30.0
"""Seconds until one that failed is started again."""


class IndexBuilder:
    """Starts the process that builds the index of a state folder, one at a time."""

    def __init__(self, state: Path, environment: Mapping[str, str]) -> None:
        self._state = state
        self._environment = environment
        self._lock = Lock()
        self._process: BackgroundCommand | None = None
        self._began = 0.0
        self._elsewhere: TemporaryDirectory[str] | None = None

    @property
    def file(self) -> Path:
        """Where the index lies."""
        own = self._state / INDEX
        if os.access(own if own.exists() else self._state, os.W_OK):
            return own
        with self._lock:
            if self._elsewhere is None:
                self._elsewhere = TemporaryDirectory(prefix="holdfast-")
            return Path(self._elsewhere.name) / INDEX

    @property
    def status(self) -> int | None:
        """The exit status of the last process; None while it runs, or where none was started."""
        return self._process.status if self._process is not None else None

    def start(self) -> None:
        """Build it, unless that is being done, or failed just now."""
        file = self.file
        with self._lock:
            if self._process is not None and not self._may_start_again(self.status):
                return
            words = [sys.executable, "-P", "-m", __name__, str(self._state), str(file)]
            self._process = BackgroundCommand(words, self._state, self._environment)
            self._began = time.monotonic()

    def _may_start_again(self, status: int | None) -> bool:
        return status is not None and (status == 0 or time.monotonic() - self._began >= _AGAIN)

    def close(self) -> None:
        """End what runs; what lies elsewhere goes."""
        with self._lock:
            if self._process is not None:
                self._process.close()
            if self._elsewhere is not None:
                self._elsewhere.cleanup()
                self._elsewhere = None


def build(state: Path, file: Path, environment: Mapping[str, str]) -> None:
    """Bring the index in a file up to date with the ledger of a state folder."""
    settings = load_settings(state.parent, flags={}, environment=environment)
    with (
        read_store(settings, state) as store,
        closing(IndexHolder(store, settings.distill.max_page_bytes, file=file)) as holder,
    ):
        holder()


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(_POLITE)
    with suppress(KeyboardInterrupt):
        build(Path(sys.argv[1]), Path(sys.argv[2]), os.environ)
