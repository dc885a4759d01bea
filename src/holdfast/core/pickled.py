"""Values that go to another process page by page, or wait in a file, pickled by their fields.

What a dataclass with slots does of itself asks for the names of its fields each time, for one value and for
all: that takes longer than the rest of pickling a page.
"""

from __future__ import annotations

from dataclasses import fields
from operator import attrgetter
from typing import Any, TypeVar

__all__ = ["by_fields"]

T = TypeVar("T")


def by_fields(made: type[T]) -> type[T]:
    """A dataclass that is pickled as a call with its fields, of which there are two at least."""
    values = attrgetter(*(field.name for field in fields(made)))  # type: ignore[arg-type]

    def reduced(self: T) -> tuple[type[T], tuple[Any, ...]]:
        return made, values(self)

    made.__reduce__ = reduced  # type: ignore[method-assign, assignment]
    return made
