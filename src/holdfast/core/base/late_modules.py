"""Modules of a package that are imported when somebody first says their name: `jobs.served_stores`. A command
imports what it uses, and pays for nothing else.

Here it is met, too, that a library is not installed: the door says which extra brings it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any, Final

from holdfast.core.base.errors import UsageError

_OF_EXTRAS: Final = {
    "mirror": "selectolax aiohttp apsw backports brotli isal lxml protego uvloop yarl",
    "check": "pyromark re2 yaml",
    "postgres": "psycopg",
    "s3": "obstore",
    "cluster": "distributed",
    "lsp": "lsprotocol pygls",
    "notify": "apprise",
    "parquet": "pyarrow",
    "serve": "jinja2 markdown_it markupsafe starlette uvicorn",
    "mcp": "anyio mcp pydantic",
    "watch": "watchfiles",
}
BRINGS: Final[Mapping[str, str]] = {
    library: extra for extra, libraries in _OF_EXTRAS.items() for library in libraries.split()
}
"""Which extra of `pip install 'holdfast[…]'` brings a library, by the name that it is imported by."""
_BROUGHT_BY_OTHERS: Final = ("mirror", "check")
"""Extras that others bring, the second the first as well."""


class MissingLibraryError(UsageError):
    """A library that is not installed, and the extra that brings it."""

    def __init__(self, library: str, extra: str) -> None:
        super().__init__(
            f"a library is needed that is not installed ({library})",
            hint=f"pip install 'holdfast[{extra}]'",
        )
        self.library = library
        self.extra = extra


def extra_to_name(missed: str, own: str | None) -> str:
    """The extra to name where one of a library is missed by what needs an extra of its own: the one that
    brings both, so that nothing else is missing then.
    """
    if own is None or missed not in _BROUGHT_BY_OTHERS:
        return missed
    if own not in _BROUGHT_BY_OTHERS:
        return own
    return max(missed, own, key=_BROUGHT_BY_OTHERS.index)


@contextmanager
def naming_extras(own: str | None = None) -> Iterator[None]:
    """Where a library is not installed, name the extra that brings it; `own` is one that is needed anyway."""
    try:
        yield
    except ModuleNotFoundError as error:
        library = error.name or ""
        extra = BRINGS.get(library.partition(".")[0])
        if extra is None:
            raise
        raise MissingLibraryError(library, extra_to_name(extra, own)) from error


def thing_named(text: str) -> Any:
    """What a table of names has as a text: `"jobs.mirror.starting:make_mirror"`, from the package on."""
    module, _, name = text.partition(":")
    with naming_extras():
        return getattr(import_module(f"holdfast.{module}"), name)


def module_of(package: str, name: str, needs: Mapping[str, str] | None = None) -> ModuleType:
    """The module of a package, for the package's `__getattr__`. `needs` has the extras of modules that need
    more than the library that happens to be missed first.
    """
    try:
        with naming_extras((needs or {}).get(name)):
            return import_module(f"{package}.{name}")
    except ModuleNotFoundError as error:
        if error.name == f"{package}.{name}":
            raise AttributeError(f"module {package!r} has no attribute {name!r}") from error
        raise
    except MissingLibraryError as error:
        if needs is None or name not in needs:
            raise
        raise MissingLibraryError(error.library, extra_to_name(error.extra, needs[name])) from error
