"""Where a ledger is: an address as libpq understands it. Its password is used and never shown."""

from __future__ import annotations

from typing import Final

from holdfast.core.errors import ConfigError

__all__ = ["SCHEMES", "is_address", "refuse_address", "shown_address"]

SCHEMES: Final = ("postgresql://", "postgres://")


def is_address(text: str) -> bool:
    """Whether a text names a ledger on a server, not a file."""
    return text.startswith(SCHEMES)


def shown_address(parts: dict[str, object]) -> str:
    """An address as it may be told to anybody: user, host, port and database, nothing else."""
    user = f"{parts['user']}@" if parts.get("user") else ""
    host = str(parts.get("host") or parts.get("hostaddr") or "")
    port = f":{parts['port']}" if parts.get("port") else ""
    if not set(port) <= set(":,0123456789"):
        raise refuse_address()  # a password with a slash in it is read as a port
    if host.startswith("/"):
        return f"postgresql://{user}/{parts.get('dbname') or ''}?host={host}" + port.replace(":", "&port=")
    return f"postgresql://{user}{host}{port}/{parts.get('dbname') or ''}"


def refuse_address() -> ConfigError:
    """An address that cannot be read. It is not repeated: nobody knows where in it the password is."""
    return ConfigError(
        "the ledger's address cannot be read",
        hint="it looks like postgresql://user@host:5432/database; write : / @ ? # in a password as %XX",
    )
