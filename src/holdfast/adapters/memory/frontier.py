"""The frontier and the runs, in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from holdfast.core.errors import LedgerError
from holdfast.core.hashing import UrlKey
from holdfast.core.identity import require_same_digest
from holdfast.core.ledger import Closed, EntryState, FrontierEntry, RunRecord, RunStatus
from holdfast.core.lineage import Job, Run

__all__ = ["MemoryFrontier", "MemoryRuns"]

_Entries = dict[UrlKey, FrontierEntry]


class MemoryRuns:
    """The `RunLedger` port, without the seal, which needs the observations."""

    def __init__(self) -> None:
        self._runs: dict[str, RunRecord] = {}

    def begin_run(self, run: Run) -> None:
        """Write a run, once; VER-2."""
        for known in self._runs.values():
            if known.run.recipe == run.recipe:
                require_same_digest(run.recipe, known.run.identity_digest, run.identity_digest)
        known_run = self._runs.get(run.run_id)
        if known_run is None:
            self._runs[run.run_id] = RunRecord(run, RunStatus.RUNNING, run.started_at)
        elif known_run.run != run:
            raise LedgerError(f"there is another run with the id {run.run_id}")

    def update_run(
        self, run_id: str, status: RunStatus, at: datetime, summary: Mapping[str, int] | None = None
    ) -> None:
        """Write where a run stands."""
        known = self._known_run(run_id)
        counts = known.summary if summary is None else tuple(sorted(summary.items()))
        self._runs[run_id] = replace(
            known, status=status, updated_at=at, ended_at=None, seal=None, summary=counts
        )

    def run(self, run_id: str) -> RunRecord | None:
        """A run by its id or its unique beginning."""
        found = [known for name, known in self._runs.items() if name.startswith(run_id)]
        return found[0] if len(found) == 1 else self._runs.get(run_id)

    def runs(self, *, label: str | None = None, job: Job | None = None) -> Iterator[RunRecord]:
        """Runs, the latest first."""
        order = sorted(self._runs.values(), key=lambda r: (r.run.started_at, r.run.run_id), reverse=True)
        for record in order:
            if label in (None, record.run.label) and job in (None, record.run.job):
                yield record

    def _known_run(self, run_id: str) -> RunRecord:
        if run_id not in self._runs:
            raise LedgerError(f"there is no run {run_id}")
        return self._runs[run_id]


class MemoryFrontier:
    """The `FrontierLedger` port."""

    def __init__(self) -> None:
        self._frontiers: dict[str, _Entries] = {}
        self._alternates: dict[tuple[str, UrlKey], list[str]] = {}

    def add_entries(self, run_id: str, entries: Iterable[FrontierEntry]) -> int:
        """Write entries; the first of a key stays."""
        there = self._frontiers.setdefault(run_id, {})
        added = 0
        for entry in entries:
            known = there.setdefault(entry.place.key, entry)
            if known is entry:
                added += 1
                continue
            others = self._alternates.setdefault((run_id, entry.place.key), [])
            if entry.fetch_url != known.fetch_url and entry.fetch_url not in others:
                others.append(entry.fetch_url)
        return added

    def take_entries(
        self, run_id: str, limit: int, state: EntryState = EntryState.READY
    ) -> tuple[FrontierEntry, ...]:
        """The next entries in order, marked taken."""
        waiting = list(self.entries(run_id, (state,)))[:limit]
        taken = tuple(replace(entry, state=EntryState.TAKEN) for entry in waiting)
        self._frontiers.setdefault(run_id, {}).update({entry.place.key: entry for entry in taken})
        return taken

    def close_entries(self, run_id: str, closed: Iterable[Closed]) -> None:
        """What became of entries; a key that is not there has no entry to close."""
        there = self._frontiers.get(run_id, {})
        for end in closed:
            entry = there.get(end.key)
            if entry:
                attempts = entry.attempts + end.attempts
                there[end.key] = replace(entry, state=end.state, detail=end.detail, attempts=attempts)

    def reopen_entries(
        self, run_id: str, states: Collection[EntryState] = (), keys: Collection[UrlKey] = ()
    ) -> int:
        """Make entries ready again."""
        there = self._frontiers.get(run_id, {})
        chosen = [
            entry
            for entry in there.values()
            if (entry.state in states or entry.place.key in keys) and entry.state is not EntryState.READY
        ]
        for entry in chosen:
            there[entry.place.key] = replace(entry, state=EntryState.READY)
        return len(chosen)

    def entries(self, run_id: str, states: Collection[EntryState] = ()) -> Iterator[FrontierEntry]:
        """Entries in order."""
        there = self._frontiers.get(run_id, {}).values()
        chosen = [entry for entry in there if not states or entry.state in states]
        yield from sorted(chosen, key=lambda e: (e.depth, e.source, e.position))

    def entry(self, run_id: str, key: UrlKey) -> FrontierEntry | None:
        """One entry."""
        return self._frontiers.get(run_id, {}).get(key)

    def count_entries(self, run_id: str) -> dict[EntryState, int]:
        """How many entries are in each state."""
        return dict(Counter(entry.state for entry in self._frontiers.get(run_id, {}).values()))

    def alternates(self, run_id: str, key: UrlKey) -> tuple[str, ...]:
        """The other addresses of an entry."""
        return tuple(self._alternates.get((run_id, key), ()))
