"""The address of a ledger on a server, as the settings have it."""

from __future__ import annotations

from holdfast.core.settings import Settings

__all__ = ["server_address"]


def server_address(settings: Settings) -> str:
    """The address of a ledger on a server."""
    from holdfast.adapters.postgres.address import is_address, refuse_address  # noqa: PLC0415 # lazy: as above

    address = settings.store.ledger or ""
    if not is_address(address):
        raise refuse_address()
    return address
