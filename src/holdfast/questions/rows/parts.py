"""A list that comes a part at a time: some of its rows, and the place where the next part begins."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import TypeVar

from holdfast.core.base.errors import UsageError, row_limit

T = TypeVar("T")


def part_after(
    items: Iterable[T], after: str, limit: int | None, name: Callable[[T], str]
) -> tuple[tuple[T, ...], str | None]:
    """The items after the one of a name, and the name after which there are more."""
    rest, limit = iter(items), row_limit(limit)
    if after and not any(name(item) == after for item in rest):
        raise UsageError(
            f"{after[:80]!r} is not a place in this list", hint="begin with the list's first part"
        )
    if limit is None:
        return tuple(rest), None
    found = tuple(islice(rest, limit + 1))
    return found[:limit], name(found[limit - 1]) if len(found) > limit else None
