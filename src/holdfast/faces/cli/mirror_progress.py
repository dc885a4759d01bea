"""What a person sees while a mirror is made: a line for each URL, or a live bar on a terminal (MIR-9).

Until the first URL is asked for, a log has a sign of life: looking for lists of pages may take a while.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Protocol, TextIO

from holdfast.core.figures import counted
from holdfast.core.progress import Progress
from holdfast.faces.cli.console import style
from holdfast.faces.cli.life_sign import end_life_sign
from holdfast.faces.cli.terminal import own, put
from holdfast.formats.words.progress import bar_line

if TYPE_CHECKING:
    from holdfast.ports import Event

__all__ = ["Watcher", "bar_line", "watcher"]

_EVERY: Final = 0.1
_CLEAR: Final = own("\r\033[K")


class Watcher(Protocol):
    """An observer that can also speak."""

    def notice(self, event: Event) -> None:
        """Be told of an event."""
        ...

    def say(self, text: str) -> None:
        """Say something that stays on the screen."""
        ...

    def close(self) -> None:
        """Leave the screen tidy."""
        ...


@contextmanager
def watcher(*, quiet: bool, stream: TextIO | None = None) -> Iterator[Watcher]:
    """The watcher that suits standard error."""
    stream = stream or sys.stderr
    watching: Watcher = Bar(stream) if stream.isatty() and not quiet else Lines(stream, quiet=quiet)
    try:
        yield watching
    finally:
        watching.close()


class Lines:
    """One line for each URL, for logs and pipes."""

    def __init__(self, stream: TextIO, *, quiet: bool) -> None:
        self._stream = stream
        self._quiet = quiet
        if quiet:
            end_life_sign()

    def notice(self, event: Event) -> None:
        """Print what is worth a line."""
        if self._quiet and event.name != "warning":
            return
        facts = dict(event.facts)
        if event.name == "warning":
            self.say(f"warning: {facts['text']}")
        elif event.name == "processing":
            end_life_sign()
            self.say(f"[{facts['number']}/{facts['total']}] Processing: {facts['url']}")
        elif event.name == "opened" and facts["resumed"]:
            self.say("going on with the last run")

    def say(self, text: str) -> None:
        """One line."""
        self._stream.write(text + "\n")
        self._stream.flush()

    def close(self) -> None:
        """Nothing is left on the screen."""


class Bar:
    """One line that is written again and again, at most ten times a second."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._drawn = 0.0
        self._url = ""
        self._progress = Progress(0, 0, 0, 0.0)
        self._outcomes: Mapping[str, int] = {}
        self._doing = "looking for pages"
        end_life_sign()

    def notice(self, event: Event) -> None:
        """Remember, and draw when it is time."""
        facts = dict(event.facts)
        match event.name:
            case "warning":
                self.say(f"{style('warning:', 'yellow', stream=self._stream)} {facts['text']}")
            case "processing":
                self._url, self._doing = str(facts["url"]), ""
            case "processed":
                progress, outcomes = facts["progress"], facts["outcomes"]
                if isinstance(progress, Progress) and isinstance(outcomes, Mapping):
                    self._progress, self._outcomes = progress, outcomes
            case "looking":
                self._doing = f"looking for a list of pages: {facts['url']}"
            case "discovered":
                self._doing = f"found {counted(int(str(facts['found'])), 'URL')}"
            case "opened" if facts["resumed"]:
                self.say("going on with the last run")
        now = time.monotonic()
        if now - self._drawn >= _EVERY:
            self._drawn = now
            self._draw()

    def say(self, text: str) -> None:
        """A line above the bar."""
        put(self._stream, f"{_CLEAR}{text}\n")
        self._draw()

    def close(self) -> None:
        """Take the bar away."""
        put(self._stream, _CLEAR)
        self._stream.flush()

    def _draw(self) -> None:
        width = shutil.get_terminal_size().columns - 1
        text = self._doing or bar_line(self._progress, self._outcomes, self._url, width)
        put(self._stream, _CLEAR + text[:width])
        self._stream.flush()
