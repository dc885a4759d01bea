"""The outbox: `owed`, `notice`, `notice_event`. Names and times; what happened is in the other tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from holdfast.core.lineage.event_kind import EventName, Notice
from holdfast.storage.ledger.columns import micros, moment, moment_or_none

if TYPE_CHECKING:
    from holdfast.storage.ledger.connection import LedgerSession
    from holdfast.storage.ledger.database import Row

_NOTICE: Final = """
SELECT notice_id, target, made_at, events, next_try, attempts, trouble, sent_at FROM notice
"""
_OVER: Final = """
DELETE FROM notice_event WHERE notice_seq = (SELECT notice_seq FROM notice WHERE notice_id = $1)
AND EXISTS (
    SELECT 1 FROM run_progress g WHERE g.run_seq = notice_event.run_seq AND g.ended_at IS NOT NULL)
"""


class OutboxTable:
    """Notices on their way (TRK-10). That a run is owed is written by `RunLedger.begin_run`, with the run."""

    def __init__(self, session: LedgerSession) -> None:
        self._session = session
        self._db = session.db

    def owed(self, target: str) -> tuple[str, ...]:
        """Read the runs whose events a target has not been told, the earliest first."""
        sql = "SELECT r.run_id FROM owed o JOIN run r ON r.run_seq = o.run_seq WHERE o.target = $1"
        return tuple(row[0] for row in self._db.rows(sql + " ORDER BY o.run_seq", (target,)))

    def told(self, target: str) -> frozenset[str]:
        """Read the events that stand in a notice to a target. Once the notice was sent and the run is over,
        nobody can ask for them again, and they are let go.
        """
        rows = self._db.rows("SELECT event_id FROM notice_event WHERE target = $1", (target,))
        return frozenset(row[0] for row in rows)

    def gather(
        self, notice: Notice | None, events: Sequence[EventName], target: str, runs: Collection[str]
    ) -> None:
        """Write a notice with the names of its events, and that the target is not owed these runs any more,
        in one transaction. Without a notice there was nothing to tell.
        """
        with self._session.writing():
            numbers = {run_id: self._session.run(run_id).run_seq for run_id in runs}
            if notice is not None:
                self._put(notice, [(event.event_id, numbers[event.run_id]) for event in events])
            self._db.execute_many(
                "DELETE FROM owed WHERE target = $1 AND run_seq = $2",
                [(target, number) for number in numbers.values()],
            )

    def _put(self, notice: Notice, events: Sequence[tuple[str, int]]) -> None:
        row = self._db.row(
            "INSERT INTO notice (notice_id, target, made_at, events, attempts, next_try, trouble)"
            " VALUES ($1, $2, $3, $4, 0, $5, '') ON CONFLICT (notice_id) DO NOTHING RETURNING notice_seq",
            (notice.notice_id, notice.target, micros(notice.made_at), notice.events, micros(notice.next_try)),
        )
        if row is None:
            return
        self._db.execute_many(
            "INSERT INTO notice_event (target, event_id, run_seq, notice_seq) VALUES ($1, $2, $3, $4)"
            " ON CONFLICT DO NOTHING",
            [(notice.target, event_id, run_seq, row[0]) for event_id, run_seq in events],
        )

    def unsent(self) -> tuple[Notice, ...]:
        """Read the notices that nobody took yet, in the order in which they were made."""
        rows = self._db.rows(_NOTICE + "WHERE sent_at IS NULL ORDER BY notice_seq")
        return tuple(map(_notice, rows))

    def sent(self, limit: int) -> tuple[Notice, ...]:
        """Read the notices that were taken, the latest first."""
        rows = self._db.rows(_NOTICE + "WHERE sent_at IS NOT NULL ORDER BY sent_at DESC LIMIT $1", (limit,))
        return tuple(map(_notice, rows))

    def events_of(self, notice_id: str) -> Mapping[str, frozenset[str]]:
        """Read the events of a notice that was not sent, by the run that saw them."""
        sql = """
        SELECT r.run_id, e.event_id FROM notice n JOIN notice_event e ON e.notice_seq = n.notice_seq
        JOIN run r ON r.run_seq = e.run_seq WHERE n.notice_id = $1 ORDER BY r.run_seq
        """
        found: dict[str, set[str]] = {}
        for run_id, event_id in self._db.rows(sql, (notice_id,)):
            found.setdefault(run_id, set()).add(event_id)
        return {run_id: frozenset(events) for run_id, events in found.items()}

    def failed(self, notice_id: str, trouble: str, next_try: datetime) -> None:
        """Write that a target did not take a notice, and when to try again."""
        with self._session.writing():
            self._db.execute(
                "UPDATE notice SET attempts = attempts + 1, trouble = $1, next_try = $2 WHERE notice_id = $3",
                (trouble, micros(next_try), notice_id),
            )

    def acknowledge(self, notice_id: str, at: datetime) -> None:
        """Write that a target took a notice."""
        with self._session.writing():
            self._db.execute(
                "UPDATE notice SET attempts = attempts + 1, sent_at = $1 WHERE notice_id = $2",
                (micros(at), notice_id),
            )
            self._db.execute(_OVER, (notice_id,))

    def drop(self, target: str) -> int:
        """Write that a target is owed nothing; how many notices were let go."""
        with self._session.writing():
            self._db.execute("DELETE FROM owed WHERE target = $1", (target,))
            waiting = "SELECT notice_seq FROM notice WHERE sent_at IS NULL AND target = $1"
            self._db.execute(f"DELETE FROM notice_event WHERE notice_seq IN ({waiting})", (target,))
            return self._db.execute("DELETE FROM notice WHERE sent_at IS NULL AND target = $1", (target,))

    def targets(self) -> Mapping[str, int]:
        """Read who is owed anything: the number of runs not yet gathered, by target."""
        return dict(self._db.rows("SELECT target, count(*) FROM owed GROUP BY target ORDER BY target"))


def _notice(row: Row) -> Notice:
    return Notice(
        row[0], row[1], moment(row[2]), row[3], moment(row[4]), row[5], row[6], moment_or_none(row[7])
    )
