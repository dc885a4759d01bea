"""A ledger on a server, where the extra `postgres` is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from holdfast.adapters.clock import SystemClock
from holdfast.adapters.postgres.address import is_address, refuse_address
from holdfast.adapters.postgres.check import check_database
from holdfast.adapters.postgres.ledger import migrate_database, open_postgres
from holdfast.adapters.sql.ledger import SqlLedger
from holdfast.core.settings import Settings

__all__ = ["check_on_server", "migrate_on_server", "open_on_server"]


def open_on_server(settings: Settings, *, read_only: bool) -> SqlLedger:
    """The ledger. A writer holds it alone as long as its archive is a folder of one machine."""
    now = SystemClock().now()
    return open_postgres(_address(settings), now, read_only=read_only, alone=not read_only)


def check_on_server(settings: Settings, web_key: Callable[[str], str | None] | None) -> Iterator[str]:
    """What is wrong with it, one sentence each."""
    return check_database(_address(settings), web_key)


def migrate_on_server(settings: Settings) -> tuple[int, int]:
    """Bring its schema up to date: the one it had, the one it has."""
    return migrate_database(_address(settings), SystemClock().now())


def _address(settings: Settings) -> str:
    address = settings.store.ledger or ""
    if not is_address(address):
        raise refuse_address()
    return address
