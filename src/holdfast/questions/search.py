"""Where something is said: sections, by their words; value, question, JSON, words.

The words are title, address and the passage around the hit.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Final, NamedTuple

from holdfast.core.base.errors import UsageError
from holdfast.core.base.json_shape import (
    COUNT,
    DATE_TIME,
    NUMBER,
    TEXT,
    WEB_URL,
    Schema,
    Shape,
    array,
    at,
    described,
    inside,
    one_of,
    optional,
    record,
    tuple_of,
)
from holdfast.core.base.shown_text import harmless
from holdfast.core.base.values import dataclass
from holdfast.core.page.search_terms import FoundSection, IndexMark, Snippet, read_query
from holdfast.core.page.section import SectionKind, section_id
from holdfast.core.url.redaction import shown

if TYPE_CHECKING:
    from holdfast.questions.rows.question import Paint
    from holdfast.storage.sqlite.search_index import SearchIndex


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A section that answers. `headings` are the titles from the page's down to its own.

    It said so from `since` on, `until` where that is over.
    """

    url_key: str
    anchor: str
    page_url: str
    page_title: str
    headings: tuple[str, ...]
    name: str | None
    kind: str
    language: str | None
    since: datetime
    until: datetime | None
    snippet: Snippet

    @property
    def id(self) -> str:
        """The section's id (SCT-1)."""
        return section_id(self.url_key, self.anchor)

    @property
    def url(self) -> str:
        """Where it is on the web."""
        return f"{self.page_url}#{self.anchor}" if self.anchor else self.page_url

    @property
    def title(self) -> str:
        """Its name, where it has one, else its heading, else the page's title."""
        return self.name or (self.headings[-1] if self.headings else "") or self.page_title


@dataclass(frozen=True, slots=True)
class SearchResults:
    """The sections that answer, the best first. `indexed` is the share of what was kept that was looked
    through: less than 1 while an index is being built.
    """

    query: str
    hits: tuple[SearchHit, ...]
    site: str | None = None
    at: datetime | None = None
    kind: SectionKind | None = None
    indexed: float = 1.0


class StateResults(NamedTuple):
    """What one of several stores answered; `state` is its name."""

    state: str
    results: SearchResults


class StateHit(NamedTuple):
    """A section that answers, and the store it is kept in."""

    state: str
    hit: SearchHit


@dataclass(frozen=True, slots=True)
class SearchEverywhere:
    """What several stores answered, one after the other: each has an order of its own."""

    query: str
    states: tuple[StateResults, ...]
    site: str | None = None
    at: datetime | None = None
    kind: SectionKind | None = None

    @property
    def hits(self) -> tuple[StateHit, ...]:
        """All of them, the best of a store first."""
        return tuple(StateHit(name, hit) for name, found in self.states for hit in found.hits)

    @property
    def indexed(self) -> float:
        """The share that was looked through where the least was."""
        return min((found.indexed for _, found in self.states), default=1.0)


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


_MARKS: Final = described(
    array(tuple_of(COUNT, COUNT)),
    "The words that were asked for, in the snippet: the first character, and the one after the last.",
)

_HIT: Final = record(
    id=TEXT,
    url=WEB_URL,
    page_url=WEB_URL,
    anchor=TEXT,
    title=TEXT,
    page_title=TEXT,
    headings=array(TEXT),
    name=optional(TEXT),
    kind=one_of(SectionKind),
    language=optional(TEXT),
    since=DATE_TIME,
    until=optional(DATE_TIME),
    snippet=at("snippet.text", TEXT),
    marks=at("snippet.marks", _MARKS),
)


def _found(hit: Shape) -> Shape:
    return record(
        query=TEXT,
        site=optional(TEXT),
        at=optional(DATE_TIME),
        kind=optional(one_of(SectionKind)),
        indexed=described(
            NUMBER, "The share of what was kept that was looked through: less than 1 while an index is built."
        ),
        hits=array(hit),
    )


SEARCH: Final = Schema(
    "search", "What `holdfast search --json` prints: sections, the best first.", _found(_HIT)
)

SEARCH_EVERYWHERE: Final = Schema(
    "search-everywhere",
    "What `/search.json` of `holdfast serve` answers: the sections of each store, the best first.",
    _found(record(state=described(TEXT, "The store that keeps it."), **inside("hit", _HIT))),
)


def search_lines(found: SearchResults, paint: Paint) -> Iterator[str]:
    """The hits, an empty line between two."""
    for number, hit in enumerate(found.hits):
        if number:
            yield ""
        yield from _hit_lines(hit, paint)


def _hit_lines(hit: SearchHit, paint: Paint) -> Iterator[str]:
    above = " › ".join(hit.headings[:-1]) or (hit.page_title if hit.page_title != hit.title else "")
    yield paint(harmless(hit.title), "bold") + (paint(f"  {harmless(above)}", "dim") if above else "")
    yield paint(shown(hit.url), "blue")
    if hit.snippet.text:
        yield "  " + _marked(hit.snippet, paint)


def _marked(snippet: Snippet, paint: Paint) -> str:
    parts, at = [], 0
    for first, last in snippet.marks:
        parts += [_one_line(snippet.text[at:first]), paint(_one_line(snippet.text[first:last]), "bold")]
        at = last
    return "".join([*parts, _one_line(snippet.text[at:])])


def _one_line(text: str) -> str:
    return harmless(text.replace("\n", " "))
