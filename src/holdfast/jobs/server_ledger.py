"""A ledger on a server, where the extra `postgres` is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from holdfast.adapters.system import SystemClock
from holdfast.core.base.errors import ConfigError
from holdfast.core.lineage.shared_jobs import JobLease
from holdfast.core.settings.reach import require_trusted
from holdfast.core.settings.resolve import Settings
from holdfast.storage.postgres.postgres_ledger import check_database, migrate_database, open_postgres
from holdfast.storage.postgres.postgres_server import is_address, refuse_address

if TYPE_CHECKING:
    from holdfast.storage.ledger.ledger import Ledger


def open_on_server(settings: Settings, *, read_only: bool, lease: JobLease | None = None) -> Ledger:
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
