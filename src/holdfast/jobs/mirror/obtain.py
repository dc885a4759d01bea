"""Where an entry's response comes from: from the web, or from the archive where it waits.

1. A page is asked for within scope, as one that the user named where it is, for Markdown first where
   wanted.
2. A start page that was asked which sitemaps it names is not asked again: its answer is kept for the crawl.
3. A page's own Markdown, where the page names it (`rel="alternate"`, `text/markdown`) and it is preferred:

    the page      its Markdown            what is taken
    fetched       Markdown or plain text  the Markdown; the page's own links, canonical and wishes stay
    fetched       anything else           the page
    not modified  not modified            what is there
    not modified  Markdown                the Markdown, with what the archived page says
    not modified  fails for now           what is there
    not modified  is there no more        the page, asked for again without conditions

4. It is asked for like everything else: scope, addresses, robots.txt, politeness. Nothing is guessed: what
   no page names is not asked for.
5. What was taken is the content: text, hash and title are the Markdown's, as they are where a site answers
   `Accept: text/markdown`. The place is the page's. Both answers are archived, both belong to the page.
6. Of a page with news its Markdown is asked for without conditions; of one without, conditionally.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from holdfast.adapters.ports import Fetcher, FetchRequest
from holdfast.core.base.hashing import UrlKey
from holdfast.core.base.values import dataclass
from holdfast.core.crawl.harvest import Harvest, Result, with_markdown
from holdfast.core.crawl.mirror_spec import OnError, place_of
from holdfast.core.lineage.batch import Response
from holdfast.core.lineage.frontier_note import NO_NOTE
from holdfast.core.lineage.ledger_values import FrontierEntry
from holdfast.core.lineage.lineage import CaptureRecord
from holdfast.core.page.html.signals import PageSigns
from holdfast.core.page.page import LinkKind
from holdfast.core.url.url import Refused, Url, parse_url
from holdfast.core.web.capture import (
    Capture,
    Deferred,
    Denial,
    Denied,
    Failed,
    Failure,
    Fetched,
    Gone,
    NotModified,
    Outcome,
    Trail,
)
from holdfast.core.web.headers import BodyKind, body_kind
from holdfast.core.web.outcome import whole
from holdfast.core.web.retry import Patience
from holdfast.jobs.held_pages import capture_of, is_taken_elsewhere, page_behind
from holdfast.jobs.mirror.discovery import named_urls

if TYPE_CHECKING:
    from holdfast.core.crawl.state import CrawlPlan, CrawlState
    from holdfast.jobs.mirror.knowledge import Knowledge
    from holdfast.jobs.mirror.updating import UpdatePlan, Updating
    from holdfast.jobs.session import Session
    from holdfast.storage.ledger.ledger import Ledger


LONGEST_WAIT: Final = 300.0
"""Seconds that the final pass waits for a host that asked to be left alone; a longer wish is a failure."""


class Obtaining:
    """Gets responses; knows nothing of order."""

    def __init__(
        self,
        session: Session,
        state: CrawlState,
        knowledge: Knowledge,
        asking: PageAsking,
        updating: Updating | None = None,
    ) -> None:
        self._session = session
        self._asking = asking
        self._state = state
        self._knowledge = knowledge
        self._updating = updating
        self._patience = Patience()
        self._one_at_a_time = asyncio.Lock()
        self._alternates = Alternates(session, state, knowledge, asking.ask)

    async def obtain(self, entry: FrontierEntry, href: str, *, final: bool) -> Result:
        """The result of one address of an entry."""
        note = entry.note if final else NO_NOTE
        if note.waiting is not None:
            return await self._from_archive(note.waiting)
        if entry.place.web_key in self._state.plan.forgotten:
            return Result(Denied(Denial.FORGOTTEN, "it was forgotten (holdfast forget)"), final=final)
        if entry.place.url in self._state.plan.finished and await self._is_there(entry):
            return Result(None)
        etag = last_modified = named = None
        if self._updating is not None and href == entry.fetch_url:
            plan = self._updating.prepared(entry) or await self._plan(self._updating, entry)
            named = plan.named
            if plan.kept is not None:
                return Result(None, kept=plan.kept, named=named)
            etag, last_modified = plan.validators
        url = parse_url(href)
        if isinstance(url, Refused):
            return Result(Failed(Failure.PROTOCOL, str(url), transient=False), final=final)
        if note.until is not None and (late := await self._wait_until(note.until)):
            return Result(late, final=True)
        if final and self._state.plan.order.on_error is OnError.RETRY:
            outcome = await self._ask_patiently(url, etag, last_modified)
        else:
            outcome = await self._asking.ask(url, etag, last_modified)
        made = None
        if isinstance(outcome, Fetched):
            made = await self._session.refine(outcome.capture, self._state.rules)
        result = Result(outcome, made, final=final, named=named)
        prefers = self._state.plan.order.settings.files.prefer_markdown
        return await self._alternates.prefer(entry, result) if prefers else result

    async def _is_there(self, entry: FrontierEntry) -> bool:
        """Whether an earlier run has this page. Aliases and placeholders are asked for again: only the
        answer says where they lead.
        """
        return await self._knowledge.page(entry.place.key) is not None

    async def _plan(self, updating: Updating, entry: FrontierEntry) -> UpdatePlan:
        """What an update does about an entry that was not taken from the frontier with others."""
        return await self._session.scribe.ask(lambda ledger, _: updating.plan(ledger, entry))

    async def _ask_patiently(self, url: Url, etag: str | None, last_modified: str | None) -> Outcome:
        """Ask up to three times, with pauses, while nobody else does: a host that fails because it is busy
        gets one request at a time.
        """
        async with self._one_at_a_time:
            outcome = await self._asking.ask(url, etag, last_modified)
            for attempt in range(1, self._patience.attempts):
                if not Result(outcome).may_pass:
                    break
                await self._session.clock.sleep(self._patience.pause(url.host, attempt))
                outcome = await self._asking.ask(url, etag, last_modified)
        if not Result(outcome).may_pass:
            self._patience.succeeded(url.host)
        return outcome

    async def _from_archive(self, key: UrlKey) -> Result:
        """A capture that waited for another page to be known."""
        found = await self._knowledge.archived(key)
        if found is None:
            failure = Failed(Failure.SHORT_BODY, "the archive cannot give it back", transient=False)
            return Result(failure, final=True)
        capture, ref = found
        made = await self._session.refine(capture, self._state.rules)
        result = Result(Fetched(capture), made, ref=ref, final=True)
        if capture.alternate_of is None or not isinstance(made, Harvest):
            return result
        behind = await self._knowledge.page_behind(made.place)
        page = await self._session.refine(behind[0], self._state.rules) if behind else None
        if behind is None or not isinstance(page, Harvest):
            return result
        return replace(
            result, made=with_markdown(page, made), beside=Response(behind[0], page.place, behind[1])
        )

    async def _wait_until(self, moment: datetime) -> Outcome | None:
        seconds = (moment - self._session.clock.now()).total_seconds()
        if seconds > LONGEST_WAIT:
            return Deferred(moment, f"the host asks to come back after {moment:%Y-%m-%d %H:%M} UTC", Trail())
        if seconds > 0:
            await self._session.clock.sleep(seconds)
        return None


_MARKDOWN_FIRST: Final = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, */*;q=0.8"


class PageAsking:
    """Asks for pages; knows nothing of what is made of them."""

    def __init__(self, fetcher: Fetcher, plan: CrawlPlan) -> None:
        self._fetcher = fetcher
        self._plan = plan
        self._starts = frozenset(url.href for url, _ in named_urls(plan.order))
        self._named = frozenset(url.origin for url, _ in named_urls(plan.order))
        self._answered: dict[str, Outcome] = {}
        self._accept = _MARKDOWN_FIRST if plan.order.settings.files.prefer_markdown else None

    async def ask(self, url: Url, etag: str | None = None, last_modified: str | None = None) -> Outcome:
        """The answer to a request for a page."""
        href = url.href
        if self._answered and (answered := self._answered.pop(href, None)) is not None:
            return answered
        outcome = await self._fetcher.fetch(
            FetchRequest(
                url,
                etag=etag,
                last_modified=last_modified,
                admit=self._admit_from_start if href in self._starts else self._admit,
                named_by_user=url.origin in self._named,
                accept=self._accept,
            )
        )
        return whole(outcome)

    async def sitemaps(self, start: Url) -> tuple[str, ...]:
        """The sitemaps that a page names in its head."""
        outcome = await self.ask(start)
        self._answered[start.href] = outcome
        return PageSigns(outcome.capture.body).sitemaps if isinstance(outcome, Fetched) else ()

    def _admit(self, url: Url) -> str | None:
        reason = self._plan.scope.refusal(url)
        return None if reason is None else str(reason)

    def _admit_from_start(self, url: Url) -> str | None:
        """What the user named needs no `include`, nor does what it redirects to."""
        reason = self._plan.scope.refusal(url, named=True)
        return None if reason is None else str(reason)


_TEXT: Final = (BodyKind.MARKDOWN, BodyKind.PLAIN)
Ask = Callable[[Url, str | None, str | None], Awaitable[Outcome]]
"""Ask for an address, with its validators."""


@dataclass(frozen=True, slots=True)
class _Stored:
    """What is known of a page that was not modified: where its Markdown is, and, if that was taken, which
    answer it was, and the answer of the page behind it.
    """

    address: Url
    taken: CaptureRecord | None = None
    behind: CaptureRecord | None = None

    @property
    def confirms(self) -> str | None:
        """The body of the page itself, where it is not the last one that was taken for it."""
        return self.behind.payload_sha256 if self.behind else None


class Alternates:
    """Looks for a page's own Markdown once the page has answered."""

    def __init__(self, session: Session, state: CrawlState, knowledge: Knowledge, ask: Ask) -> None:
        self._session = session
        self._state = state
        self._knowledge = knowledge
        self._ask = ask

    async def prefer(self, entry: FrontierEntry, result: Result) -> Result:
        """The result with the page's own Markdown, where there is one to be had."""
        match result:
            case Result(Fetched(capture), Harvest() as made) if made.alternate and not made.skip:
                return await self._of_fetched(capture, made, result)
            case Result(NotModified(capture)):
                return await self._of_unchanged(entry, capture, result)
            case _:
                return result

    async def _of_fetched(self, capture: Capture, made: Harvest, result: Result) -> Result:
        address = self._admitted(made.alternate)
        if address is None or (made.refresh and made.refresh.place.key != made.place.key):
            return result
        outcome = await self._ask(address, None, None)
        taken = await self._markdown(outcome, capture.final)
        if taken is None:
            return replace(result, beside=self._not_taken(outcome))
        own = with_markdown(made, taken[1])
        return replace(result, outcome=Fetched(taken[0]), made=own, beside=Response(capture, made.place))

    async def _of_unchanged(self, entry: FrontierEntry, capture: Capture, result: Result) -> Result:
        stored = await self._session.scribe.ask(lambda ledger, _: self._look_up(ledger, entry))
        if stored is None:
            return result
        taken, beside = stored.taken, Response(capture, entry.place, confirms=stored.confirms)
        validators = (taken.etag, taken.last_modified) if taken else (None, None)
        outcome = await self._ask(stored.address, *validators)
        if isinstance(outcome, NotModified) and taken:
            confirmed = NotModified(replace(outcome.capture, alternate_of=capture.final), outcome.trail)
            return replace(result, outcome=confirmed, beside=beside)
        markdown = await self._markdown(outcome, capture.final)
        behind = await self._knowledge.page_behind(entry.place) if markdown else None
        made = await self._session.refine(behind[0], self._state.rules) if behind else None
        if markdown and isinstance(made, Harvest):
            own = with_markdown(made, markdown[1])
            return replace(result, outcome=Fetched(markdown[0]), made=own, beside=beside)
        if taken is None or (_may_be_back(outcome) and not markdown):
            return replace(result, confirms=stored.confirms, beside=self._not_taken(outcome))
        return await self._page_again(entry, result, outcome, had_markdown=bool(markdown))

    async def _page_again(
        self, entry: FrontierEntry, result: Result, refused: Outcome, *, had_markdown: bool
    ) -> Result:
        """The page itself, whole: its Markdown is gone, or the archive cannot say what led to it."""
        url = parse_url(entry.fetch_url)
        if not isinstance(url, Url):
            return result
        outcome = await self._ask(url, None, None)
        if not isinstance(outcome, Fetched):
            return Result(outcome, final=result.final)
        made = await self._session.refine(outcome.capture, self._state.rules)
        whole = Result(outcome, made, final=result.final)
        if had_markdown:
            return await self.prefer(entry, whole)
        return replace(whole, beside=self._not_taken(refused))

    async def _markdown(self, outcome: Outcome, page: Url) -> tuple[Capture, Harvest] | None:
        """An answer as the Markdown of a page, if it is any."""
        if not isinstance(outcome, Fetched) or outcome.capture.status != 200:
            return None
        capture = replace(outcome.capture, alternate_of=page)
        if body_kind(capture.content_type, capture.body) not in _TEXT:
            return None
        made = await self._session.refine(capture, self._state.rules)
        found = isinstance(made, Harvest) and made.skip is None and made.content.text.strip()
        return (capture, made) if found and isinstance(made, Harvest) else None

    def _not_taken(self, outcome: Outcome) -> Response | None:
        """An answer that was not taken is kept all the same, as what that address said."""
        if not isinstance(outcome, (Fetched, Failed, Gone)) or outcome.capture is None:
            return None
        place = place_of(outcome.capture.final, self._state.plan.order.standard)
        return Response(outcome.capture, place) if place else None

    def _look_up(self, ledger: Ledger, entry: FrontierEntry) -> _Stored | None:
        order = self._state.plan.order
        page = ledger.pages.page(order.label, entry.place.key)
        links = ledger.history.links_of(order.standard.recipe, entry.place.key)
        named = next((link.href for link in links if link.kind is LinkKind.ALTERNATE), None)
        address = self._admitted(named)
        if page is None or address is None:
            return None
        if not is_taken_elsewhere(page, order.standard):
            return _Stored(address)
        taken = capture_of(ledger, order.label, page)
        return _Stored(address, taken, page_behind(ledger, order, page.place))

    def _admitted(self, href: str | None) -> Url | None:
        """An address that may be asked for: in scope, and not forgotten."""
        url = parse_url(href) if href else None
        if not isinstance(url, Url) or self._state.plan.scope.refusal(url) is not None:
            return None
        place = place_of(url, self._state.plan.order.standard)
        return url if place and place.web_key not in self._state.plan.forgotten else None


def _may_be_back(outcome: Outcome) -> bool:
    """Whether it may be there again tomorrow."""
    return isinstance(outcome, Deferred) or Result(outcome).may_pass
