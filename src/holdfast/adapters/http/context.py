"""What all fetches share: the rules, the lanes, the pools, what is known of robots.txt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from holdfast.adapters.http.host_turns import HostTurns
from holdfast.adapters.http.pools import Pools
from holdfast.adapters.http.robots_cache import RobotsCache
from holdfast.core.origins import OriginAccess
from holdfast.core.retry import RetryRules
from holdfast.core.settings.fetch import FetchSettings
from holdfast.core.values import dataclass
from holdfast.formats.body import BodyLimits

if TYPE_CHECKING:
    from holdfast.ports import Clock

__all__ = ["FetchContext", "FetchTerms"]


@dataclass(frozen=True, slots=True)
class FetchContext:
    """The parts of one fetcher."""

    settings: FetchSettings
    clock: Clock
    chance: Callable[[], float]
    turns: HostTurns
    robots: RobotsCache
    pools: Pools
    retry: RetryRules
    named: frozenset[str]
    headers: Mapping[str, str]
    accesses: Mapping[str, OriginAccess] = field(repr=False)

    def trusts(self, origin: str, *, named: bool) -> bool:
        """Whether an origin may have a private address."""
        return named or self.settings.allow_private or origin in self.named


@dataclass(frozen=True, slots=True)
class FetchTerms:
    """What stays the same on every hop of one fetch."""

    headers: Mapping[str, str]
    limits: BodyLimits
    max_redirects: int
    obey_robots: bool
    conditional: bool = False
