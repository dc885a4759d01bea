"""Runs: identity in `run`, written once; where they stand in `run_progress`."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from typing import Final

from holdfast.adapters.sqlite.connection import Row
from holdfast.adapters.sqlite.outbox import owe
from holdfast.adapters.sqlite.rows import micros, moment, moment_or_none, recipe_of
from holdfast.adapters.sqlite.session import Session
from holdfast.core.errors import LedgerError
from holdfast.core.hashing import ContentHash, SettingsDigest, UrlKey
from holdfast.core.identity import require_same_digest
from holdfast.core.ledger import RunRecord, RunStatus
from holdfast.core.lineage import Job, Run, seal
from holdfast.core.recipe import Recipe

__all__ = ["OBSERVED", "RunTable"]

_RUN: Final = """
SELECT r.run_id, r.job, p.version, p.identity_digest, r.started_at, l.name, r.reprocessing_of,
       g.status, g.updated_at, g.ended_at, g.seal, g.summary, t.words
FROM run r JOIN recipe p ON p.recipe_id = r.recipe_id JOIN label l ON l.label_id = r.label_id
JOIN run_progress g ON g.run_seq = r.run_seq LEFT JOIN run_trouble t ON t.run_seq = r.run_seq
"""
_AFTER_ALL: Final = "\U0010ffff"
OBSERVED: Final = """
SELECT u.url_key, i.content_sha256 FROM observation o
JOIN url u ON u.url_id = o.url_id JOIN item i ON i.item_seq = o.item_seq
WHERE o.run_seq = ? AND NOT EXISTS (
    SELECT 1 FROM observation later WHERE later.recipe_id = o.recipe_id AND later.url_id = o.url_id
    AND (later.fetched_at, later.observation_id) > (o.fetched_at, o.observation_id)
    AND later.run_seq = o.run_seq)
ORDER BY u.url_key
"""


class RunTable:
    """The `RunLedger` port."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._db = session.db

    def begin_run(self, run: Run, owed_to: Collection[str] = ()) -> None:
        """Write a run, once, and whom its events are owed to; VER-2."""
        with self._session.writing():
            known = self.run(run.run_id)
            recipe_id = self._recipe_id(run.recipe, run.identity_digest)
            if known is not None and known.run.run_id == run.run_id:
                if known.run != run:
                    raise LedgerError(f"there is another run with the id {run.run_id}")
                owe(self._session, self._session.run(run.run_id).run_seq, owed_to)
                return
            label_id = self._label_id(run.label)
            values = (run.run_id, run.job, recipe_id, label_id, micros(run.started_at), run.reprocessing_of)
            seq = self._db.number(
                "INSERT INTO run (run_id, job, recipe_id, label_id, started_at, reprocessing_of)"
                " VALUES (?, ?, ?, ?, ?, ?) RETURNING run_seq",
                values,
            )
            self._db.execute(
                "INSERT INTO run_progress (run_seq, status, updated_at) VALUES (?, ?, ?)",
                (seq, RunStatus.RUNNING, micros(run.started_at)),
            )
            owe(self._session, seq, owed_to)

    def update_run(
        self,
        run_id: str,
        status: RunStatus,
        at: datetime,
        summary: Mapping[str, int] | None = None,
        trouble: str = "",
    ) -> None:
        """Write where a run stands."""
        text = None if summary is None else json.dumps(dict(summary), sort_keys=True)
        with self._session.writing():
            seq = self._session.run_to_write(run_id).run_seq
            self._db.execute(
                "UPDATE run_progress SET status = ?, updated_at = ?, ended_at = NULL, seal = NULL,"
                " summary = coalesce(?, summary) WHERE run_seq = ?",
                (status, micros(at), text, seq),
            )
            self._note_trouble(seq, trouble)

    def end_run(self, run_id: str, at: datetime, summary: Mapping[str, int]) -> str:
        """Write the end of a run, and its seal."""
        with self._session.writing():
            seq = self._session.run_to_write(run_id).run_seq
            pairs = ((UrlKey(k.hex()), ContentHash(c.hex())) for k, c in self._db.rows(OBSERVED, (seq,)))
            digest = seal(pairs)
            text = json.dumps(dict(summary), sort_keys=True)
            self._db.execute(
                "UPDATE run_progress SET status = ?, updated_at = ?, ended_at = ?, seal = ?, summary = ?"
                " WHERE run_seq = ?",
                (RunStatus.FINISHED, micros(at), micros(at), digest, text, seq),
            )
            self._note_trouble(seq, "")
        return digest

    def run(self, run_id: str) -> RunRecord | None:
        """A run by its id or its unique beginning."""
        sql = _RUN + "WHERE r.run_id BETWEEN ? AND ? LIMIT 2"
        found = list(self._db.rows(sql, (run_id, run_id + _AFTER_ALL)))
        if len(found) > 1:
            found = list(self._db.rows(_RUN + "WHERE r.run_id = ?", (run_id,)))
        return _record(found[0]) if found else None

    def latest_first(self, *, label: str | None = None, job: Job | None = None) -> Iterator[RunRecord]:
        """Runs, the latest first."""
        sql = _RUN + "WHERE coalesce(?, l.name) = l.name AND coalesce(?, r.job) = r.job"
        for row in self._db.rows(sql + " ORDER BY r.started_at DESC, r.run_id DESC", (label, job)):
            yield _record(row)

    def _note_trouble(self, run_seq: int, words: str) -> None:
        self._db.execute("DELETE FROM run_trouble WHERE run_seq = ?", (run_seq,))
        if words:
            self._db.execute("INSERT INTO run_trouble (run_seq, words) VALUES (?, ?)", (run_seq, words))

    def _recipe_id(self, recipe: Recipe, digest: SettingsDigest) -> int:
        row = self._db.row("SELECT recipe_id, identity_digest FROM recipe WHERE version = ?", (str(recipe),))
        if row:
            require_same_digest(recipe, row[1], digest)
            return int(row[0])
        return self._db.number(
            "INSERT INTO recipe (version, identity_digest) VALUES (?, ?) RETURNING recipe_id",
            (str(recipe), digest),
        )

    def _label_id(self, label: str) -> int:
        self._db.execute("INSERT INTO label (name) VALUES (?) ON CONFLICT (name) DO NOTHING", (label,))
        return self._db.number("SELECT label_id FROM label WHERE name = ?", (label,))


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
    summary = tuple(json.loads(row[11]).items())
    return RunRecord(
        run, RunStatus(row[7]), moment(row[8]), moment_or_none(row[9]), row[10], summary, row[12] or ""
    )
