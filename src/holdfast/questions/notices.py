"""What a target is to be told: the events of the runs it is owed, and a notice as the message that it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from holdfast.core.answers.events import Occurrence
from holdfast.core.distill_options import DistillOptions
from holdfast.core.event_kind import EventKind
from holdfast.core.ledger import RunRecord
from holdfast.core.notify.message import Message, NoticeList, digest_is_due, worst_first
from holdfast.core.notify.notice import EventName, Notice, notice_id
from holdfast.core.notify.target import Target
from holdfast.core.notify.wanted import may_want, needs_reading, wants
from holdfast.core.values import dataclass
from holdfast.ports import Archive, Ledger
from holdfast.questions.events import events_of_run, is_first_run, with_diff

__all__ = ["Gathered", "compose", "gathered", "is_anything_owed", "notice_list"]

_LATEST = 20


@dataclass(frozen=True, slots=True)
class Gathered:
    """A notice with the names of its events, if there is anything to tell, and the runs that it settles."""

    notice: Notice | None
    events: tuple[EventName, ...]
    runs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Held:
    """What events are read from."""

    ledger: Ledger
    archive: Archive
    options: DistillOptions

    def of_run(self, run: RunRecord) -> Iterator[Occurrence]:
        """The events of a run; a mirror's first has no pages that are new: all of them are."""
        return events_of_run(self.ledger, run, new=not is_first_run(self.ledger, run))

    def whole(self, event: Occurrence) -> Occurrence:
        """An event with its difference, and its title where only the copy has one."""
        found = with_diff(self.ledger, self.archive, event, self.options)
        return found if found.title or found.page is None else replace(found, title=found.page.title)

    def wanted(self, target: Target, run: RunRecord) -> Iterator[Occurrence]:
        """The events of a run that a target wants to be told."""
        for event in self.of_run(run):
            if may_want(target.wanted, event):
                known = self.whole(event) if needs_reading(target.wanted, event) else event
                if wants(target.wanted, known):
                    yield event


def gathered(
    ledger: Ledger,
    archive: Archive,
    target: Target,
    now: datetime,
    options: DistillOptions,
    *,
    at_once: bool = False,
) -> Gathered | None:
    """What a target is owed, but for what it was told; None: it is owed nothing, or its day is not over."""
    runs = [run for name in ledger.outbox.owed(target.name) if (run := ledger.runs.run(name))]
    if not runs:
        return None
    oldest = min(run.run.started_at for run in runs)
    if not at_once and not digest_is_due(target, oldest, now.astimezone()):
        return None
    told, held = ledger.outbox.told(target.name), _Held(ledger, archive, options)
    names = tuple(
        EventName(run.run.run_id, event.event_id)
        for run in runs
        for event in held.wanted(target, run)
        if event.event_id not in told
    )
    notice = Notice(notice_id(target.name, names), target.name, now, len(names), now) if names else None
    return Gathered(notice, names, tuple(run.run.run_id for run in runs))


def compose(ledger: Ledger, archive: Archive, notice: Notice, options: DistillOptions) -> Message:
    """A notice as a message: its events read anew, the worst of them with their differences. What is
    forgotten by now, or not true any more, is left out.
    """
    counts: Counter[EventKind] = Counter()
    held = _Held(ledger, archive, options)

    def counted() -> Iterator[Occurrence]:
        for run_id, names in ledger.outbox.events_of(notice.notice_id).items():
            run = ledger.runs.run(run_id)
            for event in held.of_run(run) if run else ():
                if event.event_id in names:
                    counts[event.kind] += 1
                    yield event

    events = tuple(held.whole(event) for event in worst_first(counted()))
    return Message(notice.notice_id, notice.target, notice.made_at, dict(counts), events)


def notice_list(ledger: Ledger, targets: tuple[Target, ...]) -> NoticeList:
    """Who is told, what waits for them, and what was sent last."""
    outbox = ledger.outbox
    return NoticeList(targets, outbox.targets(), outbox.unsent(), outbox.sent(_LATEST))


def is_anything_owed(ledger: Ledger) -> bool:
    """Whether somebody waits to be told anything."""
    return bool(ledger.outbox.targets() or ledger.outbox.unsent())
