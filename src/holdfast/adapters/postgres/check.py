"""What can be wrong with a ledger on a server. Keys and references are the server's own care."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.adapters.postgres.connection import PostgresDatabase
from holdfast.adapters.postgres.migrations import applied, steps
from holdfast.adapters.sql.laws import broken_laws
from holdfast.core.errors import LedgerError

__all__ = ["check_database"]


def check_database(address: str) -> Iterator[str]:
    """What is wrong, one sentence each."""
    db = PostgresDatabase(address, read_only=True)
    try:
        count = applied(db)
        if count != len(steps()):
            yield f"schema {count}, where this Holdfast needs {len(steps())}: run `holdfast db migrate`"
            return
        yield from broken_laws(db)
    except LedgerError as error:
        yield error.message
    finally:
        db.close()
