"""Documents, the URLs they cite, and what is known of those URLs, as values of the ledger (TRK).

1. What a link's state rests on is kept, and shown in reports, without secrets and bodies.
2. A document is replaced whole: its digest and all its citations change together.
3. A `CitedPlace` is the node of a URL, one per `web` key, whatever documents cite it. The state's words
   are those of the link states; counters and suspicion live here, never in a manifest (TRK-5).
4. A `LedgerEvent` is written once; what changed since a time is a question about events.

What there are thousands of is a tuple, which is made in a third of the time.

Cited URLs are put in an order, and asked for from a place in it on: a long list, a part at a time. The
order is by URL, by since when it fails (the longest first; only what fails), or by its last look (the
oldest first; only what was looked at); each the other way round with `-`. Equal times are ordered by URL. A
place in the list is a time, if the order has one, and a URL (`cursor_of`).

Nodes in a graph of documents and the URLs they cite have ids (TRK-3). Each id is a version-5 UUID whose
last six octets are replaced by a fixed mark, so that an id tells what it is an id of:

    bid of a revision    UUIDv5(HREF, content hash as 64 hex)   mark 5f62adeb9a44 (octets 10–15 of HREF)
    url_bid of a node    UUIDv5(HREF, `web` canonical URL)      mark 0e90d9cb2fdb
    bid of a document    UUIDv5(FILE, path from the root)       mark b418a9d37ad1
    bid of a folder      UUIDv5(FILE, path with a final slash)  mark b418a9d37ad1; the root is `./`

Written `bid:<uuid>`. A document that carries a bid of its own keeps it; these are for those that don't.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from hashlib import sha1
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NewType

from holdfast.core.base.errors import UsageError
from holdfast.core.base.hashing import ContentHash
from holdfast.core.base.values import dataclass
from holdfast.core.lineage.event_kind import ChangeDetail, EventKind
from holdfast.core.links.link_state import LinkState, Looks
from holdfast.core.page.page import Mention
from holdfast.core.url.url import Place
from holdfast.core.web.capture import NO_VALIDATORS, Validators

if TYPE_CHECKING:
    from holdfast.core.url.canonical import CanonicalUrl


Bid = NewType("Bid", str)

HREF: Final = bytes.fromhex("5b3d2154c0a9437b93245f62adeb9a44")
FILE: Final = bytes.fromhex("6b3d2154c0a9437b93245f62adeb9a44")
_REVISION_MARK: Final = HREF[10:].hex()
_URL_MARK: Final = "0e90d9cb2fdb"
_FILE_MARK: Final = "b418a9d37ad1"
_VARIANTS: Final = {f"{digit:x}": f"{digit & 0b0011 | 0b1000:x}" for digit in range(16)}
"""Two bits of octet 8 say which kind of UUID it is, as four of octet 6 do, its version."""


def revision_bid(content: ContentHash) -> Bid:
    """The id of what a URL said at one time."""
    return _marked(HREF, content, _REVISION_MARK)


def url_bid(canonical: CanonicalUrl) -> Bid:
    """The id of the cited place; the URL is canonical by the `web` policy."""
    return _marked(HREF, canonical.text, _URL_MARK)


def document_bid(path: str) -> Bid:
    """The id of a document that has none, from its path relative to the root, in POSIX form."""
    return _marked(FILE, path, _FILE_MARK)


def folder_bid(path: str) -> Bid:
    """The id of a folder that has none; `path` as for documents, empty for the root."""
    return _marked(FILE, (path.rstrip("/") or ".") + "/", _FILE_MARK)


def _marked(namespace: bytes, name: str, mark: str) -> Bid:
    digits = sha1(namespace + name.encode(), usedforsecurity=False).hexdigest()
    variant = _VARIANTS[digits[16]]
    return Bid(f"bid:{digits[:8]}-{digits[8:12]}-5{digits[13:16]}-{variant}{digits[17:20]}-{mark}")


class KeptEvidence(NamedTuple):
    """The rule that decided, and what it saw; `unread`: the page answered and nobody read it.
    A hop is a URL, its status, and where it pointed.
    """

    rule: str = ""
    status: int | None = None
    hops: tuple[tuple[str, int, str], ...] = ()
    header: str = ""
    detail: str = ""
    unread: bool = False

    def table(self) -> dict[str, Any]:
        """What is there, by name."""
        return {name: value for name, value in zip(self._fields, self, strict=True) if value}

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> KeptEvidence:
        """Read what `table` made."""
        known = {name: table[name] for name in cls._fields if name in table}
        return cls(**{**known, "hops": tuple(map(tuple, table.get("hops", ())))})


NO_EVIDENCE: Final = KeptEvidence()


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


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_DIGITS: Final = 17
"""Of a time in microseconds; beyond are years that no clock shows."""


class CitedOrder(StrEnum):
    """How cited URLs are put in order."""

    URL = "url"
    URL_DOWN = "-url"
    AGE = "age"
    AGE_DOWN = "-age"
    ASKED = "asked"
    ASKED_DOWN = "-asked"

    @property
    def is_down(self) -> bool:
        """Whether it is the other way round."""
        return self.startswith("-")

    def time_of(self, place: CitedPlace) -> datetime | None:
        """The time that a place is ordered by, if it is."""
        match self.lstrip("-"):
            case "age":
                return place.looks.since
            case "asked":
                return place.checked_at
            case _:
                return None

    @property
    def has_time(self) -> bool:
        """Whether it is by a time."""
        return self.lstrip("-") != "url"


class PlacesWanted(NamedTuple):
    """Which cited URLs: of these states (empty for all), failing since a moment at the latest, in an order,
    after a place in it.
    """

    states: tuple[LinkState, ...] = ()
    order: CitedOrder = CitedOrder.URL
    failing_before: datetime | None = None
    after: str = ""


def cursor_of(place: CitedPlace, order: CitedOrder) -> str:
    """Where a URL is in the list."""
    time = order.time_of(place)
    return place.place.url if time is None else f"{(time - _EPOCH) // _MICROSECOND} {place.place.url}"


def read_cursor(wanted: PlacesWanted) -> tuple[datetime | None, str] | None:
    """The time and URL after which the part begins; None for the first part."""
    if not wanted.after:
        return None
    if not wanted.order.has_time:
        return None, wanted.after
    number, _, url = wanted.after.partition(" ")
    if not url or not number.isascii() or not number.isdigit() or len(number) > _DIGITS:
        raise UsageError(
            f"{wanted.after[:80]!r} is not a place in this list", hint="begin with the list's first part"
        )
    return _EPOCH + int(number) * _MICROSECOND, url


def in_cited_order(places: list[CitedPlace], wanted: PlacesWanted) -> list[CitedPlace]:
    """Of these places those that are wanted, in order."""
    order, after = wanted.order, read_cursor(wanted)

    def key(place: CitedPlace) -> tuple[datetime, str]:
        return order.time_of(place) or _EPOCH, place.place.url

    def is_wanted(place: CitedPlace) -> bool:
        if wanted.states and place.state not in wanted.states:
            return False
        if order.has_time and order.time_of(place) is None:
            return False
        if wanted.failing_before is not None and not (
            place.looks.since is not None and place.looks.since <= wanted.failing_before
        ):
            return False
        if after is None:
            return True
        here, there = key(place), (after[0] or _EPOCH, after[1])
        return here < there if order.is_down else here > there

    return sorted(filter(is_wanted, places), key=key, reverse=order.is_down)
