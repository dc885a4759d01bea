"""Where an entry's response comes from: from the web, or from the archive where it waits.

1. A page is asked for within scope, as whom the user named it, for Markdown first where that is wanted.
2. A start page that was asked which sitemaps it names is not asked again: its answer is kept for the crawl.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from holdfast.core.capture import Deferred, Denial, Denied, Failed, Failure, Fetched, Outcome, Trail
from holdfast.core.crawl.harvest import Harvest, with_markdown
from holdfast.core.crawl.order import OnError
from holdfast.core.crawl.result import Result
from holdfast.core.entry_note import NO_NOTE
from holdfast.core.hashing import UrlKey
from holdfast.core.ledger import FrontierEntry
from holdfast.core.outcome import whole
from holdfast.core.refusal import Refused
from holdfast.core.response import Response
from holdfast.core.retry import Patience
from holdfast.core.url import Url, parse_url
from holdfast.formats.mirror_scope import named_urls
from holdfast.formats.page_signs import PageSigns
from holdfast.jobs.mirror.alternate import Alternates
from holdfast.ports import Fetcher, FetchRequest

if TYPE_CHECKING:
    from holdfast.core.crawl.state import CrawlPlan, CrawlState
    from holdfast.jobs.mirror.knowledge import Knowledge
    from holdfast.jobs.mirror.tools import Tools
    from holdfast.jobs.mirror.updating import UpdatePlan, Updating

__all__ = ["Obtaining", "PageAsking"]

LONGEST_WAIT: Final = 300.0
"""Seconds that the final pass waits for a host that asked to be left alone; a longer wish is a failure."""


class Obtaining:
    """Gets responses; knows nothing of order."""

    def __init__(
        self,
        tools: Tools,
        state: CrawlState,
        knowledge: Knowledge,
        asking: PageAsking,
        updating: Updating | None = None,
    ) -> None:
        self._tools = tools
        self._asking = asking
        self._state = state
        self._knowledge = knowledge
        self._updating = updating
        self._patience = Patience()
        self._one_at_a_time = asyncio.Lock()
        self._alternates = Alternates(tools, state, knowledge, asking.ask)

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
            made = await self._tools.refine(outcome.capture, self._state.rules)
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
        return await self._tools.scribe.ask(lambda ledger, _: updating.plan(ledger, entry))

    async def _ask_patiently(self, url: Url, etag: str | None, last_modified: str | None) -> Outcome:
        """Ask up to three times, with pauses, while nobody else does: a host that fails because it is busy
        gets one request at a time.
        """
        async with self._one_at_a_time:
            outcome = await self._asking.ask(url, etag, last_modified)
            for attempt in range(1, self._patience.attempts):
                if not Result(outcome).may_pass:
                    break
                await self._tools.clock.sleep(self._patience.pause(url.host, attempt))
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
        made = await self._tools.refine(capture, self._state.rules)
        result = Result(Fetched(capture), made, ref=ref, final=True)
        if capture.alternate_of is None or not isinstance(made, Harvest):
            return result
        behind = await self._knowledge.page_behind(made.place)
        page = await self._tools.refine(behind[0], self._state.rules) if behind else None
        if behind is None or not isinstance(page, Harvest):
            return result
        return replace(
            result, made=with_markdown(page, made), beside=Response(behind[0], page.place, behind[1])
        )

    async def _wait_until(self, moment: datetime) -> Outcome | None:
        seconds = (moment - self._tools.clock.now()).total_seconds()
        if seconds > LONGEST_WAIT:
            return Deferred(moment, f"the host asks to come back after {moment:%Y-%m-%d %H:%M} UTC", Trail())
        if seconds > 0:
            await self._tools.clock.sleep(seconds)
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
