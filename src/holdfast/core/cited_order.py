"""Cited URLs in an order, from a place in it on: what a long list is asked for, a part at a time.

The order is by URL, by since when it fails (the longest first; only what fails), or by its last look (the
oldest first; only what was looked at); each the other way round with `-`. Equal times are ordered by URL. A
place in the list is a time, if the order has one, and a URL (`cursor_of`).
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final, NamedTuple

from holdfast.core.citation import CitedPlace
from holdfast.core.errors import UsageError
from holdfast.core.link_state import LinkState

__all__ = ["CitedOrder", "PlacesWanted", "cursor_of", "in_cited_order", "read_cursor"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_DIGITS: Final = 17
"""Of a time in microseconds; beyond are years that no clock shows."""


class CitedOrder(StrEnum):
    """How cited URLs are put in order."""

    URL = "url"
    URL_DOWN = "-url"
    AGE = "age"
    AGE_DOWN = "-age"
    ASKED = "asked"
    ASKED_DOWN = "-asked"

    @property
    def is_down(self) -> bool:
        """Whether it is the other way round."""
        return self.startswith("-")

    def time_of(self, place: CitedPlace) -> datetime | None:
        """The time that a place is ordered by, if it is."""
        match self.lstrip("-"):
            case "age":
                return place.looks.since
            case "asked":
                return place.checked_at
            case _:
                return None

    @property
    def has_time(self) -> bool:
        """Whether it is by a time."""
        return self.lstrip("-") != "url"


class PlacesWanted(NamedTuple):
    """Which cited URLs: of these states (empty for all), failing since a moment at the latest, in an order,
    after a place in it.
    """

    states: tuple[LinkState, ...] = ()
    order: CitedOrder = CitedOrder.URL
    failing_before: datetime | None = None
    after: str = ""


def cursor_of(place: CitedPlace, order: CitedOrder) -> str:
    """Where a URL is in the list."""
    time = order.time_of(place)
    return place.place.url if time is None else f"{(time - _EPOCH) // _MICROSECOND} {place.place.url}"


def read_cursor(wanted: PlacesWanted) -> tuple[datetime | None, str] | None:
    """The time and URL after which the part begins; None for the first part."""
    if not wanted.after:
        return None
    if not wanted.order.has_time:
        return None, wanted.after
    number, _, url = wanted.after.partition(" ")
    if not url or not number.isascii() or not number.isdigit() or len(number) > _DIGITS:
        raise UsageError(
            f"{wanted.after[:80]!r} is not a place in this list", hint="begin with the list's first part"
        )
    return _EPOCH + int(number) * _MICROSECOND, url


def in_cited_order(places: list[CitedPlace], wanted: PlacesWanted) -> list[CitedPlace]:
    """Of these places those that are wanted, in order."""
    order, after = wanted.order, read_cursor(wanted)

    def key(place: CitedPlace) -> tuple[datetime, str]:
        return order.time_of(place) or _EPOCH, place.place.url

    def is_wanted(place: CitedPlace) -> bool:
        if wanted.states and place.state not in wanted.states:
            return False
        if order.has_time and order.time_of(place) is None:
            return False
        if wanted.failing_before is not None and not (
            place.looks.since is not None and place.looks.since <= wanted.failing_before
        ):
            return False
        if after is None:
            return True
        here, there = key(place), (after[0] or _EPOCH, after[1])
        return here < there if order.is_down else here > there

    return sorted(filter(is_wanted, places), key=key, reverse=order.is_down)
