"""How fast one host is asked for cited pages: a state machine over a clock that is handed in (TRK-12).

1. It begins `pause` seconds apart, `width` at a time. A pace that does not adapt (the user named a rate) runs
   its pause from the end of the last response, one at a time, and never gets faster.
2. Slower: an answer of 429, or of 503 with a time to wait, and responses that take four times as long as the
   fastest and half a second at least. The pause doubles, up to ten seconds, and one is asked at a time.
3. Faster: ten good answers in a row halve the pause, down to where it began, and give the width back.
4. `Retry-After` holds the host; without one the hold is 1, 2, 4, … seconds. Whoever has other hosts asks them
   meanwhile. A hold beyond `patience`, or holds that sum to more than `patience_sum`, are left for a later
   run.
5. Two answers to requests that ran side by side are one wish to slow down.

Times are seconds of one monotonic clock.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from holdfast.core.values import dataclass

__all__ = ["HeldHost", "HostManner", "HostPace", "Outlook"]

_GROWN: Final = 4.0
_WORTH_SLOWING: Final = 0.5
_GOOD_IN_A_ROW: Final = 10
_SLOWEST: Final = 10.0
_FIRST_STEP: Final = 4.0
_WEIGHT: Final = 0.3
_NEVER: Final = float("-inf")


@dataclass(frozen=True, slots=True)
class HostManner:
    """How hosts are asked at first, and how long is waited for one that asks for time."""

    pause: float = 0.05
    width: int = 2
    adapts: bool = True
    patience: float = 60.0
    patience_sum: float = 180.0
    tries: int = 4


class HeldHost(NamedTuple):
    """A host that asked for time: how many of its URLs are left, and for how many seconds it is held."""

    host: str
    left: int
    seconds: float


class Outlook(NamedTuple):
    """What is left of a run: URLs, the seconds that the paces allow it in, and the hosts that are held."""

    left: int
    seconds: float
    held: tuple[HeldHost, ...] = ()


class HostPace:
    """The pace of one host."""

    __slots__ = (
        "_ended", "_fastest", "_good", "_held", "_manner", "_ready", "_running", "_slowdowns", "_smoothed",
        "_waited", "pause", "width",
    )  # fmt: skip

    def __init__(self, manner: HostManner) -> None:
        self._manner = manner
        self.pause = manner.pause
        self.width = manner.width if manner.adapts or not manner.pause else 1
        self._ready = self._held = self._ended = _NEVER
        self._running = self._good = self._slowdowns = 0
        self._fastest = self._smoothed = self._waited = 0.0

    def wait(self, now: float) -> float:
        """Seconds until the next request may begin; endless while as many run as may."""
        if self._running >= self.width:
            return float("inf")
        return max(self._ready - now, self._held - now, 0.0)

    def held_for(self, now: float) -> float:
        """Seconds for which the host asked not to be asked."""
        return max(self._held - now, 0.0)

    def is_left_for_later(self, now: float) -> bool:
        """Whether the host asked for more time than a run waits."""
        return self.held_for(now) > self._manner.patience or self._waited > self._manner.patience_sum

    def seconds_for(self, urls: int, now: float) -> float:
        """The least time that so many more URLs take."""
        each = max(self.pause, self._smoothed / self.width) if self._manner.adapts else self._whole_turn
        return self.held_for(now) + urls * each

    def begin(self, now: float) -> None:
        """A request goes out."""
        self._running += 1
        if self._manner.adapts:
            self._ready = now + self.pause

    def end(self, now: float, took: float) -> None:
        """A response came, or failed to come, after so many seconds."""
        self._finish(now)
        self._fastest = min(self._fastest or took, took)
        self._smoothed += _WEIGHT * (took - self._smoothed) if self._smoothed else took
        if not self._manner.adapts:
            return
        if self._smoothed > max(_GROWN * self._fastest, _WORTH_SLOWING):
            self._slower()
            self._smoothed = self._fastest  # judged anew at the new pace
            return
        self._good += 1
        if self._good >= _GOOD_IN_A_ROW:
            self._faster()

    def slow_down(self, now: float, asked: float | None) -> None:
        """A response asked for fewer requests, and for so many seconds if it named them."""
        self._finish(now)
        if now >= self._held:
            self._slowdowns += 1
            self._slower()
        hold = asked if asked is not None else 2.0 ** min(self._slowdowns - 1, 6)
        until = max(self._held, now + hold)
        self._waited += until - max(self._held, now)
        self._held = until

    def _finish(self, now: float) -> None:
        self._running -= 1
        self._ended = now
        if not self._manner.adapts:
            self._ready = now + self.pause

    def _slower(self) -> None:
        if self._manner.adapts:
            self.pause = min(max(2 * self.pause, _FIRST_STEP * self._manner.pause), _SLOWEST)
            self.width = 1
        self._good = 0

    def _faster(self) -> None:
        self._good = 0
        self.pause = max(self.pause / 2, self._manner.pause)
        if self.pause == self._manner.pause:
            self.width = self._manner.width

    @property
    def _whole_turn(self) -> float:
        return (self.pause + self._smoothed) / self.width
