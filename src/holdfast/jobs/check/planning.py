"""What is cited, and which of it is to be asked now.

1. One question for one URL, however often it is cited, with whatever fragments.
2. Asked is what is due (`core.links.link_state`), or all of it when forced. A section that nobody looked for
   yet makes its page due, and asks for the page whole.
3. What was only looked at lightly is due for a look that reads it.
4. A second look in the same run is for what failed and is not confirmed, each kind after its own while.
5. Not asked: what no host rule admits, what is only cited where an ignore covers it, and what is not http.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from datetime import datetime, timedelta
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from holdfast.core.base.hashing import UrlKey
from holdfast.core.base.values import dataclass
from holdfast.core.findings.cited_findings import TouchedLines, is_touched
from holdfast.core.links.after_look import ToldState, is_due, standing, with_told
from holdfast.core.links.citation import Backlink, CitedPlace
from holdfast.core.links.citing import new_place
from holdfast.core.links.link_state import LinkState, Standing, second_look_after
from holdfast.core.url.canonical import CanonicalUrl
from holdfast.core.url.compiled import canonicalize
from holdfast.core.url.hosts import HostRules
from holdfast.core.url.policy import Policy
from holdfast.core.url.url import Url, parse_url

if TYPE_CHECKING:
    from holdfast.jobs.check.options import LookOptions
    from holdfast.jobs.check.read_report import ReadDocument
    from holdfast.storage.ledger.citation_table import CitationTable


@dataclass(slots=True)
class Cited:
    """A cited URL: its node, and every citation of it in the scope. New until the ledger has the node."""

    node: CitedPlace
    is_new: bool = False
    backlinks: list[Backlink] = field(default_factory=list)

    @property
    def fragments(self) -> frozenset[str]:
        """The sections that are cited."""
        return frozenset(b.citation.fragment for b in self.backlinks if b.citation.fragment)

    @property
    def counts(self) -> bool:
        """Whether any citation of it is not ignored."""
        return any(not backlink.citation.ignored for backlink in self.backlinks)

    def is_touched(self, touched: TouchedLines | None) -> bool:
        """Whether a change touched any citation of it; without a change all of them count."""
        return touched is None or any(
            is_touched(backlink.document, backlink.citation.mention, touched) for backlink in self.backlinks
        )


class LinkAsk(NamedTuple):
    """One question to be put."""

    node: CitedPlace
    url: Url
    fragments: frozenset[str]
    conditional: bool


@dataclass(frozen=True, slots=True)
class Skipped:
    """A URL that will not be asked, and why."""

    node: CitedPlace
    reason: str


@dataclass(frozen=True, slots=True)
class TrackPlan:
    """What would be asked, what would not, and how many answers still count."""

    asks: tuple[LinkAsk, ...]
    skipped: tuple[Skipped, ...]
    fresh: int

    @property
    def by_host(self) -> dict[str, list[str]]:
        """The hosts that would be asked, and for what."""
        urls: dict[str, list[str]] = {}
        for ask in self.asks:
            urls.setdefault(ask.url.host, []).append(ask.url.href)
        return dict(sorted(urls.items()))

    @property
    def hosts(self) -> dict[str, int]:
        """The hosts that would be asked, and how often."""
        return {host: len(urls) for host, urls in self.by_host.items()}


def survey(
    ledger: CitationTable, paths: Collection[str] | None = None, fresh: Iterable[ReadDocument] = ()
) -> dict[UrlKey, Cited]:
    """Everything that is cited, by URL; `paths` keeps it to these documents. `fresh` were just read, and
    stand in place of what the ledger has of them.
    """
    places = {node.place.web_key: node for node in ledger.places()}
    cited: dict[UrlKey, Cited] = {}
    for backlink in _backlinks(ledger, paths, dict(_by_path(fresh))):
        key = backlink.citation.place.web_key
        entry = cited.get(key)
        if entry is None:
            node = places.get(key)
            entry = cited[key] = Cited(node or new_place(backlink.citation), is_new=node is None)
        entry.backlinks.append(backlink)
    return dict(sorted(cited.items(), key=lambda entry: entry[1].node.place.url))


def take_told(cited: Mapping[UrlKey, Cited], told: Sequence[ToldState], policy: Policy) -> None:
    """Give URLs of which nothing is known the state that another link checker found."""
    for each in told:
        canonical = canonicalize(each.url, policy)
        entry = cited.get(canonical.key) if isinstance(canonical, CanonicalUrl) else None
        node = with_told(entry.node, each) if entry is not None else None
        if entry is not None and node is not None:
            entry.node, entry.is_new = node, True


def _by_path(fresh: Iterable[ReadDocument]) -> Iterator[tuple[str, list[Backlink]]]:
    for document, citations in fresh:
        yield document.path, [Backlink(document.path, citation) for citation in citations]


def _backlinks(
    ledger: CitationTable, paths: Collection[str] | None, fresh: Mapping[str, Sequence[Backlink]]
) -> Iterator[Backlink]:
    """Citations in the order of documents, and as they stand in each."""
    if paths is None and not fresh:
        yield from ledger.backlinks_like("*")
    elif paths is None:
        known = (backlink for backlink in ledger.backlinks_like("*") if backlink.document not in fresh)
        yield from sorted(chain(known, *fresh.values()), key=attrgetter("document"))
    else:
        for path in paths:
            if path in fresh:
                yield from fresh[path]
            else:
                yield from (Backlink(path, citation) for citation in ledger.of_document(path))


def make_plan(
    cited: Iterable[Cited], rules: HostRules, now: datetime, ttl: timedelta, looks: LookOptions
) -> TrackPlan:
    """What to ask, in the order of URLs."""
    asks: list[LinkAsk] = []
    skipped: list[Skipped] = []
    fresh = 0
    for entry in cited:
        reason = _reason_to_skip(entry, rules)
        if reason is not None:
            skipped.append(Skipped(entry.node, reason))
        elif (ask := _ask(entry, now, ttl, looks)) is not None:
            asks.append(ask)
        else:
            fresh += 1
    return TrackPlan(tuple(asks), tuple(skipped), fresh)


def _reason_to_skip(entry: Cited, rules: HostRules) -> str | None:
    if entry.node.state == LinkState.UNSUPPORTED:
        return "not an address that can be asked"
    if not entry.counts:
        return "ignored wherever it is cited"
    host, _, port = entry.node.place.host.rpartition(":")
    return rules.refusal_of(entry.node.fetch_url, host if port.isdigit() else entry.node.place.host)


def _ask(entry: Cited, now: datetime, ttl: timedelta, looks: LookOptions) -> LinkAsk | None:
    node, fragments, force = entry.node, entry.fragments, looks.force
    is_read = bool(node.content_sha256 or node.notes.evidence.unread)
    unseen = bool(fragments and is_read and fragments - node.notes.fragments.keys())
    unread = not looks.light and node.notes.evidence.unread
    if not (force or unseen or unread or is_due(node, now, ttl, looks.rest)):
        return None
    url = parse_url(looks.remaps.address(entry.backlinks[0].citation.fetch_url))
    return LinkAsk(node, url, fragments, conditional=not (force or unseen)) if isinstance(url, Url) else None


def second_looks(
    asks: Sequence[LinkAsk], cited: Mapping[UrlKey, Cited], *, eager: bool
) -> Iterator[tuple[datetime, list[LinkAsk]]]:
    """What failed at the first look, to be asked again not before the time named with it."""
    again: dict[timedelta, list[LinkAsk]] = {}
    for ask in asks:
        node = cited[ask.node.place.web_key].node
        after = second_look_after(node.state)
        if after is not None and standing(node, eager=eager) is not Standing.DEAD:
            again.setdefault(after, []).append(ask._replace(node=node, conditional=False))
    for after, group in sorted(again.items()):
        last = max(ask.node.checked_at for ask in group if ask.node.checked_at)
        yield last + after, group
