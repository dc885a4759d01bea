"""Which libraries are here, for `holdfast --version --verbose`."""

from __future__ import annotations

__all__ = ["sqlite_version"]


def sqlite_version() -> str | None:
    """The version of the SQLite that the ledger uses, if it is installed."""
    try:
        from holdfast.adapters.sqlite.connection import library_version  # noqa: PLC0415 # an extra brings it
    except ModuleNotFoundError:
        return None
    return library_version()
