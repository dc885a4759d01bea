"""From sources to the first entries of the frontier (MIR-1); the URLs that an order names, and its scope.

1. A source is a file of URLs, a list on the web (sitemap, index, feed), or a page. A URL is taken for a
   list when its name says so (`.xml`, `.gz`, `.txt`, `.rss`, `.atom`), and believed when its bytes do.
2. For a page, `auto` looks for lists: those that robots.txt names; else the usual names in the start's
   folder and at the root; else those that the page itself names (`<link rel="sitemap">`). The first that
   has an entry in scope is used, and links are not followed. Where no list has one, the page itself is the
   first entry, and links are followed; what it answered is not asked for twice.
3. Lists are read breadth first, in the order they were named; each has a number, each entry a position. A
   list on a foreign host is read only if robots.txt names it or the host is allowed.
4. A list that the user named and that cannot be read is an error: it is neither a page nor nothing.
5. Entries out of scope are counted by reason. Nothing here stops an endless space: listed URLs are never
   taken for one.
6. The URLs that an order names span its scope.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final

from holdfast.adapters.ports import FetchRequest
from holdfast.core.base.errors import FailedError
from holdfast.core.base.values import dataclass
from holdfast.core.crawl.mirror_spec import MirrorSource, Order, is_list_name, places, why_no_place
from holdfast.core.lineage.ledger_values import FrontierEntry
from holdfast.core.url.compiled import canonical_text
from holdfast.core.url.redaction import redacted
from holdfast.core.url.scope import Noise, OutOfScope, Root, Scope
from holdfast.core.url.url import Refused, Url, parse_url
from holdfast.core.web.capture import Fetched
from holdfast.core.web.outcome import describe
from holdfast.core.web.sitemap import MAX_BYTES, Flaw, Listed, Nested, parse_lastmod, read_sitemap

if TYPE_CHECKING:
    from holdfast.adapters.ports import Fetcher
    from holdfast.core.crawl.state import CrawlState
    from holdfast.jobs.session import Session


NamesLists = Callable[[Url], Awaitable[tuple[str, ...]]]
"""Ask for a page, and tell which sitemaps it names."""

MAX_LISTS: Final = 50_000
MAX_NESTING: Final = 5
BATCH: Final = 1_000
_USUAL: Final = (
    "sitemap.xml",
    "sitemap_index.xml",
    "sitemap-index.xml",
    "wp-sitemap.xml",
    "sitemap.xml.gz",
    "sitemap.txt",
)


@dataclass(frozen=True, slots=True)
class _List:
    """A list to read: how deep it is nested, and whether it is only a guess."""

    url: Url
    nesting: int = 0
    guess: bool = False


class Discovery:
    """Finds the first entries and writes them to the frontier."""

    def __init__(
        self, session: Session, fetcher: Fetcher, state: CrawlState, names_lists: NamesLists | None = None
    ) -> None:
        self._session = session
        self._fetcher = fetcher
        self._state = state
        self._names_lists = names_lists
        self._place_at = places(state.plan.order.standard)
        self._number = 0
        self._flaw = ""
        self._read: set[str] = set()
        self._named = 0
        self.found = 0

    async def run(self) -> None:
        """Fill the frontier from all sources; whether links are followed is decided here, too."""
        mode = self._state.plan.order.settings.scope.discover
        self._state.progress.follow = mode == "links"
        for source in self._state.plan.order.sources:
            if source.listing is not None:
                await self._take_listing(source)
            elif source.url is not None:
                await self._take_url(source.url, mode)

    async def _take_url(self, url: Url, mode: str) -> None:
        before, named = self.found, self._named
        if mode != "links":
            if is_list_name(url):
                await self._read_lists([_List(url, guess=True)], named=True)
            else:
                await self._look_for_lists(url)
        if self.found > before:
            return
        if self._flaw and is_list_name(url) and self._named == named:
            raise FailedError(
                f"the list {redacted(url)} cannot be read: {self._flaw}",
                hint="begin at a page of the site, or with a file of URLs",
            )
        if mode == "sitemap" or (self._named > named and is_list_name(url)):
            self._partial(f"{redacted(url)}: no sitemap or feed with an entry in scope was found")
            return
        self._state.progress.follow = True
        await self._add([self._entry(url, None, position=0)])

    async def _look_for_lists(self, start: Url) -> None:
        """The lists of a site: those that robots.txt names, else those with the usual names."""
        report = await self._fetcher.robots(start, named_by_user=True)
        named = [url for text in report.sitemaps if isinstance(url := parse_url(text, start), Url)]
        before = self.found
        await self._read_lists([_List(url) for url in named], named=True)
        if self.found > before:
            return
        folders = dict.fromkeys((start.path[: start.path.rfind("/") + 1], "/"))
        for folder in folders:
            for name in _USUAL:
                usual = Url(start.scheme, start.host, start.port, folder + name, None)
                await self._read_lists([_List(usual, guess=True)], named=False)
                if self.found > before:
                    return
        if self._names_lists is not None and await self._wants_to_know():
            there = [parse_url(text, start) for text in await self._names_lists(start)]
            named = [url for url in there if isinstance(url, Url)]
            await self._read_lists([_List(url) for url in named], named=False)

    async def _wants_to_know(self) -> bool:
        """Whether the page has to be asked which lists it names: not where the last run followed links, since
        it named none then.
        """
        if not self._state.plan.earlier:
            return True
        last = self._state.plan.earlier[0].run_id
        record = await self._session.scribe.ask(lambda ledger, _: ledger.runs.run(last))
        return record is None or not record.tally.marks.follows

    async def _read_lists(self, first: list[_List], *, named: bool) -> None:
        waiting = deque(first)
        while waiting:
            listing = waiting.popleft()
            if listing.url.href in self._read or (not named and self._foreign(listing.url)):
                continue
            self._read.add(listing.url.href)
            if len(self._read) > MAX_LISTS:
                self._partial(f"more than {MAX_LISTS:,} sitemaps are named; the rest was not read")
                return
            body = await self._fetch_list(listing)
            if body is not None:
                waiting.extend(await self._take_list(listing, body))
            named = False

    async def _fetch_list(self, listing: _List) -> bytes | None:
        self._session.tell("looking", url=redacted(listing.url))
        outcome = await self._fetcher.fetch(
            FetchRequest(
                listing.url,
                admit=lambda hop: "foreign host" if self._foreign(hop) else None,
                named_by_user=self._is_named(listing.url),
                max_bytes=MAX_BYTES,
            )
        )
        if isinstance(outcome, Fetched):
            return outcome.capture.body
        if not listing.guess:
            self._partial(f"the list {redacted(listing.url)} was not read: {describe(outcome)}")
        return None

    async def _take_list(self, listing: _List, body: bytes) -> list[_List]:
        nested: list[_List] = []
        flaw = await self._take_entries(read_sitemap(body), listing.url, nested, listing.nesting)
        is_page = flaw is not None and listing.guess and not nested and "HTML" in flaw.what
        self._flaw = flaw.what if flaw and not is_page and not listing.url.path.endswith(".txt") else ""
        if flaw and not is_page:
            self._partial(f"the list {redacted(listing.url)}: {flaw.what}")
        return nested

    async def _take_listing(self, source: MirrorSource) -> None:
        flaw = await self._take_entries(read_sitemap(source.listing or b""), None, [], 0)
        if flaw:
            self._partial(f"{source.name}: {flaw.what}")

    async def _take_entries(
        self, entries: Iterator[Listed | Nested | Flaw], base: Url | None, nested: list[_List], nesting: int
    ) -> Flaw | None:
        """Write a list's entries in batches; what it names as lists goes to `nested`."""
        number, self._number = self._number, self._number + 1
        flaw: Flaw | None = None

        def admitted() -> Iterator[FrontierEntry]:
            nonlocal flaw
            for position, entry in enumerate(entries):
                match entry:
                    case Listed(text, lastmod):
                        self._named += 1
                        if found := self._listed(text, lastmod, base, number=number, position=position):
                            yield found
                    case Nested(text):
                        url = parse_url(text, base)
                        if isinstance(url, Refused) or nesting >= MAX_NESTING:
                            self._partial(f"a list was not read: {text[:200]} ({_why_not(url)})")
                        else:
                            nested.append(_List(url, nesting + 1))
                    case Flaw():
                        flaw = entry

        stream = admitted()
        while batch := list(islice(stream, BATCH)):
            await self._add(batch)
        return flaw

    def _listed(
        self, text: str, lastmod: str | None, base: Url | None, *, number: int, position: int
    ) -> FrontierEntry | None:
        if self._is_finished(text):
            return None
        url = parse_url(text, base)
        if isinstance(url, Refused):
            self._state.counts.refused[f"not a URL ({url.reason})"] += 1
            return None
        reason = self._state.plan.scope.refusal(url)
        if reason is not None and not (base is None and isinstance(reason, Noise)):
            self._state.counts.refused[str(reason)] += 1
            return None
        return self._entry(url, lastmod, number=number, position=position)

    def _is_finished(self, text: str) -> bool:
        """Whether an earlier run was done with a URL: asked first, since at a second start most are."""
        state = self._state
        if not state.plan.finished:
            return False
        if not state.skips(text):  # most lists name URLs in their canonical form
            canonical = canonical_text(state.plan.order.standard.policy)(text)
            if isinstance(canonical, Refused) or not state.skips(canonical):
                return False
        self.found += 1
        state.counts.already_done(1)
        return True

    def _entry(
        self, url: Url, lastmod: str | None, *, number: int = 0, position: int
    ) -> FrontierEntry | None:
        href = url.href
        place = self._place_at(href)
        if place is None:
            standard = self._state.plan.order.standard
            self._state.counts.without_identity(href, why_no_place(href, standard))
            return None
        return FrontierEntry(
            place=place,
            fetch_url=href,
            depth=0,
            source=number,
            position=position,
            listed=True,
            lastmod=parse_lastmod(lastmod),
        )

    async def _add(self, entries: Sequence[FrontierEntry | None]) -> None:
        state = self._state
        wanted = [entry for entry in entries if entry is not None]
        self.found += len(wanted)
        new = [entry for entry in wanted if not state.skips(entry.place.url)]
        state.counts.already_done(len(wanted) - len(new))
        await self._session.scribe.ask(lambda ledger, _: ledger.frontier.add_entries(state.plan.run_id, new))
        self._session.tell("discovered", found=self.found)

    def _foreign(self, url: Url) -> bool:
        return self._state.plan.scope.refusal(url) is OutOfScope.HOST

    def _is_named(self, url: Url) -> bool:
        return any(
            source.url and source.url.origin == url.origin for source in self._state.plan.order.sources
        )

    def _partial(self, text: str) -> None:
        self._state.progress.is_partial = True
        self._warn(text)

    def _warn(self, text: str) -> None:
        self._session.warn(text)


def _why_not(url: Url | Refused) -> str:
    return str(url) if isinstance(url, Refused) else f"nested more than {MAX_NESTING} deep"


def named_urls(order: Order) -> Iterator[tuple[Url, bool]]:
    """The URLs that the user named, on the command line or in a file of URLs, and whether each is one of a
    list: their origins may be private (SEC-1), and they span the scope.
    """
    for source in order.sources:
        if source.url is not None:
            yield source.url, is_list_name(source.url)
        for entry in read_sitemap(source.listing) if source.listing else ():
            url = parse_url(entry.url) if isinstance(entry, Listed) else None
            if isinstance(url, Url):
                yield url, True


def names_something(listing: bytes) -> bool:
    """Whether a file of URLs, a sitemap or a feed names any, or another list."""
    return any(isinstance(entry, Listed | Nested) for entry in read_sitemap(listing))


def scope_of(order: Order) -> Scope:
    """The scope of an order: the folders of its pages, the hosts of its lists, what the settings add."""
    roots = {Root.of(url, whole_host=is_listed): None for url, is_listed in named_urls(order)}
    settings = order.settings
    return Scope(
        roots=tuple(roots),
        allow_host=settings.scope.allow_host,
        include=settings.scope.include,
        exclude=settings.scope.exclude,
        max_depth=settings.scope.max_depth,
        keep_noise=settings.scope.keep_noise,
    )
