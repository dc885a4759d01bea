"""What is known of cited URLs, of documents, and of who cites what.

`CitedUrl` is the one way in which an answer speaks of a cited URL: what is known of it, what that means, and
the citations that the question was about.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import Final

from holdfast.core.answers.events import Occurrence
from holdfast.core.citation import Backlink, Citation, CitedPlace, Notes
from holdfast.core.duration import EVER
from holdfast.core.link_state import LinkState, Standing
from holdfast.core.values import dataclass

__all__ = [
    "EVER",
    "Backlinks",
    "Broken",
    "Changed",
    "CitationCounts",
    "CitedUrl",
    "DocumentLink",
    "DocumentLinks",
    "is_pattern",
    "is_url",
]

_WILD: Final = frozenset("*?[")


def is_url(target: str) -> bool:
    """Whether a target of `backlinks` names one URL, rather than a host or a pattern."""
    return "://" in target and not is_pattern(target.partition("?")[0])


def is_pattern(target: str) -> bool:
    """Whether a target has a wild character: `*`, `?` or `[`."""
    return bool(_WILD.intersection(target))


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
