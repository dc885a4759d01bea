"""Who cites what, and which citations are dead, suspect, changed: values and questions.

1. `CitedUrl` is the one way in which an answer speaks of a cited URL: what is known of it, what that means,
   and the citations that the question was about.
2. A URL is found by its `web` key, however it is written (ID-12).
3. An ignored citation does not count in `broken`; everywhere else it is shown.
4. What may be long (who cites anything on a host) comes as a stream too: `citing`.
5. A link within a mirrored site leads nowhere where the mirror's last run asked for its target and did not
   get it. The pages of the mirror that link to it are told. Dead is what answered 404 or 410; what failed
   otherwise is suspect.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING, Final

from holdfast.core.base.errors import UsageError, nearest
from holdfast.core.base.figures import EVER
from holdfast.core.base.hashing import UrlKey
from holdfast.core.base.values import dataclass
from holdfast.core.events.happenings import Occurrence, cited_event
from holdfast.core.lineage.event_kind import EventKind
from holdfast.core.lineage.ledger_values import EntryState, FrontierEntry
from holdfast.core.lineage.lineage import Job
from holdfast.core.links.after_look import standing
from holdfast.core.links.citation import Backlink, Citation, CitedPlace, Notes
from holdfast.core.links.link_state import FAILING, LinkState, Standing
from holdfast.core.url.policy import Policy
from holdfast.questions.rows.resolve_target import find_place, is_pattern, is_url

if TYPE_CHECKING:
    from holdfast.storage.ledger.ledger import Ledger


@dataclass(frozen=True, slots=True)
class CitedUrl:
    """A cited URL: what is known of it (`node`), what that means for whoever cites it, and the citations."""

    node: CitedPlace
    standing: Standing
    citations: tuple[Backlink, ...] = ()

    @property
    def url(self) -> str:
        """The canonical URL."""
        return self.node.place.url

    @property
    def state(self) -> LinkState:
        """What the last look found; `state.sentence` says it in words."""
        return self.node.state

    @property
    def status(self) -> int | None:
        """The status of the response that the state rests on."""
        return self.node.status

    @property
    def final_url(self) -> str | None:
        """Where it moved to."""
        return self.node.final_url

    @property
    def checked_at(self) -> datetime | None:
        """When it was last asked."""
        return self.node.checked_at

    @property
    def notes(self) -> Notes:
        """What the state rests on: evidence, warnings, the hashes of cited sections."""
        return self.node.notes


@dataclass(frozen=True, slots=True)
class Broken:
    """The cited URLs that are dead, and, if asked for, those that failed and are not confirmed.

    `suspects` counts the latter, shown or not; `unasked` counts what nobody has asked yet.
    """

    urls: tuple[CitedUrl, ...]
    suspects: int
    unasked: int

    @property
    def dead(self) -> tuple[CitedUrl, ...]:
        """Those that are dead."""
        return tuple(url for url in self.urls if url.standing is Standing.DEAD)


@dataclass(frozen=True, slots=True)
class Backlinks:
    """Who cites a URL, a host, or what matches a pattern.

    Of a URL (`is_url`) it says besides: what is known of it, the files of mirrors that stand for it, and the
    mirrored pages that link to it.
    """

    target: str
    citations: tuple[Backlink, ...]
    is_url: bool = False
    node: CitedUrl | None = None
    mirrored_as: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentLink:
    """A citation of a document, what is known of its URL, and the files of mirrors that stand for it."""

    citation: Citation
    node: CitedUrl | None
    mirrored_as: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentLinks:
    """What a document cites, in the order in which it stands there."""

    document: str
    links: tuple[DocumentLink, ...]


@dataclass(frozen=True, slots=True)
class Changed:
    """The cited URLs that changed, in the order in which that happened."""

    changes: tuple[Occurrence, ...]


@dataclass(frozen=True, slots=True)
class CitationCounts:
    """How many documents there are, and how many cited URLs by what their state means, and by state."""

    documents: int
    standings: Mapping[Standing, int]
    states: Mapping[LinkState, int] = field(default_factory=dict)

    @property
    def urls(self) -> int:
        """How many URLs are cited."""
        return sum(self.standings.values())


@dataclass(frozen=True, slots=True)
class LinkingPage:
    """A page of a mirror that has a link: its address, its file, and the words of the link."""

    url: str
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class SiteTarget:
    """An address of the site that could not be had: why, whether it is gone, and who links to it."""

    url: str
    reason: str
    is_dead: bool
    pages: tuple[LinkingPage, ...]


@dataclass(frozen=True, slots=True)
class SiteBroken:
    """What is broken within a mirrored site; `suspects` counts what failed in other ways than being gone."""

    label: str
    urls: tuple[SiteTarget, ...]
    suspects: int

    @property
    def dead(self) -> tuple[SiteTarget, ...]:
        """Those that are not there."""
        return tuple(url for url in self.urls if url.is_dead)


def cited_url(node: CitedPlace, citations: tuple[Backlink, ...] = (), *, eager: bool = False) -> CitedUrl:
    """A node as answers have it."""
    return CitedUrl(node, standing(node, eager=eager), citations)


def broken(ledger: Ledger, *, suspect: bool = False, eager: bool = False) -> Broken:
    """The dead, as the last run of tracking left them; with `suspect` what failed and is not confirmed, too.

    `eager` counts every failure as dead.
    """
    wanted = {Standing.DEAD, *((Standing.SUSPECT,) if suspect else ())}
    found = []
    suspects = 0
    for node in ledger.citations.places(tuple(FAILING)):
        suspects += standing(node) is Standing.SUSPECT
        if standing(node, eager=eager) in wanted:
            citations = tuple(
                b for b in ledger.citations.backlinks(node.place.web_key) if not b.citation.ignored
            )
            found += [cited_url(node, citations, eager=eager)] if citations else []
    unasked = ledger.citations.count_states().get(LinkState.UNCHECKED, 0)
    return Broken(tuple(found), suspects, unasked)


def changed(ledger: Ledger, *, since: datetime = EVER, min_drift: float = 0.0) -> Changed:
    """The cited URLs with a new revision; what cannot be measured has changed entirely."""
    found = []
    for event in ledger.citations.events(since, (EventKind.CHANGED,)):
        change = cited_event(event, ledger.citations.backlinks(event.place.web_key))
        amount = 1.0 if change.drift is None else change.drift.amount
        found += [change] if change.citations and amount >= min_drift else []
    return Changed(tuple(found))


def citing(ledger: Ledger, target: str, policy: Policy) -> Iterator[Backlink]:
    """Who cites a URL, a host, or what matches a pattern with `*`, `?` or `[…]`, one after the other."""
    key = _key_of(ledger, target, policy)
    if key is not None:
        yield from ledger.citations.backlinks(key)
    elif is_pattern(target):
        yield from ledger.citations.backlinks_like(target)
    else:
        yield from ledger.citations.backlinks_of_host(target.lower())


def backlinks(ledger: Ledger, target: str, policy: Policy) -> Backlinks:
    """Who cites a URL, a host, or what matches a pattern; of a URL also what else is known of it."""
    found = tuple(citing(ledger, target, policy))
    named = find_place(ledger, target, policy) if is_url(target) else None
    if named is None:
        return Backlinks(target, found)
    node = ledger.citations.place(named.web_key)
    return Backlinks(
        named.url,
        found,
        is_url=True,
        node=cited_url(node) if node else None,
        mirrored_as=mirrored(ledger, named.web_key),
        pages=tuple(dict.fromkeys(link.page.url for link in ledger.pages.pages_linking_to(named.web_key))),
    )


def _key_of(ledger: Ledger, target: str, policy: Policy) -> UrlKey | None:
    if not is_url(target):
        return None
    named = find_place(ledger, target, policy)
    if named is None:
        raise UsageError(f"{target} is not a URL", hint="give a whole URL, a host name, or a pattern with *")
    return named.web_key


def mirrored(ledger: Ledger, key: UrlKey) -> tuple[str, ...]:
    """The files that stand for a URL, from the root."""
    found = ledger.pages.mirrored(key)
    return tuple(page.path if page.label == "." else f"{page.label}/{page.path}" for page in found)


def links(ledger: Ledger, document: str) -> DocumentLinks:
    """What a document cites, as it was last read; `document` is its path from the root."""
    citations = ledger.citations.of_document(document)
    if not citations and document not in (known := documents(ledger)):
        guess = nearest(document, known)
        hint = (
            f"did you mean {guess}? `holdfast check` reads new ones"
            if guess
            else "run `holdfast check` first"
        )
        raise UsageError(f"{document} is not a document that was checked", hint=hint)
    keys = {citation.place.web_key for citation in citations}
    nodes = {key: node for key in keys if (node := ledger.citations.place(key)) is not None}
    known_urls = {key: cited_url(node) for key, node in nodes.items()}
    files = {key: mirrored(ledger, key) for key in keys}
    return DocumentLinks(
        document,
        tuple(
            DocumentLink(each, known_urls.get(each.place.web_key), files[each.place.web_key])
            for each in citations
        ),
    )


def documents(ledger: Ledger) -> tuple[str, ...]:
    """The paths of the documents that were checked."""
    return tuple(document.path for document in ledger.citations.documents())


def citation_counts(ledger: Ledger) -> CitationCounts:
    """How many documents there are, and how their links stand."""
    states = ledger.citations.count_states()
    standings = Counter(standing(node) for node in ledger.citations.places(tuple(FAILING)))
    for state, count in states.items():
        standings[state.standing] += count if state not in FAILING else 0
    return CitationCounts(len(documents(ledger)), {each: standings[each] for each in Standing}, states)


_NOT_THERE: Final = ("404", "410")


def site_broken(ledger: Ledger, label: str, *, suspect: bool = False) -> SiteBroken:
    """The dead links of a mirrored site; with `suspect` those to what failed in other ways, too."""
    last = next(iter(ledger.runs.latest_first(label=label, job=Job.MIRROR)), None)
    found, suspects = [], 0
    for entry in ledger.frontier.entries(last.run.run_id, (EntryState.FAILED,)) if last else ():
        is_dead = entry.note.words in _NOT_THERE
        pages = tuple(_linking(ledger, label, entry))
        suspects += bool(pages) and not is_dead
        if pages and (is_dead or suspect):
            found.append(SiteTarget(entry.place.url, entry.note.words, is_dead, pages))
    return SiteBroken(label, tuple(found), suspects)


def _linking(ledger: Ledger, label: str, entry: FrontierEntry) -> Iterator[LinkingPage]:
    seen: set[tuple[str, str]] = set()
    for link in ledger.pages.pages_linking_to(entry.place.web_key):
        page = ledger.pages.page(label, link.page.key)
        if page is not None and page.facts.path and (page.facts.path, link.link.text) not in seen:
            seen.add((page.facts.path, link.link.text))
            yield LinkingPage(page.place.url, page.facts.path, link.link.text)
