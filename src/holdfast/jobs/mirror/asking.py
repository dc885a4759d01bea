"""How a page is asked for: within scope, as whom the user named it, for Markdown first where that is wanted.

A start page that was asked which sitemaps it names is not asked for again: its answer is kept for the crawl.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from holdfast.core.capture import Fetched, Outcome
from holdfast.core.outcome import whole
from holdfast.core.url import Url
from holdfast.formats.mirror_scope import named_urls
from holdfast.formats.page_signs import page_signs
from holdfast.ports import Fetcher, FetchRequest

if TYPE_CHECKING:
    from holdfast.core.crawl.state import CrawlPlan

__all__ = ["PageAsking"]

_MARKDOWN_FIRST: Final = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, */*;q=0.8"


class PageAsking:
    """Asks for pages; knows nothing of what is made of them."""

    def __init__(self, fetcher: Fetcher, plan: CrawlPlan) -> None:
        self._fetcher = fetcher
        self._plan = plan
        self._starts = frozenset(url.href for url, _ in named_urls(plan.order))
        self._named = frozenset(url.origin for url, _ in named_urls(plan.order))
        self._answered: dict[str, Outcome] = {}

    async def ask(self, url: Url, etag: str | None = None, last_modified: str | None = None) -> Outcome:
        """The answer to a request for a page."""
        if (answered := self._answered.pop(url.href, None)) is not None:
            return answered
        outcome = await self._fetcher.fetch(
            FetchRequest(
                url,
                etag=etag,
                last_modified=last_modified,
                admit=self._admit_from_start if url.href in self._starts else self._admit,
                named_by_user=url.origin in self._named,
                accept=_MARKDOWN_FIRST if self._plan.order.settings.files.prefer_markdown else None,
            )
        )
        return whole(outcome)

    async def sitemaps(self, start: Url) -> tuple[str, ...]:
        """The sitemaps that a page names in its head."""
        outcome = await self.ask(start)
        self._answered[start.href] = outcome
        return page_signs(outcome.capture.body).sitemaps if isinstance(outcome, Fetched) else ()

    def _admit(self, url: Url) -> str | None:
        reason = self._plan.scope.refusal(url)
        return None if reason is None else str(reason)

    def _admit_from_start(self, url: Url) -> str | None:
        """What the user named needs no `include`, nor does what it redirects to."""
        reason = self._plan.scope.refusal(url, named=True)
        return None if reason is None else str(reason)
