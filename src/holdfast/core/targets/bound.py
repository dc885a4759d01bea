"""One side of an answer in time, and which captures of a URL it takes (CLI-3, LIN-10).

1. A bound is a time or a place in the order in which a store kept its captures; places never look at clocks.
2. A time becomes a place in the order: an end reaches the last capture in order that was stamped before it,
   a start begins at the first that was stamped at or after it. So what a bound takes has no holes.
3. Where a clock ran back, what ends and what begins at one time may overlap; they never leave anything out.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final, assert_never

from holdfast.core.base.values import dataclass


class BoundKind(StrEnum):
    """On which side of a point an answer lies; `SHORT_OF` is what stands before all that `FROM` takes."""

    FROM = ">="
    BEHIND = ">"
    BEFORE = "<"
    UP_TO = "<="
    SHORT_OF = "before the first >="
    ALL = "all"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Bound:
    """One side of an answer. `point` is a time, a place in the order, or None where there is no limit."""

    kind: BoundKind
    point: datetime | int | None = None


EVERYTHING: Final = Bound(BoundKind.ALL)
NOTHING: Final = Bound(BoundKind.NONE)


@dataclass(frozen=True, slots=True)
class CaptureStamp:
    """A capture of one URL: its place in the store's order, and when the clock said it was."""

    place: int
    time: datetime


def captures_in(bound: Bound, captures: Sequence[CaptureStamp]) -> range:
    """Which captures of a URL a bound takes, as places in their list; that of `--at` is the last one."""
    kind, point, count = bound.kind, bound.point, len(captures)
    if kind is BoundKind.ALL:
        return range(count)
    if kind is BoundKind.NONE or point is None:
        return range(0)
    fits = [
        _fits(kind, capture.time if isinstance(point, datetime) else capture.place, point)
        for capture in captures
    ]
    match kind:
        case BoundKind.FROM | BoundKind.BEHIND:
            return range(next((at for at in range(count) if fits[at]), count), count)
        case BoundKind.SHORT_OF:
            return range(next((at for at in range(count) if fits[at]), count))
        case BoundKind.BEFORE | BoundKind.UP_TO:
            return range(next((at + 1 for at in reversed(range(count)) if fits[at]), 0))
        case _:
            assert_never(kind)


def _fits(kind: BoundKind, value: datetime | int, point: datetime | int) -> bool:
    order = (value > point) - (value < point)  # type: ignore[operator]  # both times, or both places
    return order in _ORDERS[kind]


_ORDERS: Final = {
    BoundKind.FROM: (0, 1),
    BoundKind.SHORT_OF: (0, 1),
    BoundKind.BEHIND: (1,),
    BoundKind.BEFORE: (-1,),
    BoundKind.UP_TO: (-1, 0),
}
