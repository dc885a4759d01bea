"""The frontier, in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from holdfast.adapters.memory.state import MemoryState
from holdfast.core.hashing import UrlKey
from holdfast.core.ledger import Closed, EntryState, FrontierEntry

__all__ = ["MemoryFrontier"]


class MemoryFrontier:
    """The `FrontierLedger` port."""

    def __init__(self, state: MemoryState) -> None:
        self._state = state

    def add_entries(self, run_id: str, entries: Iterable[FrontierEntry]) -> int:
        """Write entries; the first of a key stays."""
        there = self._state.frontiers.setdefault(run_id, {})
        added = 0
        for entry in entries:
            known = there.setdefault(entry.place.key, entry)
            if known is entry:
                added += 1
                continue
            others = self._state.alternates.setdefault((run_id, entry.place.key), [])
            if entry.fetch_url != known.fetch_url and entry.fetch_url not in others:
                others.append(entry.fetch_url)
        return added

    def take_entries(
        self, run_id: str, limit: int, state: EntryState = EntryState.READY
    ) -> tuple[FrontierEntry, ...]:
        """The next entries in order, marked taken."""
        waiting = list(self.entries(run_id, (state,)))[:limit]
        taken = tuple(replace(entry, state=EntryState.TAKEN) for entry in waiting)
        self._state.frontiers.setdefault(run_id, {}).update({entry.place.key: entry for entry in taken})
        return taken

    def close_entries(self, run_id: str, closed: Iterable[Closed]) -> None:
        """What became of entries; a key that is not there has no entry to close."""
        there = self._state.frontiers.get(run_id, {})
        for end in closed:
            entry = there.get(end.key)
            if entry:
                attempts = entry.attempts + end.attempts
                there[end.key] = replace(entry, state=end.state, note=end.note, attempts=attempts)

    def reopen_entries(
        self, run_id: str, states: Collection[EntryState] = (), keys: Collection[UrlKey] = ()
    ) -> int:
        """Make entries ready again."""
        there = self._state.frontiers.get(run_id, {})
        chosen = [
            entry
            for entry in there.values()
            if (entry.state in states or entry.place.key in keys) and entry.state is not EntryState.READY
        ]
        for entry in chosen:
            there[entry.place.key] = replace(entry, state=EntryState.READY)
        return len(chosen)

    def count_asked(self, run_id: str) -> int:
        """How many entries were asked for."""
        there = self._state.frontiers.get(run_id, {}).values()
        return sum(entry.attempts > 0 or entry.state is EntryState.DEFERRED for entry in there)

    def choose_entries(self, run_id: str, limit: int) -> int:
        """Make those ready that were looked at longest ago."""
        runs, label = self._state.runs, self._state.runs[run_id].run.label
        looks: dict[UrlKey, int] = {}
        for number, known in enumerate(runs, 1):
            if runs[known].run.label == label:
                asked = (e for e in self._state.frontiers.get(known, {}).values() if e.attempts > 0)
                looks |= dict.fromkeys((entry.place.key for entry in asked), number)
        waiting = [entry.place.key for entry in self.entries(run_id, (EntryState.UNASKED,))]
        oldest = min((looks.get(key, 0) for key in waiting), default=0)
        chosen = [key for key in waiting if looks.get(key, 0) == oldest][:limit]
        return self.reopen_entries(run_id, keys=chosen)

    def entries(self, run_id: str, states: Collection[EntryState] = ()) -> Iterator[FrontierEntry]:
        """Entries in order."""
        there = self._state.frontiers.get(run_id, {}).values()
        chosen = [entry for entry in there if not states or entry.state in states]
        yield from sorted(chosen, key=lambda e: (e.depth, e.source, e.position))

    def entry(self, run_id: str, key: UrlKey) -> FrontierEntry | None:
        """One entry."""
        return self._state.frontiers.get(run_id, {}).get(key)

    def count_entries(self, run_id: str) -> dict[EntryState, int]:
        """How many entries are in each state."""
        return dict(Counter(entry.state for entry in self._state.frontiers.get(run_id, {}).values()))

    def alternates(self, run_id: str, key: UrlKey) -> tuple[str, ...]:
        """The other addresses of an entry."""
        return tuple(self._state.alternates.get((run_id, key), ()))
