"""What a search found."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from holdfast.core.section import SectionKind, section_id
from holdfast.core.values import dataclass

__all__ = ["SearchEverywhere", "SearchHit", "SearchResults", "Snippet", "StateHit", "StateResults"]


@dataclass(frozen=True, slots=True)
class Snippet:
    """A passage of a section's text; `marks` are the words that were asked for: first and last character."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()


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
    """What one of several state folders answered; `state` is its name."""

    state: str
    results: SearchResults


class StateHit(NamedTuple):
    """A section that answers, and the state folder it is kept in."""

    state: str
    hit: SearchHit


@dataclass(frozen=True, slots=True)
class SearchEverywhere:
    """What several state folders answered, one after the other: each has an order of its own."""

    query: str
    states: tuple[StateResults, ...]
    site: str | None = None
    at: datetime | None = None
    kind: SectionKind | None = None

    @property
    def hits(self) -> tuple[StateHit, ...]:
        """All of them, the best of a state folder first."""
        return tuple(StateHit(name, hit) for name, found in self.states for hit in found.hits)

    @property
    def indexed(self) -> float:
        """The share that was looked through where the least was."""
        return min((found.indexed for _, found in self.states), default=1.0)
