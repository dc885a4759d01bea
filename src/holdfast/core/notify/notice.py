"""A notice: events that are told to a target together, once; and when once more.

1. A notice is written down with the names of its events before anybody tries to deliver it; it is sent when
   the target took it and that is written down. Who is killed in between delivers the same notice again, by
   the same id: whoever takes it can tell.
2. A delivery that fails is tried again after a minute, then after four times as long each time, and every six
   hours in the end. Notices of one target go in order: while one waits, those after it wait too.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from holdfast.core.hashing import id_of
from holdfast.core.values import dataclass

__all__ = [
    "Deliveries",
    "Delivery",
    "EventName",
    "Notice",
    "NoticesDropped",
    "next_try",
    "notice_id",
]

_FIRST: Final = timedelta(minutes=1)
_LONGEST: Final = timedelta(hours=6)


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
class NoticesDropped:
    """That a target waits for nothing any more, and how many notices there were for it."""

    target: str
    notices: int


def notice_id(target: str, events: Iterable[EventName]) -> str:
    """What a notice is called: a function of whom it tells of what."""
    return id_of("notice", target, *sorted(event.event_id for event in events))


def next_try(now: datetime, attempts: int) -> datetime:
    """When to try again after so many attempts that failed."""
    wait = timedelta(seconds=_FIRST.total_seconds() * 4.0 ** min(attempts - 1, 8))
    return now + min(wait, _LONGEST)
