"""Tell what happened, once: from runs that are owed to notices, from notices to those who want them (TRK-10).

    1  gather    the events of runs that a target is owed, but for those it was told, into a notice
    2  compose   a notice that is due: its events read anew from the ledger, with their differences
    3  deliver   to the target; that it took it is written down before the next one is tried

What is forgotten, or not true any more, by the time a notice is composed is left out of it. The first run of
a mirror has no page that is new: all of them are. Nothing that a target does is an error of this job.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from holdfast.core.answers.events import Occurrence
from holdfast.core.distill_options import DistillOptions
from holdfast.core.event_kind import EventKind
from holdfast.core.ledger import RunRecord
from holdfast.core.notify.notice import (
    Deliveries,
    Delivery,
    EventName,
    Message,
    Notice,
    digest_is_due,
    next_try,
    notice_id,
    worst_first,
)
from holdfast.core.notify.target import Target
from holdfast.core.notify.wanted import may_want, needs_reading, wants
from holdfast.ports import Archive, Clock, Ledger, Messenger
from holdfast.questions.events import events_of_run, is_first_run, with_diff

__all__ = ["Notifier", "trial_message"]


@dataclass(frozen=True, slots=True)
class Notifier:
    """Gathers and delivers. When a day is over is decided by the local time of the machine."""

    ledger: Ledger
    archive: Archive
    messenger: Messenger
    clock: Clock
    options: DistillOptions

    def run(self, targets: Sequence[Target], *, at_once: bool = False) -> Deliveries:
        """Gather and deliver; `at_once` waits neither for the end of a day nor for the next try."""
        for target in targets:
            self._gather(target, at_once=at_once)
        return Deliveries(tuple(self._deliver({each.name: each for each in targets}, at_once=at_once)))

    def _gather(self, target: Target, *, at_once: bool) -> None:
        outbox, now = self.ledger.outbox, self.clock.now()
        runs = [run for name in outbox.owed(target.name) if (run := self.ledger.runs.run(name))]
        if not runs:
            return
        oldest = min(run.run.started_at for run in runs)
        if not at_once and not digest_is_due(target, oldest, now.astimezone()):
            return
        told = outbox.told(target.name)
        names = [
            EventName(run.run.run_id, event.event_id)
            for run in runs
            for event in self._wanted(target, run)
            if event.event_id not in told
        ]
        notice = None
        if names:
            notice = Notice(notice_id(target.name, names), target.name, now, len(names), now)
        outbox.gather(notice, names, target.name, [run.run.run_id for run in runs])

    def _wanted(self, target: Target, run: RunRecord) -> Iterator[Occurrence]:
        for event in self._events(run):
            if may_want(target.wanted, event):
                known = self._whole(event) if needs_reading(target.wanted, event) else event
                if wants(target.wanted, known):
                    yield event

    def _events(self, run: RunRecord) -> Iterator[Occurrence]:
        return events_of_run(self.ledger, run, new=not is_first_run(self.ledger, run))

    def _deliver(self, targets: dict[str, Target], *, at_once: bool) -> Iterator[Delivery]:
        waiting: set[str] = set()
        outbox = self.ledger.outbox
        for notice in outbox.unsent():
            target = targets.get(notice.target)
            if target is None or target.name in waiting:
                continue
            if notice.next_try > self.clock.now() and not at_once:
                waiting.add(target.name)
                continue
            message = self._compose(notice)
            trouble = self.messenger.deliver(target, message) if message.events else ""
            now = self.clock.now()
            if trouble:
                again = next_try(now, notice.attempts + 1)
                outbox.failed(notice.notice_id, trouble, again)
                waiting.add(target.name)
                yield Delivery(target.name, notice.notice_id, notice.events, trouble, again)
            else:
                outbox.acknowledge(notice.notice_id, now)
                yield Delivery(target.name, notice.notice_id, len(message.events) + message.more)

    def _compose(self, notice: Notice) -> Message:
        counts: Counter[EventKind] = Counter()

        def counted() -> Iterator[Occurrence]:
            for run_id, names in self.ledger.outbox.events_of(notice.notice_id).items():
                run = self.ledger.runs.run(run_id)
                for event in self._events(run) if run else ():
                    if event.event_id in names:
                        counts[event.kind] += 1
                        yield event

        events = tuple(self._whole(event) for event in worst_first(counted()))
        return Message(notice.notice_id, notice.target, notice.made_at, dict(counts), events)

    def _whole(self, event: Occurrence) -> Occurrence:
        whole = with_diff(self.ledger, self.archive, event, self.options)
        if whole.title or whole.page is None:
            return whole
        return replace(whole, title=whole.page.title)


def trial_message(target: str, now: datetime) -> Message:
    """What `holdfast notify test` sends: a message without events that says so."""
    return Message(notice_id(target, [EventName("", now.isoformat())]), target, now, {}, (), is_test=True)
