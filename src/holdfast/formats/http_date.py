"""HTTP dates, as RFC 3339 writes them."""

from __future__ import annotations

from datetime import UTC, datetime

__all__ = ["rfc3339", "timestamp"]


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
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
