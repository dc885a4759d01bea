"""A notice with its events, as it is delivered: which, in which order, and when.

1. The worst is told first. A message holds up to a hundred events; the rest are counted.
2. By day: what was gathered is told at the first moment after that time of day, if anything was.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from heapq import nsmallest
from typing import Final

from holdfast.core.answers.events import Occurrence
from holdfast.core.event_kind import EventKind
from holdfast.core.notify.notice import Notice
from holdfast.core.notify.target import Digest, Target
from holdfast.core.values import dataclass

__all__ = ["MOST_EVENTS", "Message", "NoticeList", "digest_is_due", "worst_first"]

MOST_EVENTS: Final = 100
_WORST: Final = (
    EventKind.FAILED,
    EventKind.DIED,
    EventKind.GONE,
    EventKind.MOVED,
    EventKind.CHANGED,
    EventKind.NEW,
    EventKind.REVIVED,
)


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
class NoticeList:
    """Who is told, what waits for them, and what was sent last.

    `owed` counts the runs whose events were not gathered yet, by target; one that the settings do not name
    any more may be among them.
    """

    targets: tuple[Target, ...]
    owed: Mapping[str, int]
    unsent: tuple[Notice, ...]
    sent: tuple[Notice, ...]


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
