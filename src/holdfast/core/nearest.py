"""What a mistyped name was meant to be."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["nearest"]


def nearest(name: str, known: Iterable[str], cutoff: float = 0.5) -> str | None:
    """The known name that an unknown one was most likely meant to be."""
    import difflib  # noqa: PLC0415 # lazy: only a mistake needs it, and every command can meet one

    matches = difflib.get_close_matches(name, list(known), n=1, cutoff=cutoff)
    return matches[0] if matches else None
