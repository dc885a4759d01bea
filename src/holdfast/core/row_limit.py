"""How many rows of a list may be asked for."""

from __future__ import annotations

from holdfast.core.errors import UsageError

__all__ = ["row_limit"]


def row_limit(limit: int | None) -> int | None:
    """The limit that was asked for; None is all."""
    if limit is not None and limit < 0:
        raise UsageError(f"{limit} is not a number of rows", hint="such as 20")
    return limit
