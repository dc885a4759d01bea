"""What can happen to a page, to a cited URL, or to a mirror: a closed set; and notices that are owed.

A row of `EventKind` is all that defines an event: the ledger, feeds, notifications, pages and schemas speak
of events by these words.

1. What is told without being asked for is what is new or worse; what got better is told where it is wanted.
2. The words are kept in ledgers: a word never changes its meaning.

The `detail` of a `changed` event is what is known beside that it happened:

    same       the cited section says what it said before: the change is elsewhere on the page
    changed    the cited section itself says something else
    missing    the cited section is gone
    unknown    nobody can tell: it was not looked at before, or is not for markup to say

A notice is events that are told to a target together, once; and when once more.

3. A notice is written down with the names of its events before anybody tries to deliver it; it is sent when
   the target took it and that is written down. Who is killed in between delivers the same notice again, by
   the same id: whoever takes it can tell.
4. A delivery that fails is tried again after a minute, then after four times as long each time, and every
   six hours in the end. Notices of one target go in order: while one waits, those after it wait too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, NamedTuple

from holdfast.core.base.difference import Drift
from holdfast.core.base.hashing import id_of
from holdfast.core.base.values import dataclass


class EventKind(StrEnum):
    """What happened."""

    is_told: bool
    """Whether a notification speaks of it unless told otherwise."""
    sentence: str
    """What a reader is told."""

    def __new__(cls, name: str, is_told: bool = False, sentence: str = "") -> EventKind:  # noqa: FBT001, FBT002 # a row
        """A kind with its row."""
        kind = str.__new__(cls, name)
        kind._value_ = name
        kind.is_told, kind.sentence = is_told, sentence
        return kind

    NEW = "new", True, "a page came to a mirror"
    CHANGED = "changed", True, "a page, or what is cited, says something else"
    GONE = "gone", True, "a mirrored site has the page no more"
    DIED = "died", True, "what is cited is dead, and that is confirmed"
    FAILED = "failed", True, "a run of a mirror failed"
    MOVED = "moved", False, "what is cited moved for good"
    REVIVED = "revived", False, "what is cited was dead, and answers again"


class SectionVerdict(StrEnum):
    """What a change of a page means for one of its sections."""

    SAME = "same"
    CHANGED = "changed"
    MISSING = "missing"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ChangeDetail:
    """How much changed, and what of that concerns the sections that are cited, by fragment."""

    drift: Drift | None = None
    sections: Mapping[str, SectionVerdict] = field(default_factory=dict)


def judge_sections(
    before: Mapping[str, str], after: Mapping[str, str], is_there: Mapping[str, bool | None]
) -> dict[str, SectionVerdict]:
    """What a new revision means for each section: hashes before and after, and whether it is there now."""
    verdicts = {}
    for name, there in sorted(is_there.items()):
        old, new = before.get(name), after.get(name)
        if there is False:
            verdicts[name] = SectionVerdict.MISSING
        elif not there or old is None or new is None or _version(old) != _version(new):
            verdicts[name] = SectionVerdict.UNKNOWN
        else:
            verdicts[name] = SectionVerdict.SAME if old == new else SectionVerdict.CHANGED
    return verdicts


def _version(section_hash: str) -> str:
    return section_hash.partition("-")[0]


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
