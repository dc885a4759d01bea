"""Dates, sizes, counts, ids and lengths of time, as people read and write them.

Lengths of time are read as `90s`, `30m`, `12h`, `7d`, `2w`; a bare number is days. `EVER` is the moment
since which everything was. HTTP dates are written as RFC 3339 has them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

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


def in_utc(time: datetime) -> datetime:
    """A time that somebody wrote, in UTC, which it is in where it names no zone; ValueError where that is
    before or after all dates.
    """
    try:
        return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
    except OverflowError:
        raise ValueError(f"{time} is before or after all dates") from None


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


_AGES: Final = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


def ago(moment: datetime, now: datetime) -> str:
    """How long something is ago: `3 days ago`, `1 hour ago`."""
    seconds = (now - moment).total_seconds()
    found = ((int(seconds // length), unit) for length, unit in _AGES if seconds >= length)
    count, unit = next(found, (0, ""))
    return f"{counted(count, unit)} ago" if count else "just now"


EVER: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""Before anything that was seen."""

_FORM: Final = re.compile(r"(\d+(?:\.\d+)?)([smhdw]?)")
_SECONDS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800, "": 86400}


def parse_duration(text: str) -> timedelta | None:
    """The length of time, or None where the text is not one."""
    match = _FORM.fullmatch(text.strip())
    if match is None:
        return None
    seconds = float(match[1]) * _SECONDS[match[2]]
    return timedelta(seconds=seconds) if seconds < 1e11 else None


_FOUR_DIGITS = 1000


def rfc3339(value: str | None) -> str | None:
    """A `Last-Modified` in the form of manifests; as sent where it is not a date."""
    if value is None:
        return None
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 # lazy: most of `email`, for who fetches

    try:
        return timestamp(in_utc(parsedate_to_datetime(value)))
    except (ValueError, TypeError, IndexError, OverflowError):
        return value


def timestamp(moment: datetime) -> str:
    """A time to the second, in UTC, with its `Z`."""
    if moment.tzinfo is UTC and moment.year >= _FOUR_DIGITS:  # as nearly all are
        return f"{moment.isoformat()[:19]}Z"
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
