"""The outbox, in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from holdfast.adapters.memory.state import MemoryState
from holdfast.core.notify.notice import EventName, Notice

__all__ = ["MemoryOutbox"]


class MemoryOutbox:
    """The `OutboxLedger` port."""

    def __init__(self, state: MemoryState) -> None:
        self._state = state
        self._notices: dict[str, Notice] = {}
        self._events: dict[str, tuple[EventName, ...]] = {}

    def owed(self, target: str) -> tuple[str, ...]:
        """The runs whose events a target has not been told."""
        return tuple(run_id for run_id in self._state.runs if (target, run_id) in self._state.owed)

    def told(self, target: str) -> frozenset[str]:
        """The events that stand in a notice to a target."""
        own = [notice_id for notice_id, notice in self._notices.items() if notice.target == target]
        return frozenset(event.event_id for each in own for event in self._events[each])

    def gather(
        self, notice: Notice | None, events: Sequence[EventName], target: str, runs: Collection[str]
    ) -> None:
        """Write a notice, and that the events of these runs are no longer owed."""
        for run_id in runs:
            self._state.known_run(run_id)
        if notice is not None and notice.notice_id not in self._notices:
            self._notices[notice.notice_id] = notice
            self._events[notice.notice_id] = tuple(events)
        self._state.owed -= {(target, run_id) for run_id in runs}

    def unsent(self) -> tuple[Notice, ...]:
        """The notices that nobody took yet."""
        return tuple(notice for notice in self._notices.values() if notice.sent_at is None)

    def sent(self, limit: int) -> tuple[Notice, ...]:
        """The notices that were taken, the latest first."""
        taken = [(notice.sent_at, notice) for notice in self._notices.values() if notice.sent_at is not None]
        return tuple(notice for _, notice in sorted(taken, key=lambda pair: pair[0], reverse=True)[:limit])

    def events_of(self, notice_id: str) -> Mapping[str, frozenset[str]]:
        """The events of a notice, by run."""
        found: dict[str, set[str]] = {}
        for event in self._events.get(notice_id, ()):
            found.setdefault(event.run_id, set()).add(event.event_id)
        return {run_id: frozenset(found[run_id]) for run_id in self._state.runs if run_id in found}

    def failed(self, notice_id: str, trouble: str, next_try: datetime) -> None:
        """A target did not take a notice."""
        known = self._notices[notice_id]
        self._notices[notice_id] = replace(
            known, attempts=known.attempts + 1, trouble=trouble, next_try=next_try
        )

    def acknowledge(self, notice_id: str, at: datetime) -> None:
        """A target took a notice."""
        known = self._notices[notice_id]
        self._notices[notice_id] = replace(known, attempts=known.attempts + 1, sent_at=at)
        self._events[notice_id] = tuple(
            event for event in self._events[notice_id] if self._state.known_run(event.run_id).ended_at is None
        )

    def drop(self, target: str) -> int:
        """A target is owed nothing."""
        self._state.owed = {pair for pair in self._state.owed if pair[0] != target}
        waiting = [notice.notice_id for notice in self.unsent() if notice.target == target]
        for notice_id in waiting:
            del self._notices[notice_id], self._events[notice_id]
        return len(waiting)

    def targets(self) -> Mapping[str, int]:
        """How many runs each target is owed."""
        return dict(sorted(Counter(target for target, _ in self._state.owed).items()))
