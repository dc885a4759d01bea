"""The place of a capture among those of its URL: an order that no clock moves (LIN-10).

1. What a store wrote itself stands in the order in which it wrote it: each capture is an anchor, with its own
   number. Numbers grow as captures are judged.
2. What was brought from elsewhere stands behind an anchor: the last one before the first that is stamped
   later. Behind one anchor captures stand by their stamps. So any number of them fit between two anchors.
3. A rank is given once and kept, whatever comes later.
4. As of a moment the last capture in order counts that is stamped up to it.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICRO: Final = timedelta(microseconds=1)
_OWN: Final = 0


class Rank(NamedTuple):
    """Ranks of one URL are compared as they stand; `anchor` is a capture's number, 0 before all of them."""

    anchor: int
    stamp: int

    @property
    def is_own(self) -> bool:
        """Whether it is that of a capture that the store wrote itself."""
        return self.stamp == _OWN


def own_rank(number: int) -> Rank:
    """The rank of a capture that the store wrote itself."""
    return Rank(number, _OWN)


def brought_rank(anchor: int, stamped: datetime) -> Rank:
    """The rank of a capture that was brought. No stamp is that of an anchor, however old."""
    return Rank(anchor, max((stamped - _EPOCH) // _MICRO, 1))
