"""The images of a mirror's pages: fetched once, archived like everything else, stored by their content.

They come after the pages, in the order of pages and links, so that they take nothing away from the crawl. An
image that fails stays a link to the web.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import field
from functools import partial
from typing import Final

from holdfast.core.capture import Capture, Fetched
from holdfast.core.crawl.order import Order
from holdfast.core.crawl.state import CrawlState
from holdfast.core.hashing import UrlKey, content_hash
from holdfast.core.ledger import Committed, Finding, PageLink
from holdfast.core.page import LinkKind
from holdfast.core.response import Response
from holdfast.core.url import Url, parse_url
from holdfast.core.values import dataclass
from holdfast.formats.local_links import asset_path
from holdfast.formats.mirror_scope import named_urls
from holdfast.jobs.mirror.tools import Tools
from holdfast.jobs.stop import Stop
from holdfast.ports import Archive, Batching, FetchRequest, Journal, Ledger, Mirror

__all__ = ["fetch_assets"]

GROUP: Final = 16


async def fetch_assets(tools: Tools, state: CrawlState, stop: Stop) -> None:
    """Fetch every image that a page shows and the archive has not."""
    named = frozenset(url.origin for url, _ in named_urls(state.plan.order))
    wanted = await tools.scribe.ask(lambda ledger, _: list(_wanted(ledger, state.plan.order)))
    journal: Journal[_Image] = tools.scribe.journal(
        state.plan.run_id, Batching(most=GROUP), partial(_put, tools.folder), partial(_done, tools, state)
    )
    for start in range(0, len(wanted), GROUP):
        if stop.soon:
            return
        group = wanted[start : start + GROUP]
        asked = (
            tools.fetcher.fetch(FetchRequest(url, accept="image/*", named_by_user=url.origin in named))
            for _, url in group
        )
        outcomes = await asyncio.gather(*asked)
        found = [
            (link, outcome.capture)
            for (link, _), outcome in zip(group, outcomes, strict=True)
            if isinstance(outcome, Fetched)
        ]
        images = [image for link, capture in found if (image := _image(link, capture))]
        for image in images:
            await journal.submit(image)
        await journal.flush()
        state.counts.images(fetched=len(images), failed=len(group) - len(images))


@dataclass(frozen=True, slots=True)
class _Image:
    """An image to keep, and where it lies."""

    response: Response
    path: str
    finding: Finding = field(default_factory=Finding)
    beside: None = None

    @property
    def weight(self) -> int:
        return len(self.response.capture.body)


def _wanted(ledger: Ledger, order: Order) -> Iterator[tuple[PageLink, Url]]:
    """The images that pages show and the archive has not: no run fetched them, or they were lost since."""
    label, lost = order.label, ledger.archived.lost()
    seen: set[UrlKey] = set()
    for page in ledger.pages.by_path(label):
        for link in ledger.history.links_of(order.standard.recipe, page.place.key):
            if link.kind is not LinkKind.IMAGE or link.target.key in seen:
                continue
            seen.add(link.target.key)
            url = parse_url(link.href)
            known = ledger.history.last_capture(label, link.target.key)
            is_kept = known is not None and known.ref is not None and known.capture_id not in lost
            if isinstance(url, Url) and not is_kept:
                yield link, url


def _image(link: PageLink, capture: Capture) -> _Image | None:
    path = asset_path(content_hash(capture.body), capture.content_type) if capture.body else None
    return _Image(Response(capture, link.target), path) if path else None


def _put(folder: Mirror, _: Ledger, __: Archive, images: Sequence[_Image]) -> dict[str, str]:
    return folder.write_all({image.path: image.response.capture.body for image in images})


def _done(
    tools: Tools, state: CrawlState, _: Sequence[_Image], __: Sequence[Committed], refused: dict[str, str]
) -> None:
    """The images are counted by whoever asked for them; those that the folder did not take are told."""
    for path, reason in refused.items():
        state.counts.not_written(path, reason)
        tools.warn(f"{path} was not written: {reason}")
