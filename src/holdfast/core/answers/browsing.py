"""Lists that grow, a part at a time: each says where the next part begins (`next`, None at the end)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import NamedTuple

from holdfast.core.answers.citations import CitationCounts, CitedUrl
from holdfast.core.answers.events import Occurrence
from holdfast.core.answers.mirrors import MirrorOverview, MirrorPage
from holdfast.core.cited_order import CitedOrder
from holdfast.core.ledger import NOTHING_BROUGHT, Brought, FrontierEntry, LeftPage, PageLink, RunRecord
from holdfast.core.lineage import Job
from holdfast.core.link_state import LinkState, Standing
from holdfast.core.values import dataclass

__all__ = [
    "CitedFilter",
    "CitedPart",
    "DocumentsPart",
    "News",
    "Overview",
    "PageLinkOut",
    "PageLinksOut",
    "PagesPart",
    "RunNews",
    "RunsWanted",
]


class CitedFilter(NamedTuple):
    """Which cited URLs: of these states, with this standing, on this host, cited by this document, failing
    for so many days at least; and in which order.
    """

    states: tuple[LinkState, ...] = ()
    standing: Standing | None = None
    host: str | None = None
    document: str | None = None
    days: int | None = None
    order: CitedOrder = CitedOrder.URL


class RunsWanted(NamedTuple):
    """Which runs: of a mirror or root, of a job, begun up to a moment; all, where nothing is said."""

    label: str | None = None
    job: Job | None = None
    until: datetime | None = None


class News(NamedTuple):
    """What came since a moment: pages that changed, came and went, cited URLs that died; `first_run` is the
    first one that found something changed.
    """

    since: datetime
    changed: int = 0
    new: int = 0
    gone: int = 0
    died: int = 0
    first_run: str | None = None


@dataclass(frozen=True, slots=True)
class Overview:
    """What a state folder holds, at a glance; `name` is what it is called where several are served, `news`
    what came since yesterday. `by_day` has for each mirror how many pages came or changed on each of the last
    days, the latest at the end.
    """

    name: str
    mirrors: tuple[MirrorOverview, ...]
    citations: CitationCounts
    runs: tuple[RunRecord, ...]
    news: News | None = None
    by_day: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PagesPart:
    """Some pages of a mirror, by path."""

    label: str
    pages: tuple[MirrorPage, ...]
    next: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentsPart:
    """Some documents that were tracked, by path."""

    documents: tuple[str, ...]
    next: str | None = None


@dataclass(frozen=True, slots=True)
class RunNews:
    """Some of what a run brought, in the order it was written; what it found gone, and what failed.

    Of a run of tracking: what happened to cited URLs.
    """

    run: RunRecord
    changes: tuple[Occurrence, ...]
    gone: tuple[LeftPage, ...] = ()
    failed: tuple[FrontierEntry, ...] = ()
    brought: Brought = NOTHING_BROUGHT
    next: str | None = None


@dataclass(frozen=True, slots=True)
class CitedPart:
    """Some cited URLs, in the order that was asked for; and how many there are in each state in all, where
    that was counted.
    """

    urls: tuple[CitedUrl, ...]
    next: str | None = None
    states: Mapping[LinkState, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PageLinkOut:
    """A link of a page, and whether its target is in a mirror here."""

    link: PageLink
    is_mirrored: bool


@dataclass(frozen=True, slots=True)
class PageLinksOut:
    """Where a page points to, as it was last seen."""

    url: str
    links: tuple[PageLinkOut, ...]
