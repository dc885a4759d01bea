"""A notice: events that are told to a target together, once. When it is due, and when once more.

1. A notice is written down with the names of its events before anybody tries to deliver it; it is sent when
   the target took it and that is written down. Who is killed in between delivers the same notice again, by
   the same id: whoever takes it can tell.
2. A delivery that fails is tried again after a minute, then after four times as long each time, and every six
   hours in the end. Notices of one target go in order: while one waits, those after it wait too.
3. By day: what was gathered is told at the first moment after that time of day, if anything was.
4. The worst is told first. A message holds up to a hundred events; the rest are counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from heapq import nsmallest
from typing import Final, NamedTuple

from holdfast.core.answers.events import Occurrence
from holdfast.core.event_kind import EventKind
from holdfast.core.hashing import id_of
from holdfast.core.notify.target import Digest, Target

__all__ = [
    "MOST_EVENTS",
    "Deliveries",
    "Delivery",
    "EventName",
    "Message",
    "Notice",
    "NoticeList",
    "digest_is_due",
    "next_try",
    "notice_id",
    "worst_first",
]

MOST_EVENTS: Final = 100
_FIRST: Final = timedelta(minutes=1)
_LONGEST: Final = timedelta(hours=6)
_WORST: Final = (
    EventKind.FAILED,
    EventKind.DIED,
    EventKind.GONE,
    EventKind.MOVED,
    EventKind.CHANGED,
    EventKind.NEW,
    EventKind.REVIVED,
)


class EventName(NamedTuple):
    """An event by its names: the run that saw it, and its id."""

    run_id: str
    event_id: str


@dataclass(frozen=True, slots=True)
class Notice:
    """What a target is told, or was: how many events, how often that was tried, what went wrong last."""

    notice_id: str
    target: str
    made_at: datetime
    events: int
    next_try: datetime
    attempts: int = 0
    trouble: str = ""
    sent_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """A notice with its events, as it is delivered; `counts` has all of them by kind, `events` the worst."""

    notice_id: str
    target: str
    made_at: datetime
    counts: Mapping[EventKind, int]
    events: tuple[Occurrence, ...]
    is_test: bool = False

    @property
    def more(self) -> int:
        """How many events there are beside those in the message."""
        return sum(self.counts.values()) - len(self.events)


@dataclass(frozen=True, slots=True)
class Delivery:
    """What became of an attempt: `trouble` is empty where the target took it."""

    target: str
    notice_id: str
    events: int
    trouble: str = ""
    next_try: datetime | None = None


@dataclass(frozen=True, slots=True)
class Deliveries:
    """What became of every attempt."""

    attempts: tuple[Delivery, ...] = ()

    @property
    def failed(self) -> tuple[Delivery, ...]:
        """Those that a target did not take."""
        return tuple(each for each in self.attempts if each.trouble)


@dataclass(frozen=True, slots=True)
class NoticeList:
    """Who is told, what waits for them, and what was sent last.

    `owed` counts the runs whose events were not gathered yet, by target; one that the settings do not name
    any more may be among them.
    """

    targets: tuple[Target, ...]
    owed: Mapping[str, int]
    unsent: tuple[Notice, ...]
    sent: tuple[Notice, ...]


def notice_id(target: str, events: Iterable[EventName]) -> str:
    """What a notice is called: a function of whom it tells of what."""
    return id_of("notice", target, *sorted(event.event_id for event in events))


def next_try(now: datetime, attempts: int) -> datetime:
    """When to try again after so many attempts that failed."""
    wait = timedelta(seconds=_FIRST.total_seconds() * 4.0 ** min(attempts - 1, 8))
    return now + min(wait, _LONGEST)


def digest_is_due(target: Target, oldest: datetime, now: datetime) -> bool:
    """Whether what was gathered since `oldest` is told now; times of day are those of `now`."""
    if target.digest is Digest.RUN:
        return True
    at = now.replace(hour=target.at.hour, minute=target.at.minute, second=target.at.second, microsecond=0)
    last = at if at <= now else at - timedelta(days=1)
    return oldest < last


def worst_first(events: Iterable[Occurrence], most: int = MOST_EVENTS) -> list[Occurrence]:
    """The worst of any number of events, in the order in which they are told."""
    return nsmallest(most, events, key=lambda event: (_WORST.index(event.kind), event.url, event.at))
