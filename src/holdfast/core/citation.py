"""Documents, the URLs they cite, and what is known of those URLs, as values of the ledger (TRK).

1. A document is replaced whole: its digest and all its citations change together.
2. A `CitedPlace` is the node of a URL, one per `web` key, whatever documents cite it. The state's words
   are those of the link states; counters and suspicion live here, never in a manifest (TRK-5).
3. A `LedgerEvent` is written once; what changed since a time is a question about events.

What there are thousands of is a tuple, which is made in a third of the time.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

from holdfast.core.bid import Bid
from holdfast.core.capture import NO_VALIDATORS, Validators
from holdfast.core.change_detail import ChangeDetail
from holdfast.core.event_kind import EventKind
from holdfast.core.hashing import ContentHash
from holdfast.core.kept_evidence import NO_EVIDENCE, KeptEvidence
from holdfast.core.link_state import LinkState, Looks
from holdfast.core.page import Mention
from holdfast.core.place import Place
from holdfast.core.values import dataclass

__all__ = [
    "NO_DETAILS",
    "Backlink",
    "Citation",
    "CitedPlace",
    "Document",
    "LedgerEvent",
    "Notes",
]

NO_DETAILS: Final = ChangeDetail()
_EMPTY: Final[Mapping[str, Any]] = {}


@dataclass(frozen=True, slots=True)
class Document:
    """A file of the user's own: path from the root in POSIX form, digest of its bytes, when it was read."""

    path: str
    bid: Bid
    digest: str
    size: int
    mtime_ns: int
    read_at: datetime


class Citation(NamedTuple):
    """One URL as a document has it: the place it names, the words, where they stand.

    `finding` is what concerns this citation alone, such as `fragment_missing`; `ignored` is an inline wish.
    """

    place: Place
    fetch_url: str
    mention: Mention
    fragment: str = ""
    ignored: bool = False
    finding: str | None = None

    @property
    def url(self) -> str:
        """The canonical URL."""
        return self.place.url

    @property
    def line(self) -> int:
        """The line in the document, from 1."""
        return self.mention.span.line

    @property
    def column(self) -> int:
        """The column in characters, from 1."""
        return self.mention.span.column


class Backlink(NamedTuple):
    """A document and the citation in it."""

    document: str
    citation: Citation

    @property
    def url(self) -> str:
        """The canonical URL."""
        return self.citation.place.url

    @property
    def line(self) -> int:
        """The line in the document, from 1."""
        return self.citation.mention.span.line

    @property
    def column(self) -> int:
        """The column in characters, from 1."""
        return self.citation.mention.span.column


class Notes(NamedTuple):
    """What the tracker remembers of a URL: what its state rests on (`evidence`), the
    content it had first and the one that is doubted, and what was established when it was last read.
    """

    evidence: KeptEvidence = NO_EVIDENCE
    first: ContentHash | None = None
    doubted: ContentHash | None = None
    recipe: str | None = None
    content_type: str = ""
    last_modified: str | None = None
    fragments: Mapping[str, bool | None] = _EMPTY
    warnings: tuple[str, ...] = ()
    not_before: str | None = None
    sections: Mapping[str, str] = _EMPTY
    doubted_sections: Mapping[str, str] = _EMPTY


class CitedPlace(NamedTuple):
    """What is known of a cited URL. `validators` are what the next conditional request names; `notes` is what
    the tracker remembers.
    """

    place: Place
    url_bid: Bid
    state: LinkState
    fetch_url: str
    looks: Looks = Looks()
    status: int | None = None
    final_url: str | None = None
    bid: Bid | None = None
    content_sha256: ContentHash | None = None
    fetched_at: datetime | None = None
    validators: Validators = NO_VALIDATORS
    notes: Notes = Notes()

    @property
    def checked_at(self) -> datetime | None:
        """When it was last looked at."""
        return self.looks.last


@dataclass(frozen=True, slots=True)
class LedgerEvent:
    """Something that happened to a cited URL; only a change has details."""

    at: datetime
    kind: EventKind
    place: Place
    old: str | None = None
    new: str | None = None
    detail: ChangeDetail = NO_DETAILS
