"""Who cites what, and what became of it.

1. A URL is found by its `web` key, however it is written (ID-12).
2. An ignored citation does not count in `broken`; everywhere else it is shown.
3. What may be long (who cites anything on a host) comes as a stream too: `citing`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from holdfast.core.answers.citations import (
    EVER,
    Backlinks,
    Broken,
    Changed,
    CitationCounts,
    CitedUrl,
    DocumentLink,
    DocumentLinks,
    is_pattern,
    is_url,
)
from holdfast.core.answers.events import cited_event
from holdfast.core.bid import Bid
from holdfast.core.citation import Backlink, CitedPlace
from holdfast.core.citation_state import standing
from holdfast.core.errors import UsageError
from holdfast.core.event_kind import EventKind
from holdfast.core.hashing import UrlKey
from holdfast.core.link_state import FAILING, LinkState, Standing
from holdfast.core.nearest import nearest
from holdfast.core.policy import Policy
from holdfast.core.redaction import shown
from holdfast.formats.graph import DocumentNode, Graph, Relation, UrlNode
from holdfast.formats.http_date import timestamp
from holdfast.ports import Ledger
from holdfast.questions.history import find_place

__all__ = [
    "backlinks",
    "broken",
    "changed",
    "citation_counts",
    "cited_url",
    "citing",
    "documents",
    "graph",
    "graph_of",
    "links",
]


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
        mirrored_as=_mirrored(ledger, named.web_key),
        pages=tuple(dict.fromkeys(link.page.url for link in ledger.pages.pages_linking_to(named.web_key))),
    )


def _key_of(ledger: Ledger, target: str, policy: Policy) -> UrlKey | None:
    if not is_url(target):
        return None
    named = find_place(ledger, target, policy)
    if named is None:
        raise UsageError(f"{target} is not a URL", hint="give a whole URL, a host name, or a pattern with *")
    return named.web_key


def _mirrored(ledger: Ledger, key: UrlKey) -> tuple[str, ...]:
    """The files that stand for a URL, from the root."""
    found = ledger.pages.mirrored(key)
    return tuple(page.path if page.label == "." else f"{page.label}/{page.path}" for page in found)


def links(ledger: Ledger, document: str) -> DocumentLinks:
    """What a document cites, as it was last read; `document` is its path from the root."""
    citations = ledger.citations.of_document(document)
    if not citations and document not in (known := documents(ledger)):
        guess = nearest(document, known)
        hint = (
            f"did you mean {guess}? `holdfast track` reads new ones"
            if guess
            else "run `holdfast track` first"
        )
        raise UsageError(f"{document} is not a document that was tracked", hint=hint)
    keys = {citation.place.web_key for citation in citations}
    nodes = {key: node for key in keys if (node := ledger.citations.place(key)) is not None}
    known_urls = {key: cited_url(node) for key, node in nodes.items()}
    files = {key: _mirrored(ledger, key) for key in keys}
    return DocumentLinks(
        document,
        tuple(
            DocumentLink(each, known_urls.get(each.place.web_key), files[each.place.web_key])
            for each in citations
        ),
    )


def documents(ledger: Ledger) -> tuple[str, ...]:
    """The paths of the documents that were tracked."""
    return tuple(document.path for document in ledger.citations.documents())


def citation_counts(ledger: Ledger) -> CitationCounts:
    """How many documents there are, and how their links stand."""
    states = ledger.citations.count_states()
    standings = Counter(standing(node) for node in ledger.citations.places(tuple(FAILING)))
    for state, count in states.items():
        standings[state.standing] += count if state not in FAILING else 0
    return CitationCounts(len(documents(ledger)), {each: standings[each] for each in Standing}, states)


def graph(ledger: Ledger) -> Graph:
    """Documents, the URLs they cite, and who cites what."""
    bids = {document.path: document.bid for document in ledger.citations.documents()}
    nodes = {node.place.web_key: node for node in ledger.citations.places()}
    return _graph(ledger, bids, nodes, ledger.citations.backlinks_like("*"))


def graph_of(ledger: Ledger, found: Iterable[Backlink]) -> Graph:
    """The graph of some citations alone."""
    chosen = tuple(found)
    paths = {each.document for each in chosen}
    bids = {known.path: known.bid for known in ledger.citations.documents() if known.path in paths}
    keys = dict.fromkeys(each.citation.place.web_key for each in chosen)
    nodes = {key: node for key in keys if (node := ledger.citations.place(key)) is not None}
    return _graph(ledger, bids, nodes, chosen)


def _graph(
    ledger: Ledger, bids: Mapping[str, Bid], nodes: Mapping[UrlKey, CitedPlace], found: Iterable[Backlink]
) -> Graph:
    relations = tuple(
        _relation(backlink, bids[backlink.document], node)
        for backlink in found
        if (node := nodes.get(backlink.citation.place.web_key)) is not None
    )
    nodes_of_documents = tuple(DocumentNode(bid, path) for path, bid in bids.items())
    return Graph(nodes_of_documents, tuple(_url_node(ledger, node) for node in nodes.values()), relations)


def _relation(backlink: Backlink, document: str, node: CitedPlace) -> Relation:
    citation = backlink.citation
    mention, span = citation.mention, citation.mention.span
    return Relation(
        document,
        node.url_bid,
        shown(mention.raw),
        shown(mention.text),
        span.line,
        span.column,
        citation.finding,
    )


def _url_node(ledger: Ledger, node: CitedPlace) -> UrlNode:
    return UrlNode(
        url_bid=node.url_bid,
        url=shown(node.place.url),
        state=node.state,
        standing=standing(node),
        bid=node.bid,
        content_hash=node.content_sha256,
        fetched_at=timestamp(node.fetched_at) if node.fetched_at else None,
        status=node.status,
        mirrored_as=_mirrored(ledger, node.place.web_key),
    )
