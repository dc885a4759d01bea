"""One ledger of each kind, for every contract."""

from __future__ import annotations

import pytest

from contracts.ledger_cases import at, run
from holdfast.adapters.memory.ledger import MemoryLedger
from holdfast.adapters.sqlite.check import check_file
from holdfast.adapters.sqlite.ledger import open_ledger
from holdfast.ports import Ledger


@pytest.fixture(params=["memory", "sqlite"])
def ledger(request, tmp_path):
    """A ledger in which one run has begun. What SQLite is left with has to be sound."""
    path = tmp_path / "ledger.db"
    made: Ledger = MemoryLedger() if request.param == "memory" else open_ledger(path, at(0))
    made.runs.begin_run(run())
    yield made
    made.close()
    if request.param == "sqlite":
        assert list(check_file(path)) == []
