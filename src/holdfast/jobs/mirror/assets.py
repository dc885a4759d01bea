"""The images of a mirror's pages: fetched once, archived like everything else, stored by their content.

They come after the pages, in the order of pages and links, so that they take nothing away from the crawl. An
image that fails stays a link to the web.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Final

from holdfast.core.capture import Capture, Fetched
from holdfast.core.hashing import UrlKey, content_hash
from holdfast.core.ledger import Finding, PageLink, capture_record
from holdfast.core.page import LinkKind
from holdfast.core.url import Url, parse_url
from holdfast.formats.local_links import asset_path
from holdfast.jobs.commit import Submission, commit_group
from holdfast.jobs.mirror.order import named_urls
from holdfast.jobs.mirror.state import CrawlState
from holdfast.jobs.mirror.stop import Stop
from holdfast.jobs.mirror.tools import Tools
from holdfast.ports import FetchRequest

__all__ = ["fetch_assets"]

GROUP: Final = 16


async def fetch_assets(tools: Tools, state: CrawlState, stop: Stop) -> None:
    """Fetch every image that a page shows and no run has fetched."""
    named = frozenset(url.origin for url, _ in named_urls(state.order))
    wanted = list(_wanted(tools, state))
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
        state.outcomes["image failed"] += len(group) - len(found)
        _keep(tools, state, found)


def _wanted(tools: Tools, state: CrawlState) -> Iterator[tuple[PageLink, Url]]:
    ledger, label = tools.ledger, state.order.label
    seen: set[UrlKey] = set()
    for page in ledger.pages.by_path(label):
        for link in ledger.history.links_of(state.order.standard.recipe, page.place.key):
            if link.kind is not LinkKind.IMAGE or link.target.key in seen:
                continue
            seen.add(link.target.key)
            url = parse_url(link.href)
            if isinstance(url, Url) and ledger.history.last_capture(label, link.target.key) is None:
                yield link, url


def _keep(tools: Tools, state: CrawlState, found: list[tuple[PageLink, Capture]]) -> None:
    submissions, files = [], {}
    for link, capture in found:
        path = asset_path(content_hash(capture.body), capture.content_type) if capture.body else None
        if path is None:
            state.outcomes["image failed"] += 1
            continue
        record = capture_record(state.run_id, capture, link.target)
        submissions.append(Submission(Finding(capture=record), capture))
        files[path] = capture.body
        state.outcomes["image"] += 1
    if submissions:
        commit_group(tools.ledger, tools.archive, state.run_id, submissions, tools.clock.now())
        tools.folder.write_all(files)
