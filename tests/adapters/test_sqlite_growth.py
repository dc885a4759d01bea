"""What the SQLite ledger costs as it grows, counted in SQLite's own steps, never in seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import apsw
import pytest

from contracts.ledger_cases import at, place, run, seen
from holdfast.adapters.sqlite.ledger import SqliteLedger, open_ledger

SMALL, LARGE = 1_000, 10_000
BATCH = 500


def make(path: Path, pages: int) -> SqliteLedger:
    """A ledger with one run of that many pages."""
    ledger = open_ledger(path, at(0))
    ledger._db.execute("PRAGMA synchronous = OFF")
    ledger.runs.begin_run(run())
    for first in range(0, pages, BATCH):
        numbers = range(first, min(first + BATCH, pages))
        ledger.commit("run-1", [seen(place(str(n)), n, f"text {n}") for n in numbers], at(0))
    return ledger


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    with_few = make(tmp_path_factory.mktemp("small") / "ledger.db", SMALL)
    yield with_few
    with_few.close()


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    with_many = make(tmp_path_factory.mktemp("large") / "ledger.db", LARGE)
    yield with_many
    with_many.close()


def steps(ledger: SqliteLedger, ask: Callable[[SqliteLedger], Iterable[object]]) -> int:
    """How many steps of SQLite's machine a question takes, with all statements that it is made of."""
    counted = 0

    def count(event: dict) -> None:
        nonlocal counted
        counted += event["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"]

    db = ledger._db._apsw
    db.trace_v2(apsw.SQLITE_TRACE_PROFILE, count)
    try:
        for _ in ask(ledger):
            pass
    finally:
        db.trace_v2(0)
    return counted


def test_what_a_run_observed_costs_as_much_for_each_page_whatever_their_number(small, large):
    few, many = (steps(ledger, lambda asked: asked.history.of_run("run-1")) for ledger in (small, large))
    assert few > SMALL, "nothing was counted"
    assert many / few < 1.1 * LARGE / SMALL
