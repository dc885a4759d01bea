"""What can be wrong with a ledger on a server. Keys and most references are the server's own
care; those of batches are looked at here."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from holdfast.adapters.postgres.connection import PostgresDatabase
from holdfast.adapters.postgres.migrations import applied, steps
from holdfast.adapters.postgres.references import lost_references
from holdfast.adapters.sql.laws import broken_laws
from holdfast.core.errors import LedgerError

__all__ = ["check_database"]


def check_database(address: str, web_key: Callable[[str], str | None] | None = None) -> Iterator[str]:
    """What is wrong, one sentence each; `web_key` as for a file."""
    db = PostgresDatabase(address, read_only=True)
    try:
        count = applied(db)
        if count != len(steps()):
            yield f"schema {count}, where this Holdfast needs {len(steps())}: run `holdfast db migrate`"
            return
        yield from broken_laws(db, web_key, lost_references())
    except LedgerError as error:
        yield error.message
    except (ValueError, LookupError, TypeError) as error:  # what a row says cannot be: that is damage, too
        yield f"a row cannot be read: {error}"
    finally:
        db.close()
