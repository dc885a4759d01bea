"""Which libraries are here, for `holdfast --version --verbose`."""

from __future__ import annotations

from holdfast.formats.page.choice import VARIABLE, may_be_native

__all__ = ["page_reader", "sqlite_version"]


def sqlite_version() -> str | None:
    """The version of the SQLite that the ledger uses, if it is installed."""
    try:
        from holdfast.adapters.sqlite.connection import library_version  # noqa: PLC0415 # an extra brings it
    except ModuleNotFoundError:
        return None
    return library_version()


def page_reader() -> str:
    """In which form pages are read here."""
    try:
        from holdfast.formats.page.native import READER  # noqa: PLC0415 # an extra brings the parser
    except ModuleNotFoundError:
        return "not installed"
    if READER is None:
        return "Python (the native reader is not built: it needs cargo)"
    return "native" if may_be_native() else f"Python ({VARIABLE}=0)"
