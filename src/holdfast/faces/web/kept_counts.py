"""Counts of all that a store holds: they take as long as there is to count, so they are kept.

1. Counts are made anew when the ledger was written to. Where that takes a moment they are made while somebody
   waits; where it takes longer, whoever asks gets the last ones, and new ones are made meanwhile.
2. While somebody writes, making them takes at most a fiftieth of the time: a mirror that writes without pause
   is not held up.
3. The first ones have to be waited for, unless the server made them before anybody asked (`prepare`).
4. What a run brought that has ended is counted once.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from threading import Lock, Thread
from typing import TYPE_CHECKING, Final, NamedTuple

from holdfast.core.base.errors import HoldfastError
from holdfast.core.lineage.ledger_values import Brought
from holdfast.core.lineage.lineage import RunRecord

if TYPE_CHECKING:
    from holdfast import jobs
    from holdfast.questions.status import Overview

_A_MOMENT: Final = 0.04
_SHARE: Final = 50
Stamp = tuple[object, ...]


class _Made(NamedTuple):
    overview: Overview
    stamp: Stamp
    at: float
    took: float


class _Counter:
    """The counts of one store."""

    def __init__(
        self,
        count: Callable[[], Overview],
        stamp: Callable[[], Stamp],
        is_written: Callable[[], bool],
        clock: Callable[[], float],
    ) -> None:
        self._count = count
        self._stamp = stamp
        self._is_written = is_written
        self._clock = clock
        self._lock = Lock()
        self._made: _Made | None = None
        self._maker: Thread | None = None

    def figures(self) -> Overview:
        """The counts, as new as they are to be had."""
        made = self._made
        if made is not None and made.stamp == self._stamp():
            return made.overview
        if made is None or made.took <= _A_MOMENT:
            return self._make(made).overview
        if self._clock() - made.at >= _SHARE * made.took or not self._is_written():
            self._make_meanwhile(made)
        return made.overview

    def _make(self, known: _Made | None) -> _Made:
        with self._lock:
            if self._made is not known and self._made is not None:
                return self._made  # somebody made them while we waited
            stamp, began = self._stamp(), self._clock()
            overview = self._count()
            now = self._clock()
            self._made = _Made(overview, stamp, now, now - began)
            return self._made

    def _make_meanwhile(self, known: _Made) -> None:
        def make() -> None:
            with suppress(HoldfastError):  # whoever asks next is told
                self._make(known)

        if self._maker is None or not self._maker.is_alive():
            self._maker = Thread(target=make, daemon=True)
            self._maker.start()


class KeptFigures:
    """The counts of all stores that are served."""

    def __init__(
        self,
        sources: tuple[jobs.served_stores.ServedState, ...],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._brought: dict[tuple[str, str], Brought] = {}
        self._counters = {
            source.name: _Counter(_counting(source), _stamping(source), source.is_written, clock)
            for source in sources
        }

    def of(self, name: str) -> Overview:
        """The counts of a store."""
        return self._counters[name].figures()

    def brought(self, name: str, run: RunRecord, count: Callable[[RunRecord], Brought]) -> Brought:
        """What a run of a store brought."""
        if run.ended_at is None:
            return count(run)
        key = (name, run.run.run_id)
        if key not in self._brought:
            self._brought[key] = count(run)
        return self._brought[key]

    def prepare(self) -> None:
        """Make the first ones, beside what else is to do."""

        def make() -> None:
            for counter in self._counters.values():
                with suppress(HoldfastError):
                    counter.figures()

        Thread(target=make, daemon=True).start()


def _stamping(source: jobs.served_stores.ServedState) -> Callable[[], Stamp]:
    """Another stamp when the ledger was written to, and on another day: news are news since yesterday."""
    return lambda: (datetime.now(UTC).date(), *source.stamp())


def _counting(source: jobs.served_stores.ServedState) -> Callable[[], Overview]:
    def count() -> Overview:
        with source.open() as reader:
            return reader.parts.overview(source.name, now=datetime.now(UTC))

    return count
