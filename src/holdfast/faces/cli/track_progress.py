"""How far a run is: on a terminal a bar, what was asked last, and how long the rest takes at the pace of the
hosts; elsewhere a line every few seconds. Hosts that asked for time are named.
"""

from __future__ import annotations

import shutil
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from holdfast.core.host_pace import Outlook
from holdfast.faces.cli.terminal import own, put
from holdfast.formats.words.progress import asked_bar, rest_words

if TYPE_CHECKING:
    from holdfast.ports import Event

__all__ = ["TrackProgress"]

_EVERY = 0.1


class TrackProgress:
    """An `Observer` that draws one line on standard error and wipes it at the end, or writes lines there."""

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._started = time.monotonic()
        self._last = 0.0
        self._drawn = False
        self._done, self._total, self._url = 0, 0, ""
        self._outlook = Outlook(0, 0.0)
        self._outlook_at = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.wipe()

    def wipe(self) -> None:
        """Take the line away."""
        if self._drawn:
            put(sys.stderr, own("\r\033[K"))
            sys.stderr.flush()
            self._drawn = False

    def notice(self, event: Event) -> None:
        """Draw at most ten times a second on a terminal; write what is left elsewhere."""
        facts, now = dict(event.facts), time.monotonic()
        if event.name == "answered":
            self._done, self._total = int(str(facts["done"])), int(str(facts["total"]))
            self._url = str(facts["url"])
            if self._done == 1:
                self._started = now
        elif event.name == "outlook" and isinstance(outlook := facts["outlook"], Outlook):
            self._outlook, self._outlook_at = outlook, now
            self._total = self._total or outlook.left
            if not self._is_terminal:
                put(sys.stderr, f"{self._done}/{self._total} asked, {self._rest(now)}\n")
                sys.stderr.flush()
        if self._is_terminal and self._total and self._is_time(now):
            self._draw(now)

    def _is_time(self, now: float) -> bool:
        return self._done == self._total or now - self._last >= _EVERY

    def _draw(self, now: float) -> None:
        self._last = now
        line = f"{asked_bar(self._done, self._total)}  {self._rest(now)}  {self._url}"
        put(sys.stderr, own("\r\033[K") + line[: shutil.get_terminal_size().columns - 1])
        sys.stderr.flush()
        self._drawn = True

    def _rest(self, now: float) -> str:
        """What is left, in words: the longer of what was needed so far and what the paces allow."""
        by_rate = (now - self._started) / self._done * (self._total - self._done) if self._done else 0.0
        paced = max(self._outlook.seconds - (now - self._outlook_at), 0.0)
        return rest_words(max(by_rate, paced), self._outlook.held)
