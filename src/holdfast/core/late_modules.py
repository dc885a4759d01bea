"""Modules of a package that are imported when somebody first says their name: `wiring.serving`. A command
imports what it uses, and pays for nothing else.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

__all__ = ["module_of"]


def module_of(package: str, name: str) -> ModuleType:
    """The module of a package, for the package's `__getattr__`."""
    try:
        return import_module(f"{package}.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"{package}.{name}":
            raise
        raise AttributeError(f"module {package!r} has no attribute {name!r}") from error
