"""Where a crawl stands, in parts.

These are what is fixed for one start (`CrawlPlan`), what progresses (`CrawlProgress`), what is counted
(`CrawlCounts`), what the trap rules remember (`TrapMemory`).

It is rebuilt from the ledger at a resume (`jobs/mirror/opening`), so that a killed crawl decides as one
that was not. Counts follow from decisions: `CrawlState.take` is the one place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import field

from holdfast.core.base.hashing import UrlKey
from holdfast.core.base.long_lists import Fingerprints
from holdfast.core.base.values import dataclass
from holdfast.core.crawl.consequences import Consequence
from holdfast.core.crawl.decision import Manner
from holdfast.core.crawl.harvest import HarvestRules, Step
from holdfast.core.crawl.mirror_spec import Order
from holdfast.core.lineage.ledger_values import Closed, FrontierEntry
from holdfast.core.lineage.lineage import NOT_ASKED, Run
from holdfast.core.url.canonical import CanonicalUrl
from holdfast.core.url.name_plan import NamePlan
from holdfast.core.url.redaction import shown
from holdfast.core.url.scope import OutOfScope, Scope
from holdfast.core.url.traps import Traps, pattern_of
from holdfast.core.url.url import Place, Url, parse_url

_SEEN_LIMIT = 1_000_000
_TROUBLES = 3
_LARGE_PAGES = 50
_SHOWN = 200
_ALREADY_DONE = "already done"


@dataclass(frozen=True, slots=True)
class CrawlPlan:
    """What is fixed for one start. `finished` are URLs that earlier runs were done with: they are skipped,
    or, where links are followed under a new plan (`goes_through`), walked through by their stored links.
    `earlier` are this mirror's runs before, the latest first; in an update, `acknowledged` is what the
    checkpoint lists already.
    `begun_again` are entries that had taken effect when a crash cut them off: they come first, in the order
    of their turns. `cut_off` are those of a run that an update does not go on with: it asks for them whole.
    """

    order: Order
    run_id: str
    scope: Scope
    names: NamePlan
    finished: Fingerprints = field(default_factory=Fingerprints)
    earlier: tuple[Run, ...] = ()
    goes_through: bool = False
    is_of_one_version: bool = False
    acknowledged: Fingerprints = field(default_factory=Fingerprints)
    forgotten: frozenset[UrlKey] = frozenset()
    begun_again: tuple[FrontierEntry, ...] = ()
    cut_off: frozenset[UrlKey] = frozenset()

    @property
    def manner(self) -> Manner:
        """What the user asked for that decides."""
        return Manner(self.order.canonical_mode, self.order.on_error)

    def canonical(self, place: Place) -> CanonicalUrl:
        """A place as what names are made of."""
        return CanonicalUrl(place.url, self.order.standard.policy.component)


@dataclass(slots=True)
class CrawlProgress:
    """What moves on: what discovery decided, how far the frontier is done, what was offered and settled."""

    follow: bool = False
    is_discovered: bool = False
    is_partial: bool = False
    position: int = 0
    total: int = 0
    processed: int = 0
    started: int = 0
    fresh: int = 0
    has_placeholders: bool = False
    abort: str | None = None
    settled: set[UrlKey] = field(default_factory=set)
    offered: set[int] = field(default_factory=set)

    def is_first_offer(self, href: str) -> bool:
        """Whether this address has not been met before in this start; it only saves work."""
        mark = hash(href)
        if mark in self.offered:
            return False
        if len(self.offered) < _SEEN_LIMIT:
            self.offered.add(mark)
        return True

    def settle(self, closed: tuple[Closed, ...]) -> None:
        """Where one result ends several entries, the others need no answer of their own any more."""
        if len(closed) > 1:
            self.settled.update(end.key for end in closed)

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


@dataclass(slots=True)
class CrawlCounts:
    """How often what was decided. `kept` entries were not asked for, `departed` pages were marked as gone or
    deleted; `troubles` are the first few things that went wrong, in words, `hints` the first few that
    tell where content is that was not had, `too_large` the first addresses of pages over the limit.
    """

    pages: int = 0
    kept: int = 0
    departed: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    warnings: Counter[str] = field(default_factory=Counter)
    changes: Counter[str] = field(default_factory=Counter)
    troubles: list[str] = field(default_factory=list)
    hints: dict[str, None] = field(default_factory=dict)
    too_large: list[str] = field(default_factory=list)

    def take(self, entry: FrontierEntry, follows: Consequence) -> None:
        """Count what follows from a decision."""
        word, page = follows.word, follows.page
        if word:
            self.outcomes[word] += 1
        if follows.refused is not None:
            self.refused[follows.refused] += 1
        if page is not None:
            self.pages += 1
            self.outcomes["canonical disagreement"] += page.disagrees
            self.warnings.update(page.made.content.warnings)
        self.kept += follows.kept
        if follows.hint and len(self.hints) < _TROUBLES:
            self.hints[follows.hint] = None
        if word == "too large" and len(self.too_large) < _LARGE_PAGES:
            self.too_large.append(shown(entry.fetch_url))
        if word == "failed" or (word == "refused" and entry.depth == 0):
            self._trouble(f"{word}: {shown(entry.fetch_url)}: {follows.why}")

    def joined(self, number: int) -> None:
        """Pages that turned out to be other names of pages."""
        self.pages -= number
        self.outcomes["page"] -= number
        self.outcomes["duplicate"] += number

    def already_done(self, number: int) -> None:
        """URLs that an earlier run was done with."""
        self.outcomes[_ALREADY_DONE] += number

    def not_asked(self, number: int) -> None:
        """URLs that a budget left for a later run."""
        self.outcomes[NOT_ASKED] += number

    def not_written(self, path: str, reason: str) -> None:
        """A file that the folder did not take."""
        self.outcomes["not written"] += 1
        self._trouble(f"not written: {path}: {reason}")

    def without_identity(self, href: str, reason: str) -> None:
        """An address that no name can be made of."""
        self.refused[reason] += 1
        self._trouble(f"refused: {_cut(shown(href))}: {reason}")

    def images(self, *, fetched: int, failed: int) -> None:
        """Images that were asked for."""
        self.outcomes["image"] += fetched
        self.outcomes["image failed"] += failed

    def _trouble(self, words: str) -> None:
        if len(self.troubles) < _TROUBLES:
            self.troubles.append(words)


@dataclass(slots=True)
class TrapMemory:
    """What the trap rules remember: the tallies, and the last page of each pattern."""

    traps: Traps
    last_of_pattern: dict[str, Place] = field(default_factory=dict)

    def refusal(self, href: str) -> str | None:
        """Why an address found by links gets no further."""
        url = parse_url(href)
        trap = self.traps.refusal(url) if isinstance(url, Url) else None
        return None if trap is None else str(trap)

    def to_compare(self, place: Place) -> Place | None:
        """The page before it of the same pattern, where the rules want to know whether they are alike."""
        url = parse_url(place.url)
        if not isinstance(url, Url) or not self.traps.wants_comparison(url):
            return None
        return self.last_of_pattern.get(pattern_of(url) or "")

    def count(self, place: Place, *, alike: bool | None, gist: str = "") -> None:
        """A page found by links took effect."""
        url = parse_url(place.url)
        if not isinstance(url, Url):
            return
        self.traps.count(url, alike=alike, gist=gist)
        if (pattern := pattern_of(url)) is not None:
            self.last_of_pattern[pattern] = place

    def leads_nowhere(self, place: Place, gist: str) -> bool:
        """Whether the links of a page that was counted are not worth following."""
        url = parse_url(place.url)
        return isinstance(url, Url) and self.traps.leads_nowhere(url, gist)


@dataclass(slots=True)
class CrawlState:
    """One run at one moment: its parts, what takes more than one of them to tell, and how many effects there
    were since its final pass began (`turns`).
    """

    plan: CrawlPlan
    memory: TrapMemory
    progress: CrawlProgress = field(default_factory=CrawlProgress)
    counts: CrawlCounts = field(default_factory=CrawlCounts)
    known_rules: HarvestRules | None = None
    turns: int = 0

    @property
    def is_quiet(self) -> bool:
        """Whether nothing was asked for and nothing went: then no file is touched (MIR-11)."""
        return self.progress.fresh == self.counts.kept and not self.counts.departed

    def skips(self, url: str) -> bool:
        """Whether a URL needs no entry: it is finished, and nothing lies behind it that is not."""
        plan = self.plan
        return url in plan.finished and not (plan.goes_through and self.progress.follow)

    @property
    def rules(self) -> HarvestRules:
        """What a worker has to know: the same value until something about it changes, so that it is sent to
        a worker once.
        """
        known, follow, plan = self.known_rules, self.progress.follow, self.plan
        if known is not None and known.follow == follow:
            return known
        settings = plan.order.settings
        self.known_rules = HarvestRules(
            standard=plan.order.standard,
            scope=plan.scope,
            follow=follow,
            meta_robots=settings.scope.meta_robots,
            front_matter=plan.order.has_front_matter,
            options=plan.order.options,
        )
        return self.known_rules

    def take(self, entry: FrontierEntry, follows: Consequence) -> None:
        """A decision takes effect: it is counted, and remembered by the trap rules."""
        self.counts.take(entry, follows)
        if (page := follows.page) is not None and not entry.listed:
            self.memory.count(page.made.place, alike=page.alike, gist=page.made.content.gist)
        if follows.stands_for is not None:
            self.progress.has_placeholders = True
        if follows.ends_run:
            self.progress.abort = f"{shown(entry.fetch_url)}: {follows.why}"

    def turn_of(self, entry: FrontierEntry, *, final: bool) -> int:
        """The number of what takes effect now, counted from the first of the final pass; what takes effect
        again keeps the number it had.
        """
        if entry.note.again:
            return entry.note.turn
        self.turns += final or self.turns > 0
        return self.turns

    def admitted(self, steps: Iterable[Step], parent: FrontierEntry) -> tuple[FrontierEntry, ...]:
        """The entries that links make: each address once, within depth, and in no trap."""
        found = []
        for url, key, web_key, href in steps:
            if not self.progress.is_first_offer(href) or self.skips(url):
                continue
            if (refusal := self._refusal(href, parent.depth + 1)) is not None:
                self.counts.refused[refusal] += 1
                continue
            found.append(self.progress.next_entry(Place(url, key, web_key), href, parent))
        return tuple(found)

    def _refusal(self, href: str, depth: int) -> str | None:
        limit = self.plan.scope.max_depth
        return OutOfScope.DEPTH if limit is not None and depth > limit else self.memory.refusal(href)


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text):,} characters)"
