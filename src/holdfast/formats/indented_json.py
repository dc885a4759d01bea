"""JSON for people who look at it and programs that read it: the bytes of `json.dumps` with an indent of 2.

The standard library's fast encoder does not indent. Its slow one makes a generator of every value; this
writes each object at once, in half the time: a report has thousands of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from types import NoneType
from typing import Any, Final

__all__ = ["indented_json"]

_quoted: Final = json.encoder.encode_basestring
_other: Final = json.JSONEncoder(ensure_ascii=False).encode
_SCALARS: Final[dict[type, Callable[[Any], str]]] = {
    str: _quoted,
    int: int.__repr__,
    bool: lambda value: "true" if value else "false",
    NoneType: lambda _: "null",
}
_scalar_of: Final = _SCALARS.get


def indented_json(value: Any, begin: str = "\n") -> str:
    """A value whose keys are texts; `begin` is what a line begins with at its depth."""
    deeper = f"{begin}  "
    if isinstance(value, dict) and value:
        parts = [
            f"{_quoted(key)}: {make(one) if (make := _scalar_of(type(one))) else indented_json(one, deeper)}"
            for key, one in value.items()
        ]
        return f"{{{deeper}{f',{deeper}'.join(parts)}{begin}}}"
    if isinstance(value, list | tuple) and value:
        parts = [
            make(one) if (make := _scalar_of(type(one))) else indented_json(one, deeper) for one in value
        ]
        return f"[{deeper}{f',{deeper}'.join(parts)}{begin}]"
    return _other(value)
