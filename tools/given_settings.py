"""src/holdfast/faces/library/given_settings.py: the settings as keyword arguments, for type checkers."""

from __future__ import annotations

from holdfast.core.settings.resolve import Setting, all_settings

__all__ = ["given_settings_module"]

_TYPES = {
    "bool": "bool",
    "int": "int",
    "float": "float",
    "list": "Sequence[str]",
    "path": "str | PathLike[str]",
    "str": "str",
    "seconds": "float | str",
    "duration": "str",
}
_HEAD = '''"""The settings that library functions take as keyword arguments, with their types.

Made by `make docs` from the table of settings (`core/settings`). Do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Literal, TypedDict

__all__ = ["GivenSettings"]


class GivenSettings(TypedDict, total=False):
    """Every setting by its name, as in `holdfast.toml`; docs/reference/settings.md says what each does."""

'''


def given_settings_module() -> str:
    """The module's text."""
    types: dict[str, list[str]] = {}
    for setting in all_settings().values():
        types.setdefault(setting.key, []).append(_type(setting))
    return _HEAD + "".join(f"    {key}: {max(each, key=len)}\n" for key, each in types.items())


def _type(setting: Setting) -> str:
    if setting.choices:
        words = ", ".join(f'"{choice}"' for choice in setting.choices)
        made = f"Literal[{words}]"
    else:
        made = _TYPES[setting.kind]
    return f"{made} | None" if setting.default is None else made
