"""A ledger copied from where it is to somewhere else: a file in a state folder, or a server (CLU-1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from holdfast import wiring
from holdfast.adapters.clock import SystemClock
from holdfast.adapters.sql.copying import copy_rows, require_empty
from holdfast.adapters.sql.database import Database
from holdfast.adapters.sqlite.ledger import open_file
from holdfast.adapters.state_folder import check_state, lock, named_state
from holdfast.core.answers.upkeep import LedgerCopy
from holdfast.core.errors import FailedError, UsageError
from holdfast.wiring.states import LEDGER

__all__ = ["copy_ledger_to", "fill_server", "require_empty_server"]

_SERVER = ("postgresql://", "postgres://")


def copy_ledger_to(
    source: str, target: str, seen: Callable[[str, int], object] = lambda _table, _rows: None
) -> LedgerCopy:
    """Copy every row; each of the two is a state folder or the address of a server. A target has to be empty,
    and is made where there is none.
    """
    for name in (source, target):
        _require_place(name)
    with _open_to_read(source) as old, _open_to_fill(target) as new:
        return LedgerCopy(old.name, new.name, copy_rows(old, new, seen))


def fill_server(file: Path, address: str) -> None:
    """Copy a ledger's file to a server that has no ledger yet."""
    with closing(open_file(file, SystemClock().now(), read_only=True)) as old, _open_to_fill(address) as new:
        copy_rows(old, new, lambda _table, _rows: None)


def require_empty_server(address: str) -> None:
    """Refuse a server that has a ledger with something in it."""
    with _open_to_fill(address) as new:
        require_empty(new)


def _require_place(name: str) -> None:
    """Refuse the address of anything but a server that can hold a ledger: it would be taken for a folder."""
    if "://" in name and not name.startswith(_SERVER):
        raise UsageError(
            f"{name.partition('://')[0]}:// is not where a ledger can be",
            hint="name a state folder, or an address such as postgresql://user@host/database",
        )


@contextmanager
def _open_to_read(name: str) -> Iterator[Database]:
    if name.startswith(_SERVER):
        with closing(wiring.server.open_database(name, SystemClock().now(), read_only=True)) as server:
            yield server
        return
    state = named_state(Path(name))
    check_state(state)
    if not (state / LEDGER).exists():
        raise FailedError(
            f"there is no ledger in {name}", hint="name a mirror, a tracked folder, or its .holdfast"
        )
    with closing(open_file(state / LEDGER, SystemClock().now(), read_only=True)) as file:
        yield file


@contextmanager
def _open_to_fill(name: str) -> Iterator[Database]:
    if name.startswith(_SERVER):
        with closing(wiring.server.open_database(name, SystemClock().now(), alone=True)) as server:
            yield server
        return
    state = named_state(Path(name))
    with lock(state, "db copy"), closing(open_file(state / LEDGER, SystemClock().now())) as file:
        yield file
