"""One ledger of each kind, for every contract."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from helpers.ledger_cases import at, memory_ledger, run
from holdfast.storage.ledger.ledger import Ledger
from holdfast.storage.postgres.postgres_ledger import check_database, open_postgres
from holdfast.storage.sqlite.sqlite_ledger import check_file, open_ledger


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def ledger(request, tmp_path):
    """A ledger in which one run has begun. What a database is left with has to be sound."""
    made, problems = _made(request, tmp_path / "ledger.db")
    made.runs.begin_run(run())
    yield made
    made.close()
    assert problems() == []


def _made(request, path: Path) -> tuple[Ledger, Callable[[], list[str]]]:
    """A new ledger, and what is wrong with it afterwards."""
    if request.param == "memory":
        return memory_ledger(), list
    if request.param == "sqlite":
        return open_ledger(path, at(0)), lambda: list(check_file(path))
    address = request.getfixturevalue("postgres")
    return open_postgres(address, at(0)), lambda: list(check_database(address))
