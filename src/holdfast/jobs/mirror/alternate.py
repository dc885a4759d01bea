"""A page's own Markdown, where the page names it (`rel="alternate"`, `text/markdown`) and it is preferred.

    the page            its Markdown            what is taken
    fetched             Markdown or plain text  the Markdown; the page's own links, canonical and wishes stay
    fetched             anything else           the page
    not modified        not modified            what is there
    not modified        Markdown                the Markdown, with what the archived page says
    not modified        fails for now           what is there
    not modified        is there no more        the page, asked for again without conditions

1. It is asked for like everything else: scope, addresses, robots.txt, politeness. Nothing is guessed: what no
   page names is not asked for.
2. What was taken is the content: text, hash and title are the Markdown's, as they are where a site answers
   `Accept: text/markdown`. The place is the page's. Both answers are archived, both belong to the page.
3. Of a page with news its Markdown is asked for without conditions; of one without, conditionally.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from holdfast.core.capture import Capture, Deferred, Failed, Fetched, Gone, NotModified, Outcome
from holdfast.core.crawl.harvest import Harvest, with_markdown
from holdfast.core.crawl.result import Result
from holdfast.core.crawl.standard import place_of
from holdfast.core.ledger import FrontierEntry
from holdfast.core.lineage import CaptureRecord
from holdfast.core.page import LinkKind
from holdfast.core.response import Response
from holdfast.core.url import Url, parse_url
from holdfast.core.values import dataclass
from holdfast.formats.media_type import BodyKind, body_kind
from holdfast.questions.holdings import capture_of, is_taken_elsewhere, page_behind

if TYPE_CHECKING:
    from holdfast.core.crawl.state import CrawlState
    from holdfast.jobs.mirror.knowledge import Knowledge
    from holdfast.jobs.mirror.tools import Tools
    from holdfast.ports import Ledger

__all__ = ["Alternates"]

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

    def __init__(self, tools: Tools, state: CrawlState, knowledge: Knowledge, ask: Ask) -> None:
        self._tools = tools
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
        stored = await self._tools.scribe.ask(lambda ledger, _: self._look_up(ledger, entry))
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
        made = await self._tools.refine(behind[0], self._state.rules) if behind else None
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
        made = await self._tools.refine(outcome.capture, self._state.rules)
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
        made = await self._tools.refine(capture, self._state.rules)
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
