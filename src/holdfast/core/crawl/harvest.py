"""What a capture has come to, and how an entry came out, before anybody decided what follows.

A harvest is everything that the crawl needs of a capture, as values that cross a process boundary: flat,
texts and tuples of texts. Nothing here knows what else was crawled.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from holdfast.core.base.hashing import ContentHash, UrlKey
from holdfast.core.base.values import by_fields, dataclass
from holdfast.core.page.page import LinkKind
from holdfast.core.url.url import Place, Url, parse_url
from holdfast.core.web.capture import Deferred, Failed, Fetched, Gone, Outcome, TimedOut

if TYPE_CHECKING:
    from holdfast.core.crawl.mirror_spec import Standard
    from holdfast.core.lineage.batch import Response
    from holdfast.core.lineage.frontier_note import EntryNote
    from holdfast.core.lineage.ledger_values import EntryState, PageLink
    from holdfast.core.lineage.lineage import RecordRef
    from holdfast.core.page.distill_options import DistillOptions
    from holdfast.core.page.section import KeptSection
    from holdfast.core.url.scope import Scope


_NO_HASH: Final = ContentHash("")
FOLLOWED: Final = (LinkKind.ANCHOR, LinkKind.FRAME)

Step = tuple[str, UrlKey, UrlKey, str]
"""A link to follow: canonical URL, its key, its `web` key, the address as it would be fetched."""

LinkRow = tuple[str, UrlKey, UrlKey, str, str, str, bool]
"""A link to keep: canonical URL, key, `web` key, address with fragment, text, kind, nofollow (the link's own
wish, or its page's: so a page that is not read again is still obeyed).
"""


@dataclass(frozen=True, slots=True)
class HarvestRules:
    """What a worker has to know, the same for every page of a run; without `keep_links` none is kept."""

    standard: Standard
    scope: Scope
    follow: bool
    meta_robots: bool
    front_matter: bool
    options: DistillOptions
    keep_links: bool = True


@dataclass(frozen=True, slots=True)
class Pointer:
    """A page's canonical link or refresh: where it points, and why it is not admitted, if it is not."""

    place: Place
    href: str
    refusal: str | None


@by_fields
@dataclass(frozen=True, slots=True)
class PageContent:
    """What a page says: its file, and what is known of it without reading the file. `outline` is what the
    sidecar says of the sections, encoded.
    """

    file: bytes = b""
    file_sha256: str = ""
    title: str = ""
    text: str = ""
    content_sha256: ContentHash = _NO_HASH
    markdown_version: str = ""
    warnings: tuple[str, ...] = ()
    gist: str = ""
    sections: tuple[KeptSection, ...] = ()
    outline: bytes = b"[]"
    full_title: str = ""
    language: str | None = None


_NO_CONTENT: Final = PageContent()


@by_fields
@dataclass(frozen=True, slots=True)
class Harvest:
    """What a capture has come to. `skip` says why there is no page; then its content is empty.
    `alternate` is the address of the page's own Markdown, where it names one that is admitted; `hint` says
    where the content is, of something that does not hold it itself.
    """

    place: Place
    hops: tuple[Place, ...]
    skip: str | None = None
    content: PageContent = _NO_CONTENT
    links: tuple[LinkRow, ...] = ()
    steps: tuple[Step, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()
    canonical: Pointer | None = None
    refresh: Pointer | None = None
    alternate: str | None = None
    hint: str = ""
    links_digest: bytes | None = None


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A response that could not be made into anything within the limits (SEC-4)."""

    why: str


def with_markdown(page: Harvest, markdown: Harvest) -> Harvest:
    """A page whose content is its own Markdown; where it lies and where it leads to is the page's."""
    return replace(page, content=markdown.content)


def stored_steps(links: Iterable[PageLink], rules: HarvestRules) -> Iterator[Step]:
    """The links of a page that the ledger keeps, as far as they may be followed."""
    for link in links:
        url = parse_url(link.href)
        shy = link.nofollow and rules.meta_robots
        if isinstance(url, Url) and link.kind in FOLLOWED and not shy and rules.scope.refusal(url) is None:
            yield link.target.url, link.target.key, link.target.web_key, url.href


@dataclass(frozen=True, slots=True)
class LeftAlone:
    """An entry that was not asked for, and how it ends."""

    end: EntryState
    note: EntryNote


@dataclass(frozen=True, slots=True)
class Named:
    """What an entry leads to, and the address to fetch it from. `is_same`: the entry redirects there, so that
    it is where the entry is in the frontier; otherwise it is found on the entry's page.
    """

    place: Place
    href: str
    is_same: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """How an entry came out. No outcome: it was not asked for, an earlier run has the page; `kept` says how
    it ends. `ref` is set when the capture was read from the archive; `final`: this is the last pass, nothing
    waits any more. `beside` is another answer that was needed for it: the page that named its own
    Markdown, or Markdown that was not taken; `confirms`: see `Response`. `named` is what an entry that is not
    read again leads to: what it is another name of, or names as canonical.
    """

    outcome: Outcome | None
    made: Harvest | Unreadable | None = None
    ref: RecordRef | None = None
    final: bool = False
    kept: LeftAlone | None = None
    beside: Response | None = None
    confirms: str | None = None
    named: Named | None = None

    @property
    def is_failure(self) -> bool:
        """Whether nothing came of it, for now or for good."""
        match self.outcome:
            case Fetched():
                return not isinstance(self.made, Harvest)
            case Deferred():
                return self.final
            case Failed() | Gone() | TimedOut():
                return True
            case _:
                return False

    @property
    def may_pass(self) -> bool:
        """Whether it failed in a way that may pass."""
        outcome = self.outcome
        return isinstance(outcome, TimedOut) or (isinstance(outcome, Failed) and outcome.transient)

    @property
    def weight(self) -> int:
        """How many bytes of answers it holds."""
        beside = len(self.beside.capture.body) if self.beside else 0
        return beside + (len(self.outcome.capture.body) if isinstance(self.outcome, Fetched) else 0)
