"""What the tables share: one connection, its transactions, and the numbers of runs and URLs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from holdfast.adapters.sql.database import Database
from holdfast.adapters.sql.places import Places
from holdfast.adapters.sql.rows import recipe_of
from holdfast.core.chapters import RUN
from holdfast.core.errors import LedgerError
from holdfast.core.recipe import Recipe
from holdfast.core.values import dataclass

__all__ = ["KnownRun", "Session"]

_RUN: Final = """
SELECT r.run_seq, r.recipe_id, r.label_id, p.version, l.name FROM run r
JOIN recipe p ON p.recipe_id = r.recipe_id JOIN label l ON l.label_id = r.label_id WHERE r.run_id = $1
"""


@dataclass(frozen=True, slots=True)
class KnownRun:
    """The numbers by which rows name a run, and what never changes about it."""

    run_seq: int
    recipe_id: int
    label_id: int
    run_id: str
    recipe: Recipe
    label: str


class Session:
    """A connection and what is remembered beside it; that does not outlive a transaction that failed."""

    def __init__(self, db: Database, places: Places) -> None:
        self.db = db
        self.places = places
        self._runs: dict[str, KnownRun] = {}
        self.touched: set[str] = set()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction that may write."""
        with self._remembering(), self.db.writing():
            yield

    @contextmanager
    def purging(self) -> Iterator[None]:
        """A transaction that takes rows out."""
        with self._remembering(), self.db.purging():
            yield
        self.places.forget()

    @contextmanager
    def filling(self) -> Iterator[None]:
        """A transaction that fills a ledger which is empty."""
        with self._remembering(), self.db.filling():
            yield

    @contextmanager
    def _remembering(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.places.forget()
            self._runs.clear()
            self.touched.clear()
            raise

    def touch(self, *names: str) -> None:
        """Inside a transaction: these chapters are being written, and the archive's are behind."""
        if new := [name for name in names if name not in self.touched]:
            self.touched.update(new)
            self.db.execute_many(
                "UPDATE chapter SET is_current = 0 WHERE name = $1", [(name,) for name in new]
            )

    def run_to_write(self, run_id: str) -> KnownRun:
        """Inside a transaction: a run's numbers, for whoever is going to write of it."""
        self.touch(RUN + run_id)
        return self.run(run_id)

    def run(self, run_id: str) -> KnownRun:
        """A run's numbers."""
        known = self._runs.get(run_id)
        if known is None:
            row = self.db.row(_RUN, (run_id,))
            if row is None:
                raise LedgerError(f"there is no run {run_id}")
            known = self._runs[run_id] = KnownRun(row[0], row[1], row[2], run_id, recipe_of(row[3]), row[4])
        return known
