"""What somebody asks who looks around: value and JSON.

Lists come a part at a time, and `next` is where the next part begins, null at the end. However long a list
is, a part costs what a part costs. Asked are also two versions beside each other, and the neighbourhood of
a node.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from datetime import datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Final

from holdfast.core.base.hashing import UrlKey
from holdfast.core.base.json_shape import (
    BOOLEAN,
    TEXT,
    WEB_URL,
    Schema,
    array,
    at,
    counts_of,
    described,
    one_of,
    optional,
    record,
)
from holdfast.core.base.values import dataclass
from holdfast.core.events.happenings import PageChange
from holdfast.core.lineage.event_kind import EventKind
from holdfast.core.lineage.ledger_values import Brought, PageLink
from holdfast.core.lineage.lineage import RunRecord
from holdfast.core.lineage.versions import yesterday
from holdfast.core.links.after_look import standing
from holdfast.core.links.citation import Backlink, CitedPlace, PlacesWanted, cursor_of, in_cited_order
from holdfast.core.links.link_state import LinkState, Standing
from holdfast.core.page.page import LinkKind
from holdfast.core.url.policy import Policy
from holdfast.questions import links as citations
from holdfast.questions.link_graph import Graph, graph_of
from holdfast.questions.link_words import CITED_URL
from holdfast.questions.log import runs as run_log
from holdfast.questions.log.log import capture_id
from holdfast.questions.log.mirror_log import (
    changes_of_run,
    require_run,
)
from holdfast.questions.log.run_list import RunList
from holdfast.questions.rows.parts import part_after
from holdfast.questions.status import (
    CitedFilter,
    CitedPart,
    CountBrought,
    DocumentsPart,
    Overview,
    PageLinkOut,
    PageLinksOut,
    PagesPart,
    RunsWanted,
    changes_by_day,
    citations_at,
    mirrors,
    news_since,
    overview_at,
    pages_at,
)

if TYPE_CHECKING:
    from holdfast.questions.links import CitationCounts, CitedUrl
    from holdfast.questions.log.page_log import PageHistory
    from holdfast.storage.ledger.ledger import Ledger

_FIRST_PLACES, _MOST_PLACES = 128, 8192
"""Places read at a time: few at first, more where hardly any is what was asked for."""


def overview(ledger: Ledger, name: str, *, is_idle: bool, runs: int, now: datetime | None) -> Overview:
    """Mirrors, citations and the latest runs of a store; as of `now` also what is new since yesterday,
    and the changes of each day.
    """
    return Overview(
        name,
        mirrors(ledger, is_idle=is_idle),
        citations.citation_counts(ledger),
        tuple(islice(run_log.latest_runs(ledger, is_idle=is_idle), runs)),
        news_since(ledger, yesterday(now)) if now else None,
        changes_by_day(ledger, now) if now else {},
    )


def pages_part(ledger: Ledger, label: str, after: str, limit: int, *, only_gone: bool = False) -> PagesPart:
    """The pages of a mirror after a path; all, or those that are gone."""
    found = tuple(islice(run_log.mirror_pages(ledger, label, after, only_gone=only_gone), limit + 1))
    return PagesPart(label, found[:limit], found[limit - 1].path if len(found) > limit else None)


def documents_part(ledger: Ledger, after: str, limit: int) -> DocumentsPart:
    """The documents that were checked, after a path."""
    later = (document.path for document in ledger.citations.documents() if document.path > after)
    found = tuple(islice(later, limit + 1))
    return DocumentsPart(found[:limit], found[limit - 1] if len(found) > limit else None)


def runs_part(ledger: Ledger, which: RunsWanted, after: str, limit: int, *, is_idle: bool) -> RunList:
    """Runs after one, the latest first."""
    every = run_log.latest_runs(ledger, is_idle=is_idle, label=which.label, job=which.job)
    found = (one for one in every if which.until is None or one.run.started_at <= which.until)
    return RunList(*part_after(found, after, limit, lambda record: record.run.run_id))


def next_change(ledger: Ledger, run: RunRecord, after: str, counted: Brought | None) -> PageChange | None:
    """The next page that a run found changed, after a capture; the first one after none."""
    if not (counted or ledger.history.count_brought(run.run.run_id)).changed:
        return None  # a first run of many thousand pages is counted, not walked
    changes = changes_of_run(ledger, run, capture_id(after))
    return next((change for change in changes if change.kind is EventKind.CHANGED), None)


def cited(ledger: Ledger, wanted: CitedFilter, after: str, limit: int, now: datetime) -> CitedPart:
    """Cited URLs after a place in the list, each with who cites it. How many there are in all is another
    question (`citation_counts`): it takes as long as there are URLs.
    """
    found = tuple(islice(_cited(ledger, wanted, after, now), limit + 1))
    following = cursor_of(found[limit - 1].node, wanted.order) if len(found) > limit else None
    return CitedPart(found[:limit], following)


def _cited(ledger: Ledger, wanted: CitedFilter, after: str, now: datetime) -> Iterator[CitedUrl]:
    for node in _places(ledger, wanted, after, now):
        if wanted.standing is None or standing(node) is wanted.standing:
            citing = ledger.citations.backlinks(node.place.web_key)
            if citing:
                yield citations.cited_url(node, citing)


def _places(ledger: Ledger, wanted: CitedFilter, after: str, now: datetime) -> Iterator[CitedPlace]:
    states = wanted.states or (tuple(_states_of(wanted.standing)) if wanted.standing else ())
    before = now - timedelta(days=wanted.days) if wanted.days else None
    asked = PlacesWanted(states, wanted.order, before, after)
    if wanted.host is not None or wanted.document is not None:
        nodes = (ledger.citations.place(key) for key in _keys(ledger, wanted))
        yield from in_cited_order([node for node in nodes if node is not None], asked)
        return
    size = _FIRST_PLACES
    while part := ledger.citations.places_part(asked, size):
        yield from part
        if len(part) < size:
            return
        asked = asked._replace(after=cursor_of(part[-1], wanted.order))
        size = min(size * 4, _MOST_PLACES)


def _states_of(standing_wanted: Standing) -> Collection[LinkState]:
    if standing_wanted in (Standing.DEAD, Standing.SUSPECT):
        return [state for state in LinkState if state.standing is Standing.SUSPECT]
    return [state for state in LinkState if state.standing is standing_wanted]


def _keys(ledger: Ledger, wanted: CitedFilter) -> set[UrlKey]:
    keys: set[UrlKey] | None = None
    if wanted.host is not None:
        keys = {
            found.citation.place.web_key for found in ledger.citations.backlinks_of_host(wanted.host.lower())
        }
    if wanted.document is not None:
        own = {citation.place.web_key for citation in ledger.citations.of_document(wanted.document)}
        keys = own if keys is None else keys & own
    return keys or set()


def links_out(ledger: Ledger, known: PageHistory) -> PageLinksOut:
    """Where a page points to, as it was last seen: by a mirror that has it, for tracks keep no links."""
    links: tuple[PageLink, ...] = ()
    last = {seen.item.recipe: seen.item for seen in known.observations if seen.item is not None}
    for item in (last[recipe] for recipe in (*known.mirrors, *reversed(last)) if recipe in last):
        if links := ledger.history.links_of(item.recipe, item.place.key):
            break
    here = {key: bool(ledger.pages.mirrored(key)) for key in {link.target.web_key for link in links}}
    return PageLinksOut(known.url, tuple(PageLinkOut(link, here[link.target.web_key]) for link in links))


def neighbourhood(ledger: Ledger, target: str, policy: Policy, limit: int) -> Graph:
    """A document with the URLs it cites, or a URL with the documents that cite it; at most so many."""
    if "://" in target:
        return graph_of(ledger, islice(citations.citing(ledger, target, policy), limit))
    links = citations.links(ledger, target).links[:limit]
    return graph_of(ledger, (Backlink(target, link.citation) for link in links))


@dataclass(frozen=True, slots=True)
class PartReader:
    """Each answer says after what the next part begins."""

    _ledger: Ledger
    _policy: Policy
    _is_idle: Callable[[], bool]

    def overview(self, name: str = "", runs: int = 60, now: datetime | None = None) -> Overview:
        """Mirrors, citations and the latest runs; as of `now` also what is new since yesterday."""
        return overview(self._ledger, name, is_idle=self._is_idle(), runs=runs, now=now)

    def overview_at(
        self, name: str, moment: datetime, runs: int = 60, count: CountBrought | None = None
    ) -> Overview:
        """The same as the last runs up to a moment left it; `count` says what a run brought, where somebody
        knows that.
        """
        return overview_at(self._ledger, name, moment, runs, count or self.brought)

    def citations_at(self, moment: datetime) -> CitationCounts:
        """How many cited URLs were in which state, as the last tracks up to a moment counted them."""
        return citations_at(self._ledger, moment)

    def pages(self, label: str, after: str = "", limit: int = 100, *, only_gone: bool = False) -> PagesPart:
        """The pages of a mirror after a path; all, or those that are gone."""
        return pages_part(self._ledger, label, after, limit, only_gone=only_gone)

    def pages_at(self, label: str, moment: datetime, after: str = "", limit: int = 100) -> PagesPart:
        """The pages that a mirror had at a moment, after a path."""
        return pages_at(self._ledger, label, moment, after, limit)

    def runs(self, which: RunsWanted, after: str = "", limit: int = 50) -> RunList:
        """Runs after one, the latest first."""
        return runs_part(self._ledger, which, after, limit, is_idle=self._is_idle())

    def documents(self, after: str = "", limit: int = 50) -> DocumentsPart:
        """Documents after a path."""
        return documents_part(self._ledger, after, limit)

    def brought(self, run: RunRecord) -> Brought:
        """How many pages a run brought, new and changed."""
        return self._ledger.history.count_brought(run.run.run_id)

    def next_change(self, name: str, after: str = "", brought: Brought | None = None) -> PageChange | None:
        """The next page that a run found changed, after a capture."""
        return next_change(self._ledger, require_run(self._ledger, name), after, brought)

    def cited(self, wanted: CitedFilter, now: datetime, after: str = "", limit: int = 50) -> CitedPart:
        """Cited URLs after a place in their list, each with who cites it; ages are those of `now`."""
        return cited(self._ledger, wanted, after, limit, now)

    def neighbourhood(self, target: str, limit: int = 40) -> Graph:
        """A document and what it cites, or a URL and who cites it."""
        return neighbourhood(self._ledger, target, self._policy, limit)


_NEXT: Final = described(optional(TEXT), "What to give as `after` for the next part; null at the end.")

PAGE_LIST: Final = Schema(
    "page-list",
    "Some pages of a mirror, by path.",
    record(label=TEXT, pages=array(run_log.PAGES.shape), next=_NEXT),
)

CITED: Final = Schema(
    "cited",
    "Some cited URLs, by URL, with who cites each; `states` counts all there are.",
    record(
        urls=array(CITED_URL),
        states=at(lambda found: sorted(found.states.items()), counts_of(LinkState)),
        next=_NEXT,
    ),
)

DOCUMENTS: Final = Schema(
    "documents",
    "Some documents that are checked, by path.",
    record(documents=array(TEXT), next=_NEXT),
)

PAGE_LINKS: Final = Schema(
    "page-links",
    "Where a page points to, as it was last seen.",
    record(
        url=WEB_URL,
        links=array(
            record(
                url=at("link.target.url", TEXT),
                href=at("link.href", TEXT),
                text=at("link.text", TEXT),
                kind=at("link.kind", one_of(LinkKind)),
                nofollow=at("link.nofollow", BOOLEAN),
                mirrored=at("is_mirrored", BOOLEAN),
            )
        ),
    ),
)
