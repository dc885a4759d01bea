"""Where something is said: sections, by their words."""

from __future__ import annotations

from datetime import datetime

from holdfast.core.answers.search import SearchHit, SearchResults, Snippet
from holdfast.core.errors import UsageError
from holdfast.core.search import FoundSection, IndexMark, read_query
from holdfast.core.section import SectionKind
from holdfast.ports import SearchIndex

__all__ = ["indexed_share", "search"]

_NOTHING = Snippet("")


def search(
    index: SearchIndex,
    text: str,
    *,
    site: str | None = None,
    at: datetime | None = None,
    kind: SectionKind | None = None,
    limit: int = 10,
) -> SearchResults:
    """The sections that answer, the best first; with `at` as they were then, with `site` and `kind` of those
    alone.
    """
    if limit < 1:
        raise UsageError("at least one section has to be asked for", hint="leave out --limit for ten")
    query = read_query(text, site=site, at=at, kind=kind)
    found = index.find(query, limit)
    snippets = index.snippets(query, [each.number for each in found])
    return SearchResults(text, tuple(_hit(each, snippets) for each in found), site, at, kind)


def indexed_share(index: SearchIndex, kept: IndexMark) -> float:
    """The share of what was kept that an index has; `kept` is up to where the ledger is written."""
    return 1 - kept.missing(index.mark()) / kept.observed if kept.observed else 1.0


def _hit(found: FoundSection, snippets: dict[int, Snippet]) -> SearchHit:
    return SearchHit(
        url_key=found.place.key,
        anchor=found.anchor,
        page_url=found.place.url,
        page_title=found.page_title,
        headings=found.path,
        name=found.name,
        kind=found.kind,
        language=found.language,
        since=found.since,
        until=found.until,
        snippet=snippets.get(found.number, _NOTHING),
    )
