"""Runs: identity in `run`, written once; where they stand in `run_progress`."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Final

from holdfast.core.base.errors import LedgerError
from holdfast.core.base.hashing import ContentHash, SettingsDigest, UrlKey
from holdfast.core.lineage.lineage import Job, Run, RunRecord, RunStatus, RunTally, seal
from holdfast.storage.ledger.columns import micros, moment, moment_or_none, recipe_of
from holdfast.storage.ledger.connection import LedgerSession, label_number, recipe_number
from holdfast.storage.ledger.kept_sums import begin_brought, recount_brought

if TYPE_CHECKING:
    from holdfast.storage.ledger.database import Database, Row

_RUN: Final = """
SELECT r.run_id, r.job, p.version, p.identity_digest, r.started_at, l.name, r.reprocessing_of,
       g.status, g.updated_at, g.ended_at, g.seal, g.summary, t.words
FROM run r JOIN recipe p ON p.recipe_id = r.recipe_id JOIN label l ON l.label_id = r.label_id
JOIN run_progress g ON g.run_seq = r.run_seq LEFT JOIN run_trouble t ON t.run_seq = r.run_seq
"""
_LABELS: Final = """
SELECT DISTINCT l.name FROM run r CROSS JOIN label l WHERE l.label_id = r.label_id AND r.job = $1
"""
_NEW_RUN: Final = """
INSERT INTO run (run_id, job, recipe_id, label_id, started_at, reprocessing_of, rank, stamp)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (run_id) DO NOTHING RETURNING run_seq
"""
_NEW_PROGRESS: Final = "INSERT INTO run_progress (run_seq, status, updated_at) VALUES ($1, $2, $3)"
_FIRST_LATER: Final = "SELECT min(run_seq) FROM run WHERE rank IS NULL AND started_at > $1"
_LAST_BEFORE: Final = "SELECT max(run_seq) FROM run WHERE rank IS NULL AND run_seq < $1"
_NO_END: Final = 2**62
_OWED: Final = "INSERT INTO owed (target, run_seq) VALUES ($1, $2) ON CONFLICT DO NOTHING"
_LATEST_FIRST: Final = "coalesce(r.rank, r.run_seq) DESC, r.stamp DESC, r.run_seq DESC"
_AFTER_ALL: Final = "\U0010ffff"
_OBSERVED: Final = """
SELECT u.url_key, i.content_sha256 FROM observation o
JOIN url u ON u.url_id = o.url_id JOIN item i ON i.item_seq = o.item_seq
WHERE o.run_seq = $1 AND NOT EXISTS (
    SELECT 1 FROM observation later WHERE later.recipe_id = o.recipe_id AND later.url_id = o.url_id
    AND (later.rank, later.stamp, later.observation_id) > (o.rank, o.stamp, o.observation_id)
    AND later.run_seq = o.run_seq)
ORDER BY u.url_key
"""


class RunTable:
    """Runs. A run's identity is written once; where it stands is not."""

    def __init__(self, session: LedgerSession) -> None:
        self._session = session
        self._db = session.db

    def begin_run(self, run: Run, owed_to: Collection[str] = (), *, is_brought: bool = False) -> None:
        """Write a run, and, in the same transaction, to which targets its events are owed (TRK-10); of a run
        that is there, the latter alone. The same version string with other identity settings: VersionError
        (VER-2). One that `is_brought` from elsewhere is placed among the others by its beginning (LIN-10).
        """
        with self._session.writing():
            known = self.run(run.run_id)
            recipe_id = recipe_number(self._db, run.recipe, run.identity_digest)
            if known is not None and known.run.run_id == run.run_id:
                _require_same(known, run)
                seq = self._session.run(run.run_id).run_seq
            else:
                label_id = label_number(self._db, run.label)
                started = micros(run.started_at)
                rank = run_rank(self._db, started) if is_brought else (None, 0)
                values = (run.run_id, run.job, recipe_id, label_id, started, run.reprocessing_of, *rank)
                if seq := self._db.number(_NEW_RUN, values):
                    self._db.execute(_NEW_PROGRESS, (seq, RunStatus.RUNNING, started))
                    begin_brought(self._db, seq)
                else:
                    _require_same(self.run(run.run_id), run)
                    seq = self._session.run(run.run_id).run_seq
            self._db.execute_many(_OWED, [(target, seq) for target in sorted(owed_to)])

    def update_run(
        self,
        run_id: str,
        status: RunStatus,
        at: datetime,
        tally: RunTally | None = None,
        trouble: str = "",
    ) -> None:
        """Write where a run stands, and what ended it early; a run that was stopped and runs again is still
        the same run.
        """
        text = None if tally is None else json.dumps(tally.flat(), sort_keys=True)
        with self._session.writing():
            seq = self._session.run_to_write(run_id).run_seq
            self._db.execute(
                "UPDATE run_progress SET status = $1, updated_at = $2, ended_at = NULL, seal = NULL,"
                " summary = coalesce($3, summary) WHERE run_seq = $4",
                (status, micros(at), text, seq),
            )
            self._note_trouble(seq, trouble)

    def end_run(self, run_id: str, at: datetime, tally: RunTally) -> str:
        """Write the end of a run, and its seal (LIN-8), which is returned."""
        with self._session.writing():
            seq = self._session.run_to_write(run_id).run_seq
            digest = seal_of(self._db, seq)
            text = json.dumps(tally.flat(), sort_keys=True)
            self._db.execute(
                "UPDATE run_progress SET status = $1, updated_at = $2, ended_at = $2, seal = $3, summary = $4"
                " WHERE run_seq = $5",
                (RunStatus.FINISHED, micros(at), digest, text, seq),
            )
            self._note_trouble(seq, "")
            recount_brought(self._db)
        return digest

    def seal_of(self, run_id: str) -> str:
        """Read the seal over what a run saw, made anew (LIN-8)."""
        return seal_of(self._db, self._session.run(run_id).run_seq)

    def run(self, run_id: str) -> RunRecord | None:
        """Read a run by its id, or by the beginning of it where only one run begins so."""
        sql = _RUN + "WHERE r.run_id BETWEEN $1 AND $2 LIMIT 2"
        found = list(self._db.rows(sql, (run_id, run_id + _AFTER_ALL)))
        if len(found) > 1:
            found = list(self._db.rows(_RUN + "WHERE r.run_id = $1", (run_id,)))
        return _record(found[0]) if found else None

    def latest_first(self, *, label: str | None = None, job: Job | None = None) -> Iterator[RunRecord]:
        """Read runs, the one that was begun last first (LIN-10)."""
        sql = _RUN + "WHERE coalesce($1, l.name) = l.name AND coalesce($2, r.job) = r.job"
        for row in self._db.stream(sql + f" ORDER BY {_LATEST_FIRST}", (label, job)):
            yield _record(row)

    def labels(self, job: Job) -> frozenset[str]:
        """Read the labels of all runs of a job, and nothing else of them: a damaged run has one, too."""
        return frozenset(name for (name,) in self._db.stream(_LABELS, (job,)))

    def _note_trouble(self, run_seq: int, words: str) -> None:
        self._db.execute("DELETE FROM run_trouble WHERE run_seq = $1", (run_seq,))
        if words:
            self._db.execute("INSERT INTO run_trouble (run_seq, words) VALUES ($1, $2)", (run_seq, words))


def run_rank(db: Database, started_at: int) -> tuple[int, int]:
    """The rank and the stamp of a run that is brought: it stands behind the last one of this store's own
    before the first that began later.
    """
    later = db.number(_FIRST_LATER, (started_at,)) or _NO_END
    return db.number(_LAST_BEFORE, (later,)), max(started_at, 1)


def _require_same(known: RunRecord | None, run: Run) -> None:
    """A run is written once: again is not otherwise."""
    if known is None or known.run != run:
        raise LedgerError(f"there is another run with the id {run.run_id}")


def _record(row: Row) -> RunRecord:
    run = Run(
        run_id=row[0],
        job=Job(row[1]),
        recipe=recipe_of(row[2]),
        identity_digest=SettingsDigest(row[3]),
        started_at=moment(row[4]),
        label=row[5],
        reprocessing_of=row[6],
    )
    tally = RunTally.of(json.loads(row[11]))
    return RunRecord(
        run, RunStatus(row[7]), moment(row[8]), moment_or_none(row[9]), row[10], tally, row[12] or ""
    )


def seal_of(db: Database, run_seq: int) -> str:
    """The seal over what a run saw last of each URL."""
    return seal((UrlKey(k.hex()), ContentHash(c.hex())) for k, c in db.stream(_OBSERVED, (run_seq,)))
