"""A ledger copied from where it is to somewhere else: a file in a state folder, or a server (CLU-1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.clock import SystemClock
from holdfast.adapters.state_folder import check_state, lock, named_state
from holdfast.core.answers.upkeep import LedgerCopy
from holdfast.wiring.store import LEDGER

if TYPE_CHECKING:
    from holdfast.adapters.sql.database import Database

__all__ = ["copy_ledger_to", "fill_server", "require_empty_server"]


def copy_ledger_to(
    source: str, target: str, seen: Callable[[str, int], object] = lambda _table, _rows: None
) -> LedgerCopy:
    """Copy every row; each of the two is a state folder or the address of a server. A target has to be empty,
    and is made where there is none.
    """
    from holdfast.adapters.sql.copying import copy_rows  # noqa: PLC0415 # lazy: 60 ms of imports

    with _open_to_read(source) as old, _open_to_fill(target) as new:
        return LedgerCopy(old.name, new.name, copy_rows(old, new, seen))


def fill_server(file: Path, address: str) -> None:
    """Copy a ledger's file to a server that has no ledger yet."""
    from holdfast.adapters.sql.copying import copy_rows  # noqa: PLC0415 # lazy: 60 ms of imports
    from holdfast.adapters.sqlite.ledger import open_file  # noqa: PLC0415 # lazy: as above

    with closing(open_file(file, SystemClock().now(), read_only=True)) as old, _open_to_fill(address) as new:
        copy_rows(old, new, lambda _table, _rows: None)


def require_empty_server(address: str) -> None:
    """Refuse a server that has a ledger with something in it."""
    from holdfast.adapters.sql.copying import require_empty  # noqa: PLC0415 # lazy: 60 ms of imports

    with _open_to_fill(address) as new:
        require_empty(new)


@contextmanager
def _open_to_read(name: str) -> Iterator[Database]:
    if _is_server(name):
        from holdfast.adapters.postgres.ledger import open_database  # noqa: PLC0415 # an extra brings it

        with closing(open_database(name, SystemClock().now(), read_only=True)) as server:
            yield server
        return
    from holdfast.adapters.sqlite.ledger import open_file  # noqa: PLC0415 # lazy: 60 ms of imports

    state = named_state(Path(name))
    check_state(state)
    with closing(open_file(state / LEDGER, SystemClock().now(), read_only=True)) as file:
        yield file


@contextmanager
def _open_to_fill(name: str) -> Iterator[Database]:
    if _is_server(name):
        from holdfast.adapters.postgres.ledger import open_database  # noqa: PLC0415 # an extra brings it

        with closing(open_database(name, SystemClock().now(), alone=True)) as server:
            yield server
        return
    from holdfast.adapters.sqlite.ledger import open_file  # noqa: PLC0415 # lazy: 60 ms of imports

    state = named_state(Path(name))
    with lock(state, "db copy"), closing(open_file(state / LEDGER, SystemClock().now())) as file:
        yield file


def _is_server(name: str) -> bool:
    from holdfast.adapters.postgres.address import is_address  # noqa: PLC0415 # lazy: as above

    return is_address(name)
