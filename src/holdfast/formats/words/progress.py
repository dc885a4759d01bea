"""How far a run is, on one line."""

from __future__ import annotations

from collections.abc import Mapping

from holdfast.core.figures import duration
from holdfast.core.host_pace import HeldHost
from holdfast.core.progress import Progress

__all__ = ["asked_bar", "bar_line", "rest_words"]

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
