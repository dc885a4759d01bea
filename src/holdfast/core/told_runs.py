"""A run as its chapter tells it (STA-7), where the chapter's numbers are those of another ledger: who it was,
how it ended, and where its captures stood.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

from holdfast.core.hashing import SettingsDigest
from holdfast.core.lineage import Job, RecordRef, Run
from holdfast.core.recipe import Recipe
from holdfast.core.run_tally import NO_TALLY, RunTally

__all__ = ["RunsByPlace", "ToldRun", "told_run"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class ToldRun(NamedTuple):
    """A run, when and how it ended, if it did, and where the archive had its captures."""

    run: Run
    ended_at: datetime | None
    tally: RunTally
    captures: frozenset[RecordRef]


def told_run(rows: Iterable[tuple[str, Mapping[str, Any]]]) -> ToldRun | None:
    """The run of a chapter; None where it tells of none."""
    run, ended_at, tally, captures = None, None, NO_TALLY, set()
    for table, row in rows:
        if table == "run":
            run = Run(
                run_id=row["run_id"],
                job=Job(row["job"]),
                recipe=Recipe.parse(row["version"]),
                identity_digest=SettingsDigest(row["identity_digest"]),
                started_at=_moment(row["started_at"]),
                label=row["label"],
                reprocessing_of=row["reprocessing_of"],
            )
        elif table == "run_progress":
            ended_at = _moment(row["ended_at"]) if row["ended_at"] is not None else None
            tally = RunTally.of(json.loads(row["summary"] or "{}"))
        elif table == "capture" and row["file"]:
            captures.add(RecordRef(row["file"], row["file_offset"], row["file_length"]))
    return ToldRun(run, ended_at, tally, frozenset(captures)) if run else None


class RunsByPlace:
    """The runs of mirrors, by where their captures stood before a file was cut or moved."""

    def __init__(self, told: Iterable[ToldRun | None]) -> None:
        self._by_id: dict[str, ToldRun] = {}
        self._by_place: dict[RecordRef, str] = {}
        for run in told:
            if run is not None and run.run.job is Job.MIRROR:
                self._by_id[run.run.run_id] = run
                self._by_place.update(dict.fromkeys(run.captures, run.run.run_id))

    def run_id(self, ref: RecordRef, piece: tuple[str, int] | None) -> str:
        """The run of a capture, or nothing; `piece` names the file that it was cut off, and where."""
        stood = RecordRef(piece[0], ref.offset + piece[1], ref.length) if piece else ref
        return self._by_place.get(stood, "")

    def oldest_first(self, run_ids: Iterable[str]) -> list[ToldRun | None]:
        """The runs of these ids in the order of their starts; last, for the empty id, none."""
        known = [self._by_id[run_id] for run_id in run_ids if run_id]
        ordered: list[ToldRun | None] = [*sorted(known, key=lambda told: told.run.started_at)]
        return [*ordered, None] if "" in run_ids else ordered


def _moment(micros: int) -> datetime:
    return _EPOCH + timedelta(microseconds=micros)
