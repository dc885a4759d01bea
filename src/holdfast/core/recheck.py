"""When a cited URL is asked again (TRK-4).

    never asked, suspect, or a change not confirmed    at the next run
    confirmed dead                                     after the TTL, doubled by each more failure, up to 16 ×
    a server that named a time                         not before it
    everything else                                    after the TTL

1. The TTL is stretched by up to a quarter, by a share that the url key decides: URLs that were first seen
   together do not come due together, and the same URL comes due at the same time on every machine.
2. Within the TTL nothing is asked.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from holdfast.core.hashing import UrlKey
from holdfast.core.link_state import Standing

__all__ = ["due_at"]

STRETCH: Final = 0.25
_MOST: Final = 16


def due_at(
    key: UrlKey, standing: Standing, checked_at: datetime | None, *, ttl: timedelta, failures: int = 0
) -> datetime | None:
    """When a URL may be asked again; None means now."""
    if checked_at is None or standing is Standing.SUSPECT:
        return None
    share = int(key[:8], 16) / 0xFFFFFFFF
    wait = ttl * (1 + STRETCH * share)
    if standing is Standing.DEAD:
        wait *= min(2 ** max(failures - 2, 0), _MOST)
    return checked_at + wait
