"""Dates, sizes and ids as people read them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

__all__ = ["counted", "duration", "iso", "rows", "short", "size", "when"]

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


def duration(seconds: float) -> str:
    """`0:07`, `12:30`, `3:05:00`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
