"""A run as its chapter tells it (STA-7), where the chapter's numbers are those of another ledger: who it was,
how it ended, and where its captures stood.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import NamedTuple

from holdfast.adapters.sql.chapter_rows import Rows
from holdfast.adapters.sql.rows import moment, moment_or_none, recipe_of
from holdfast.core.hashing import SettingsDigest
from holdfast.core.lineage import Job, RecordRef, Run
from holdfast.core.run_tally import NO_TALLY, RunTally

__all__ = ["ToldRun", "told_run"]


class ToldRun(NamedTuple):
    """A run, when and how it ended, if it did, and where the archive had its captures."""

    run: Run
    ended_at: datetime | None
    tally: RunTally
    captures: frozenset[RecordRef]


def told_run(rows: Rows) -> ToldRun | None:
    """The run of a chapter; None where it tells of none."""
    run, ended_at, tally, captures = None, None, NO_TALLY, set()
    for table, row in rows:
        if table == "run":
            run = Run(
                run_id=row["run_id"],
                job=Job(row["job"]),
                recipe=recipe_of(row["version"]),
                identity_digest=SettingsDigest(row["identity_digest"]),
                started_at=moment(row["started_at"]),
                label=row["label"],
                reprocessing_of=row["reprocessing_of"],
            )
        elif table == "run_progress":
            ended_at = moment_or_none(row["ended_at"])
            tally = RunTally.of(json.loads(row["summary"] or "{}"))
        elif table == "capture" and row["file"]:
            captures.add(RecordRef(row["file"], row["file_offset"], row["file_length"]))
    return ToldRun(run, ended_at, tally, frozenset(captures)) if run else None
