"""Runs, in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import datetime

from holdfast.adapters.memory.state import MemoryState
from holdfast.core.errors import LedgerError
from holdfast.core.identity import require_same_digest
from holdfast.core.ledger import RunRecord, RunStatus
from holdfast.core.lineage import Job, Run
from holdfast.core.rank import Rank, anchor_before, brought_rank, own_rank
from holdfast.core.run_tally import RunTally

__all__ = ["MemoryRuns"]


class MemoryRuns:
    """The `RunLedger` port."""

    def __init__(self, state: MemoryState) -> None:
        self._state = state

    def begin_run(self, run: Run, owed_to: Collection[str] = (), *, is_brought: bool = False) -> None:
        """Write a run, once, and whom its events are owed to; VER-2."""
        for known in self._state.runs.values():
            if known.run.recipe == run.recipe:
                require_same_digest(run.recipe, known.run.identity_digest, run.identity_digest)
        known_run = self._state.runs.get(run.run_id)
        if known_run is None:
            rank = self._rank(run, is_brought=is_brought)
            self._state.run_ranks[run.run_id] = rank, len(self._state.run_ranks)
            self._state.runs[run.run_id] = RunRecord(run, RunStatus.RUNNING, run.started_at)
        elif known_run.run != run:
            raise LedgerError(f"there is another run with the id {run.run_id}")
        self._state.owed |= {(target, run.run_id) for target in owed_to}

    def _rank(self, run: Run, *, is_brought: bool) -> Rank:
        """The place of a run that begins, or that is brought."""
        ranks = self._state.run_ranks
        if not is_brought:
            return own_rank(len(ranks) + 1)
        own = [
            (rank.anchor, self._state.runs[name].run.started_at)
            for name, (rank, _) in ranks.items()
            if rank.is_own
        ]
        return brought_rank(anchor_before(own, run.started_at), run.started_at)

    def update_run(
        self,
        run_id: str,
        status: RunStatus,
        at: datetime,
        tally: RunTally | None = None,
        trouble: str = "",
    ) -> None:
        """Write where a run stands."""
        known = self._state.known_run(run_id)
        told = known.tally if tally is None else tally
        self._state.runs[run_id] = replace(
            known, status=status, updated_at=at, ended_at=None, seal=None, tally=told, trouble=trouble
        )

    def end_run(self, run_id: str, at: datetime, tally: RunTally) -> str:
        """Write the end of a run, and its seal."""
        record, digest = self._state.known_run(run_id), self._state.seal(run_id)
        self._state.runs[run_id] = replace(
            record,
            status=RunStatus.FINISHED,
            updated_at=at,
            ended_at=at,
            seal=digest,
            tally=tally,
            trouble="",
        )
        return digest

    def seal_of(self, run_id: str) -> str:
        """The seal over what a run saw, made anew."""
        return self._state.seal(self._state.known_run(run_id).run.run_id)

    def run(self, run_id: str) -> RunRecord | None:
        """A run by its id or its unique beginning."""
        found = [known for name, known in self._state.runs.items() if name.startswith(run_id)]
        return found[0] if len(found) == 1 else self._state.runs.get(run_id)

    def latest_first(self, *, label: str | None = None, job: Job | None = None) -> Iterator[RunRecord]:
        """Runs, the latest first."""
        ranks = self._state.run_ranks
        order = sorted(self._state.runs.values(), key=lambda r: ranks[r.run.run_id], reverse=True)
        for record in order:
            if label in (None, record.run.label) and job in (None, record.run.job):
                yield record
