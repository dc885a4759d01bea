"""Which libraries are here, for `holdfast --version --verbose`; and which reader of pages may read."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from holdfast.core.page.distill_options import NATIVE, VARIABLE, without_native


def choose_reader(environment: Mapping[str, str]) -> None:
    """Go by the environment, before a page is read: `HOLDFAST_NATIVE=0` is the reference alone."""
    without_native(environment, sys.modules)


def sqlite_version() -> str | None:
    """The version of the SQLite that the ledger uses, if it is installed."""
    try:
        from holdfast.storage.sqlite.sqlite_file import library_version  # noqa: PLC0415 # an extra brings it
    except ModuleNotFoundError:
        return None
    return library_version()


def page_reader() -> str:
    """In which form pages are read here."""
    try:
        from holdfast.core.page.rust_reader import READER  # noqa: PLC0415 # an extra brings the parser
    except ModuleNotFoundError:
        return "not installed"
    if READER is not None:
        return "native"
    if NATIVE in sys.modules:
        return f"Python ({VARIABLE}=0)"
    return "Python (the native reader is not built; where there is cargo: `make native`, or install again)"
