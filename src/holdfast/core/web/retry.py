"""Whether to ask again, and when: exponential backoff with full jitter, `Retry-After` respected (MIR-4).

1. A host that says "slow down" (429, or 503 with a readable `Retry-After`) is asked again; nothing else is.
2. The wait is a random share of base x 2^attempt, never less than what `Retry-After` asks.
3. No wait is longer than `longest_wait`, and no URL's waits sum to more than `longest_sum`. What would
   be longer is not slept through: the URL is deferred where the host named a time, and given up where
   it did not.
4. A `Retry-After` is read leniently: seconds with a fraction or a unit count, of several the longest; less
   than nothing and a date in the past are zero. What is neither seconds nor a date is ignored.
5. The final pass of `--on-error retry` asks one URL at a time, with a pause before each further attempt.
   While nothing succeeds the pauses of a host sum to at most `Patience.most`: a dead host is not waited for
   page after page. A success restores it.
"""

from __future__ import annotations

import re
from dataclasses import field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from holdfast.core.base.values import dataclass

SLOWDOWN_STATUSES: Final = frozenset((429, 503))

_LONGEST_WISH: Final = 1e9
"""Thirty years in seconds. A longer number is a mistake, not a wish."""
_SECONDS = re.compile(
    r"([+-]?\d{1,12}(?:\.\d{0,12})?|\.\d{1,12})\s*(?:s|secs?|seconds?)?", re.ASCII | re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class RetryRules:
    """The ceilings: how many times, and for how long, a URL may be put off before it counts as failed."""

    attempts: int = 4
    base: float = 1.0
    longest_wait: float = 60.0
    longest_sum: float = 180.0


@dataclass(frozen=True, slots=True)
class Slowdown:
    """A host's request to slow down, as met by one URL: `attempt` counts from 0, `waited` sums its waits."""

    asked: float | None
    attempt: int
    waited: float


@dataclass(frozen=True, slots=True)
class AskAgain:
    """Hold the host for so long, then ask again."""

    seconds: float
    reason: str


@dataclass(frozen=True, slots=True)
class Defer:
    """The host named a time that is too far away to wait for."""

    seconds: float


@dataclass(frozen=True, slots=True)
class GiveUp:
    """It was asked often enough."""

    detail: str


def slowdown(status: int, retry_after: str | None, now: datetime) -> tuple[bool, float | None]:
    """Whether a response asks to slow down, and the seconds it asks for, if it names them."""
    if status not in SLOWDOWN_STATUSES:
        return False, None
    asked = None if retry_after is None else parse_retry_after(retry_after, now)
    return status == 429 or asked is not None, asked


def decide(rules: RetryRules, met: Slowdown, chance: float) -> AskAgain | Defer | GiveUp:
    """What to do about a slowdown; `chance` is a random number in [0, 1)."""
    if met.attempt >= rules.attempts:
        return GiveUp(f"asked to slow down {met.attempt + 1} times")
    own = backoff(rules, met.attempt, chance)
    wait = own if met.asked is None else max(met.asked, own)
    if wait > rules.longest_wait:
        return Defer(wait)
    if met.waited + wait > rules.longest_sum:
        if met.asked is None:
            return GiveUp(f"waited {met.waited:.0f} s of at most {rules.longest_sum:.0f} s")
        return Defer(wait)
    return AskAgain(wait, "backoff" if met.asked is None or own > met.asked else "retry-after")


def backoff(rules: RetryRules, attempt: int, chance: float) -> float:
    """Full jitter: a random share of the exponential step, which itself is at most one longest wait."""
    # The exponent is bounded before it is raised: a huge power would be cut down to the ceiling anyway.
    return chance * min(rules.longest_wait, rules.base * 2.0 ** min(attempt, 32))


def parse_retry_after(value: str, now: datetime) -> float | None:
    """Seconds from now; None for what is neither seconds nor an HTTP date."""
    text = value.strip()
    wishes = [_SECONDS.fullmatch(part.strip()) for part in text.split(",")]
    if named := [max(0.0, float(wish[1])) for wish in wishes if wish]:
        return max(named) if max(named) < _LONGEST_WISH else None
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, IndexError, TypeError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    try:
        return max(0.0, (moment - now).total_seconds())
    except OverflowError:
        return None


@dataclass(slots=True)
class Patience:
    """How long the final pass of `--on-error retry` waits for each host before it asks again."""

    pauses: tuple[float, ...] = (1.0, 5.0)
    most: float = 60.0
    spent: dict[str, float] = field(default_factory=dict)

    @property
    def attempts(self) -> int:
        """How often a URL is asked for."""
        return len(self.pauses) + 1

    def pause(self, host: str, attempt: int) -> float:
        """Seconds before the attempt with this number, counted from 1; they are spent."""
        left = self.most - self.spent.get(host, 0.0)
        pause = max(0.0, min(self.pauses[attempt - 1], left))
        self.spent[host] = self.spent.get(host, 0.0) + pause
        return pause

    def succeeded(self, host: str) -> None:
        """The host answers again."""
        self.spent.pop(host, None)
