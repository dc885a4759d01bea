"""A ledger on a server, where the extra `postgres` is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from holdfast.adapters.clock import SystemClock
from holdfast.adapters.postgres.address import is_address, refuse_address
from holdfast.adapters.postgres.check import check_database
from holdfast.adapters.postgres.ledger import migrate_database, open_database, open_postgres
from holdfast.adapters.sql.ledger import SqlLedger
from holdfast.core.errors import ConfigError
from holdfast.core.job import JobLease
from holdfast.core.settings import Settings
from holdfast.core.settings.reach import require_trusted

__all__ = ["check_on_server", "migrate_on_server", "open_database", "open_on_server", "server_address"]


def open_on_server(settings: Settings, *, read_only: bool, lease: JobLease | None = None) -> SqlLedger:
    """The ledger. A writer holds it alone, unless it has a lease for what it works on."""
    alone = not read_only and lease is None
    now = SystemClock().now()
    return open_postgres(server_address(settings), now, read_only=read_only, alone=alone, lease=lease)


def check_on_server(settings: Settings, web_key: Callable[[str], str | None] | None) -> Iterator[str]:
    """What is wrong with it, one sentence each."""
    return check_database(server_address(settings), web_key)


def migrate_on_server(settings: Settings) -> tuple[int, int]:
    """Bring its schema up to date: the one it had, the one it has."""
    return migrate_database(server_address(settings), SystemClock().now())


def server_address(settings: Settings) -> str:
    """The address of the ledger."""
    require_trusted(settings)
    address = settings.store.ledger
    if address is None:
        raise ConfigError(
            "no ledger on a server is named",
            hint='set ledger = "postgresql://…" in holdfast.toml, or HOLDFAST_LEDGER',
        )
    if not is_address(address):
        raise refuse_address()
    return address
