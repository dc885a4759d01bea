"""Tell what happened, once: from runs that are owed to notices, from notices to those who want them (TRK-10).

    1  gather    the events of runs that a target is owed, but for those it was told, into a notice
    2  compose   a notice that is due: its events read anew from the ledger, with their differences
    3  deliver   to the target; that it took it is written down before the next one is tried

Nothing that a target does is an error of this job. When a day is over is decided by the machine's local time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from holdfast.core.distill_options import DistillOptions
from holdfast.core.notify.message import Message
from holdfast.core.notify.notice import Deliveries, Delivery, EventName, Notice, next_try, notice_id
from holdfast.core.notify.target import Target
from holdfast.core.values import dataclass
from holdfast.ports import Archive, Clock, Keeper, Ledger
from holdfast.ports.messenger import Messenger
from holdfast.questions.notices import compose, gathered

__all__ = ["Notifier", "trial_message"]


@dataclass(frozen=True, slots=True)
class Notifier:
    """Gathers and delivers."""

    keeper: Keeper
    messenger: Messenger
    clock: Clock
    options: DistillOptions

    def run(self, targets: Sequence[Target], *, at_once: bool = False) -> Deliveries:
        """Gather and deliver; `at_once` waits neither for the end of a day nor for the next try."""
        for target in targets:
            self._gather(target, at_once=at_once)
        return Deliveries(tuple(self._deliver({each.name: each for each in targets}, at_once=at_once)))

    def _gather(self, target: Target, *, at_once: bool) -> None:
        now = self.clock.now()

        def step(ledger: Ledger, archive: Archive) -> None:
            found = gathered(ledger, archive, target, now, self.options, at_once=at_once)
            if found is not None:
                ledger.outbox.gather(found.notice, found.events, target.name, found.runs)

        self.keeper.now(step)

    def _deliver(self, targets: Mapping[str, Target], *, at_once: bool) -> Iterator[Delivery]:
        waiting: set[str] = set()
        for notice in self.keeper.now(lambda ledger, _: ledger.outbox.unsent()):
            target = targets.get(notice.target)
            if target is None or target.name in waiting:
                continue
            if notice.next_try > self.clock.now() and not at_once:
                waiting.add(target.name)
                continue
            done = self._hand_over(target, notice)
            if done.trouble:
                waiting.add(target.name)
            yield done

    def _hand_over(self, target: Target, notice: Notice) -> Delivery:
        name, options = notice.notice_id, self.options
        message = self.keeper.now(lambda ledger, archive: compose(ledger, archive, notice, options))
        trouble = self.messenger.deliver(target, message) if message.events else ""
        now = self.clock.now()
        if not trouble:
            self.keeper.now(lambda ledger, _: ledger.outbox.acknowledge(name, now))
            return Delivery(target.name, name, len(message.events) + message.more)
        again = next_try(now, notice.attempts + 1)
        self.keeper.now(lambda ledger, _: ledger.outbox.failed(name, trouble, again))
        return Delivery(target.name, name, notice.events, trouble, again)


def trial_message(target: str, now: datetime) -> Message:
    """What `holdfast notify test` sends: a message without events that says so."""
    return Message(notice_id(target, [EventName("", now.isoformat())]), target, now, {}, (), is_test=True)
