"""HTTP dates, as RFC 3339 writes them."""

from __future__ import annotations

from datetime import UTC, datetime

__all__ = ["rfc3339", "timestamp"]

_FOUR_DIGITS = 1000


def rfc3339(value: str | None) -> str | None:
    """A `Last-Modified` in the form of manifests; as sent where it is not a date."""
    if value is None:
        return None
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 # lazy: most of `email`, for who fetches

    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError):
        return value
    return timestamp(moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment)


def timestamp(moment: datetime) -> str:
    """A time to the second, in UTC, with its `Z`."""
    if moment.tzinfo is UTC and moment.year >= _FOUR_DIGITS:  # as nearly all are
        return f"{moment.isoformat()[:19]}Z"
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
