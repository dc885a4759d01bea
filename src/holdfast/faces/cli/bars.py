"""How far a run is, on one line; and how telling its targets went.

1. Of a mirror a person sees a line for each URL, or a live bar on a terminal (MIR-9). Until the first URL
   is asked for, a log has a sign of life: looking for lists of pages may take a while.
2. Of a check a terminal shows a bar, what was asked last, and how long the rest takes at the pace of the
   hosts; elsewhere a line comes every few seconds. Hosts that asked for time are named.
3. After a run the targets are told, and the person who started it sees how that went.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Protocol, Self, TextIO

from holdfast import jobs
from holdfast.core.base.figures import counted, duration
from holdfast.core.mirror.checkpoint import Progress
from holdfast.core.web.pace import HeldHost, Outlook
from holdfast.faces.cli.console import end_life_sign, note, own, put, style

if TYPE_CHECKING:
    from holdfast.adapters.ports import Event
    from holdfast.core.lineage.event_kind import Deliveries
    from holdfast.core.settings.resolve import Settings


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


_EVERY_LINKS = 0.1


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
        return self._done == self._total or now - self._last >= _EVERY_LINKS

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


_WIDTH = 24
_A_MINUTE = 60
_NAMED = 3


def bar_line(progress: Progress, outcomes: Mapping[str, int], url: str, width: int) -> str:
    """A mirror's bar: a gauge, the counter, the rate, what went wrong, the time left, the URL."""
    share = progress.processed / progress.total if progress.total else 0.0
    filled = round(share * 20)
    parts = [f"{'█' * filled}{'░' * (20 - filled)} {progress.processed}/{progress.total}"]
    parts.append(f"{progress.rate:.1f}/s" if progress.rate < 100 else f"{progress.rate:.0f}/s")
    parts += [
        f"{outcomes[word]} {word}"
        for word in ("failed", "too large", "skipped", "refused", "duplicate")
        if outcomes.get(word)
    ]
    if progress.eta is not None:
        parts.append(f"{duration(progress.eta)} left")
    line = " · ".join(parts)
    room = width - len(line) - 3
    if room < 12:
        return line
    return f"{line} · {url if len(url) <= room else '…' + url[-room + 1 :]}"


def asked_bar(done: int, total: int) -> str:
    """How many URLs of those that documents cite were asked."""
    filled = _WIDTH * done // total
    return f"[{'#' * filled}{'.' * (_WIDTH - filled)}] {done}/{total}"


def rest_words(seconds: float, held: tuple[HeldHost, ...]) -> str:
    """What is left: about how long, and the hosts that asked for time."""
    words = f"about {_time(seconds)} left"
    if held:
        named = ", ".join(map(_held_words, held[:_NAMED]))
        more = f" and {len(held) - _NAMED} more hosts" if len(held) > _NAMED else ""
        words += f"; waiting for {named}{more}"
    return words


def _held_words(held: HeldHost) -> str:
    return f"{held.host} ({held.left} left; it asked for {_time(held.seconds)})"


def _time(seconds: float) -> str:
    if seconds < _A_MINUTE:
        return f"{seconds:.0f} s"
    return f"{seconds / _A_MINUTE:.0f} min"


def tell_targets(state: Path, settings: Settings) -> None:
    """Tell what happened. Whatever goes wrong is said, and changes nothing about the run."""
    done = jobs.sync.notify.tell_after_run(state, settings, os.environ)
    if isinstance(done, str):
        note(f"notify: {done}")
    else:
        say_deliveries(done)


def say_deliveries(deliveries: Deliveries) -> None:
    """One line for each attempt."""
    for each in deliveries.attempts:
        what = counted(each.events, "event") if each.events else "a trial"
        if not each.trouble:
            note(
                f"notify {each.target}: told of {what}"
                if each.events
                else f"notify {each.target}: sent {what}"
            )
        elif each.next_try is None:
            note(f"notify {each.target}: {each.trouble}")
        else:
            again = f"{each.next_try.astimezone():%Y-%m-%d %H:%M}"
            note(f"notify {each.target}: {each.trouble}; {what} kept, next try after {again}")
