"""Where a crawl stands: everything that its decisions rest on, and its counts.

It is rebuilt from the ledger at a resume (`opening`), so that the decisions of a crawl that was killed are
those of one that was not.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from holdfast.core.hashing import UrlKey
from holdfast.core.ledger import FrontierEntry, Place
from holdfast.core.lineage import Run
from holdfast.core.mirror_plan import NamePlan
from holdfast.core.scope import Scope
from holdfast.core.traps import Traps, pattern_of
from holdfast.core.url import Url, parse_url
from holdfast.jobs.mirror.harvest import HarvestRules
from holdfast.jobs.mirror.order import Order

__all__ = ["CrawlState"]

_SEEN_LIMIT = 1_000_000
_TROUBLES = 3


@dataclass(slots=True)
class CrawlState:
    """One run at one moment. `finished` are URLs that earlier runs were done with: they are skipped, or,
    where links are followed under a new plan (`goes_through`), walked through by their stored links.
    In an update, `previous` is the run before, `acknowledged` what the checkpoint lists already, `kept` how
    many entries were not asked for, `departed` how many pages were marked as gone or deleted. `begun_again`
    are entries that a crash cut off in the final pass after they had taken effect: they come first.
    """

    order: Order
    run_id: str
    scope: Scope
    names: NamePlan
    traps: Traps
    follow: bool = False
    is_discovered: bool = False
    finished: frozenset[str] = frozenset()
    earlier_runs: tuple[str, ...] = ()
    goes_through: bool = False
    position: int = 0
    total: int = 0
    processed: int = 0
    started: int = 0
    fresh: int = 0
    pages: int = 0
    abort: str | None = None
    has_placeholders: bool = False
    partial_discovery: bool = False
    previous: Run | None = None
    is_of_one_version: bool = False
    acknowledged: frozenset[str] = frozenset()
    kept: int = 0
    forgotten: frozenset[UrlKey] = frozenset()
    departed: int = 0
    troubles: list[str] = field(default_factory=list)
    settled: set[UrlKey] = field(default_factory=set)
    offered: set[int] = field(default_factory=set)
    last_of_pattern: dict[str, Place] = field(default_factory=dict)
    outcomes: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    warnings: Counter[str] = field(default_factory=Counter)
    changes: Counter[str] = field(default_factory=Counter)
    turns: int = 0
    begun_again: tuple[FrontierEntry, ...] = ()
    known_rules: HarvestRules | None = None

    @property
    def is_quiet(self) -> bool:
        """Whether nothing was asked for and nothing went: then no file is touched (MIR-11)."""
        return self.fresh == self.kept and not self.departed

    def skips(self, url: str) -> bool:
        """Whether a URL needs no entry: it is finished, and nothing lies behind it that is not."""
        return url in self.finished and not (self.goes_through and self.follow)

    @property
    def rules(self) -> HarvestRules:
        """What a worker has to know: the same value until something about it changes, so that it is sent to
        a worker once.
        """
        known = self.known_rules
        if known is not None and known.follow == self.follow:
            return known
        settings = self.order.settings
        self.known_rules = HarvestRules(
            standard=self.order.standard,
            scope=self.scope,
            follow=self.follow,
            obey_meta_robots=settings.obey_meta_robots,
            front_matter=settings.sidecar == "front-matter",
            options=self.order.options,
        )
        return self.known_rules

    def is_first_offer(self, href: str) -> bool:
        """Whether this address has not been met before in this start; it only saves work."""
        mark = hash(href)
        if mark in self.offered:
            return False
        if len(self.offered) < _SEEN_LIMIT:
            self.offered.add(mark)
        return True

    def note_trouble(self, text: str) -> None:
        """Keep the first few things that went wrong, for the summary."""
        if len(self.troubles) < _TROUBLES:
            self.troubles.append(text)

    def next_entry(self, place: Place, href: str, parent: FrontierEntry) -> FrontierEntry:
        """An entry found on a page, in the order of finding."""
        self.position += 1
        return FrontierEntry(
            place=place,
            fetch_url=href,
            depth=parent.depth + 1,
            source=0,
            position=self.position,
            parent=parent.place.key,
        )

    def count_for_traps(self, place: Place, *, alike: bool | None) -> int:
        """A page found by links took effect; the how-many-eth with a pattern it is, 0 without one."""
        url = parse_url(place.url)
        if not isinstance(url, Url) or (pattern := pattern_of(url)) is None:
            return 0
        self.traps.count(url, alike=alike)
        self.last_of_pattern[pattern] = place
        self.turns += 1
        return self.turns
