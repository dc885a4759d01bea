"""src/holdfast/__init__.pyi: the public names for type checkers, made of the one list of them."""

from __future__ import annotations

import holdfast

__all__ = ["public_stub"]

_HEAD = '''"""The public names, made by `make docs` from the list in `__init__.py`: do not edit."""

from holdfast import aio as aio
'''


def public_stub() -> str:
    """The stub's text: each name, imported from where it is defined."""
    listed: tuple[dict[str, str], ...] = (vars(holdfast)["_NAMES"], vars(holdfast)["_ROW_NAMES"])
    named = [(module, name) for each in listed for module, names in each.items() for name in names.split()]
    homes = sorted(named, key=lambda pair: (pair[0], _order(pair[1])))
    lines = (f"from holdfast.{module} import {name} as {name}\n" for module, name in homes)
    return _HEAD + "".join(lines) + "\n__version__: str\n"


def _order(name: str) -> tuple[int, str]:
    """Constants, classes, functions, as imports are sorted."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name.lower()
