"""TOML and JSON that somebody else wrote: values of bounded depth, numbers of bounded size.

1. What is no such text, is nested deeper than `DEEPEST`, or has a number beyond 64 bits, is a ValueError that
   says so, never another error: whoever reads text from outside reads it here (SEC-11).
2. The depth is bounded well below what the interpreter stands, so that whoever walks through the values, or
   shows them in a message, need not mind it.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from typing import Any, Final

DEEPEST: Final = 100
_LARGEST: Final = 1 << 63
_TOO_DEEP: Final = f"it is nested deeper than {DEEPEST} levels"
_TOO_LARGE: Final = "it has a number that is too large"


def read_toml(text: str) -> dict[str, Any]:
    """The document."""
    document: dict[str, Any] = _bounded(lambda: tomllib.loads(text), tomllib.TOMLDecodeError)
    return document


def read_json(text: str | bytes, pairs: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """The value; `pairs` makes something of an object's pairs."""
    return _bounded(
        lambda: json.loads(text, object_pairs_hook=pairs), (json.JSONDecodeError, UnicodeDecodeError)
    )


def _bounded(read: Callable[[], Any], own: type[ValueError] | tuple[type[ValueError], ...]) -> Any:
    try:
        value = read()
    except own:
        raise
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    except ValueError as error:
        if type(error) is not ValueError:  # that of whoever makes something of the pairs
            raise
        raise ValueError(_TOO_LARGE) from None  # thousands of digits
    level, depth = [value], 0
    while level:
        if depth > DEEPEST:
            raise ValueError(_TOO_DEEP)
        if any(type(one) is int and not -_LARGEST <= one < _LARGEST for one in level):
            raise ValueError(_TOO_LARGE)
        level = [inner for one in level for inner in _inside(one)]
        depth += 1
    return value


def _inside(value: Any) -> Any:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
