"""The queue of jobs, their leases, and the lanes of hosts, on the ledger's server.

1. A lease lasts for a few seconds and is renewed. Whoever is not heard of for longer loses it: the next one
   takes the job under a higher epoch.
2. A transaction of the run holds the job's row (FOR SHARE) from its first statement to its end, and finds no
   row where the epoch is over. So nobody takes a job while its owner commits, and nobody commits after the
   job was taken. Sessions of an owner whose lease is over are ended by whoever looks for work: one that
   stands still in the middle of a COPY would hold its locks for ever.
3. A claim skips rows that others hold (SKIP LOCKED): claims never wait for each other.
4. A host's lane is leased like a job, and given back when the host was asked for a while: who waits gets it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from holdfast.core.base.errors import LockedError
from holdfast.core.lineage.shared_jobs import JobLease, JobState, QueuedJob
from holdfast.storage.ledger.database import ConstraintError, Row

if TYPE_CHECKING:
    from holdfast.storage.postgres.postgres_server import PostgresDatabase

_SUBMIT: Final = """
INSERT INTO job (name, command, is_queued, state, submitted_at, epoch, attempts)
VALUES ($1, $2, $3, 'ready', clock_timestamp(), 0, 0) RETURNING job_id
"""
_LEFT_BEHIND: Final = "DELETE FROM job WHERE name = $1 AND NOT is_queued AND until < clock_timestamp()"
_FREE: Final = "state = 'ready' OR (state = 'taken' AND until < clock_timestamp())"
_CLAIM: Final = f"""
UPDATE job SET state = 'taken', owner = $1, epoch = epoch + 1, attempts = attempts + 1,
    until = clock_timestamp() + make_interval(secs => $2)
WHERE job_id = (SELECT job_id FROM job WHERE ({_FREE}) AND is_queued = $3 AND ($4::text IS NULL OR name = $4)
                ORDER BY job_id LIMIT 1 FOR UPDATE SKIP LOCKED)
RETURNING job_id, epoch, name, command
"""
_END_SESSIONS: Final = """
SELECT count(pg_terminate_backend(a.pid)) FROM job j
JOIN pg_stat_activity a ON a.application_name = 'holdfast job ' || j.job_id || ' epoch ' || j.epoch
WHERE j.state = 'taken' AND j.until < clock_timestamp()
"""
_RENEW: Final = """
UPDATE job SET until = clock_timestamp() + make_interval(secs => $1)
WHERE job_id = $2 AND epoch = $3 AND state = 'taken' RETURNING stop_asked
"""
_END: Final = """
UPDATE job SET state = $1, result = $2, until = NULL WHERE job_id = $3 AND epoch = $4 AND state = 'taken'
"""
_CANCEL: Final = """
UPDATE job SET state = 'cancelled', epoch = epoch + 1 WHERE name = $1 AND state IN ('ready', 'taken')
"""
_LIST: Final = """
SELECT job_id, name, state, owner, epoch, attempts, submitted_at,
       coalesce(until > clock_timestamp(), false), result FROM job
"""
_TAKE_LANE: Final = """
INSERT INTO host_lane (host, job_id, epoch, until)
VALUES ($1, $2, $3, clock_timestamp() + make_interval(secs => $4))
ON CONFLICT (host) DO UPDATE SET job_id = excluded.job_id, epoch = excluded.epoch, until = excluded.until
WHERE host_lane.until IS NULL OR host_lane.until < clock_timestamp()
   OR (host_lane.job_id = excluded.job_id AND host_lane.epoch = excluded.epoch)
RETURNING coalesce(extract(epoch FROM next_at - clock_timestamp()), 0)::float8
"""
_RENEW_LANES: Final = """
UPDATE host_lane SET until = clock_timestamp() + make_interval(secs => $1) WHERE job_id = $2 AND epoch = $3
"""
_GIVE_LANE: Final = """
UPDATE host_lane SET job_id = NULL, epoch = NULL, until = NULL,
    next_at = clock_timestamp() + make_interval(secs => $1)
WHERE host = $2 AND job_id = $3 AND epoch = $4
"""


class JobTable:
    """A connection of its own. Not for two threads at once."""

    def __init__(self, db: PostgresDatabase) -> None:
        self._db = db

    def submit(self, name: str, command: Mapping[str, Any]) -> int:
        """Put a job in the queue; one of that name that is not over is refused."""
        return self._add(name, command, is_queued=True)

    def claim(self, owner: str, seconds: float) -> JobLease | None:
        """Take the next job of the queue that nobody holds."""
        self._db.number(_END_SESSIONS)
        row = self._db.row(_CLAIM, (owner, float(seconds), True, None))
        return JobLease(row[0], row[1], row[2], json.loads(row[3])) if row else None

    def begin(self, name: str, owner: str, seconds: float) -> JobLease:
        """Be at something oneself, without the queue; refused where somebody is at it, or it waits there."""
        self._add(name, {}, is_queued=False)
        row = self._db.row(_CLAIM, (owner, float(seconds), False, name))
        if row is None:
            raise _in_hand(name)
        return JobLease(row[0], row[1], row[2], {})

    def _add(self, name: str, command: Mapping[str, Any], *, is_queued: bool) -> int:
        self._db.execute(_LEFT_BEHIND, (name,))
        try:
            return self._db.number(_SUBMIT, (name, json.dumps(command, sort_keys=True), is_queued))
        except ConstraintError:
            raise _in_hand(name) from None

    def renew(self, lease: JobLease, seconds: float) -> int | None:
        """Go on holding a job and its lanes: how often it was asked to stop; None where it is not ours."""
        row = self._db.row(_RENEW, (float(seconds), lease.job_id, lease.epoch))
        if row is None:
            return None
        self._db.execute(_RENEW_LANES, (float(seconds), lease.job_id, lease.epoch))
        return int(row[0])

    def ask_to_stop(self, job_id: int) -> None:
        """Ask the worker of a job to end it: once in order, twice at once."""
        self._db.execute("UPDATE job SET stop_asked = stop_asked + 1 WHERE job_id = $1", (job_id,))

    def leave(self, lease: JobLease) -> None:
        """End a lease that is not of the queue: nothing is left of it."""
        self._db.execute("DELETE FROM job WHERE job_id = $1 AND epoch = $2", (lease.job_id, lease.epoch))

    def end(self, lease: JobLease, state: JobState, result: Mapping[str, Any] | None = None) -> bool:
        """Give a job back: done, failed, or ready for the next one; False where somebody else has it."""
        text = None if result is None else json.dumps(result, sort_keys=True)
        return self._db.execute(_END, (state, text, lease.job_id, lease.epoch)) > 0

    def cancel(self, name: str) -> bool:
        """Take a job out of the queue; its worker finds that the lease is gone."""
        return self._db.execute(_CANCEL, (name,)) > 0

    def job(self, job_id: int) -> QueuedJob | None:
        """A job by its number."""
        row = self._db.row(_LIST + " WHERE job_id = $1", (job_id,))
        return _job(row) if row else None

    def jobs(self, *, is_open: bool = False) -> tuple[QueuedJob, ...]:
        """Every job, or those that are not over, in the order they were asked for."""
        where = " WHERE state IN ('ready', 'taken')" if is_open else " WHERE is_queued OR state = 'taken'"
        return tuple(_job(row) for row in self._db.rows(_LIST + where + " ORDER BY job_id"))

    def take_lane(self, host: str, lease: JobLease, seconds: float) -> float | None:
        """Become the one who asks a host: how many seconds to wait before the first request; None where
        somebody else is.
        """
        row = self._db.row(_TAKE_LANE, (host, lease.job_id, lease.epoch, float(seconds)))
        return max(0.0, float(row[0])) if row else None

    def give_lane(self, host: str, lease: JobLease, pause: float) -> None:
        """Let others ask a host, from `pause` seconds on."""
        self._db.execute(_GIVE_LANE, (float(pause), host, lease.job_id, lease.epoch))

    def close(self) -> None:
        """Let go of the server."""
        self._db.close()


def _job(row: Row) -> QueuedJob:
    number, name, state, owner, epoch, attempts, submitted_at, is_held, result = row
    told = json.loads(result) if result else None
    return QueuedJob(number, name, JobState(state), owner, epoch, attempts, submitted_at, is_held, told)


def _in_hand(name: str) -> LockedError:
    return LockedError(
        f"{name} is running or in the queue already", hint="`holdfast cluster jobs` says where it stands"
    )
