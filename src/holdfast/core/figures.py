"""Dates, sizes and ids as people read them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

__all__ = ["counted", "counted_by", "duration", "iso", "rows", "short", "size", "when"]

_SHORT: Final = 12


def short(name: str) -> str:
    """The beginning of an id or hash, long enough to name it on the command line."""
    return name[:_SHORT]


def when(time: datetime | None) -> str:
    """A time to the second, in UTC."""
    return time.strftime("%Y-%m-%d %H:%M:%S") if time else "-"


def iso(time: datetime | None) -> str | None:
    """A time for a program."""
    return time.isoformat().replace("+00:00", "Z") if time else None


def size(count: int) -> str:
    """Bytes, in the unit that needs few digits."""
    amount = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} TB"


def rows(table: Sequence[tuple[str, ...]]) -> list[str]:
    """Columns under each other, two spaces apart."""
    widths = [max(len(row[n]) for row in table) for n in range(len(table[0]))] if table else []
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]


def counted(count: int, thing: str) -> str:
    """`no captures`, `1 capture`, `2 captures`, `2 addresses`."""
    plural = f"{thing}es" if thing.endswith("s") else f"{thing}s"
    return f"{count or 'no'} {thing if count == 1 else plural}"


_FORMS: Final = {
    "duplicate": ("duplicate", "duplicates"),
    "alias": ("alias", "aliases"),
    "image": ("image", "images"),
    "image failed": ("image failed", "images failed"),
    "canonical disagreement": ("canonical disagreement", "canonical disagreements"),
    "page sources": ("page source", "page sources"),
    "source code pages": ("source code page", "source code pages"),
    "general index": ("general index", "general indexes"),
    "search page": ("search page", "search pages"),
    "tag pages": ("tag page", "tag pages"),
    "print version": ("print version", "print versions"),
}
"""Names of counts that are things, for one and for many; `failed` or `unchanged` is said of any number."""


def counted_by(count: int, name: str) -> str:
    """`1 duplicate`, `2 duplicates`, `2 failed`: a count by its name in a summary."""
    one, many = _FORMS.get(name, (name, name))
    return f"{count:,} {one if count == 1 else many}"


def duration(seconds: float) -> str:
    """`0:07`, `12:30`, `3:05:00`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
