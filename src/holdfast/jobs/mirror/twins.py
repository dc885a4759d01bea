"""Pages that turned out to be other names of pages, once all of them are there (MIR-14).

While the crawl goes on, an index file is joined to its folder where the folder came first. Whichever came
first, at every orderly end the set of pages is the same: of two addresses with equal content the shorter
stays. Killed in between, the next end does what is left: alias first, then the files, then the page.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from holdfast.core.crawl.endings import join_twin
from holdfast.core.crawl.standard import places
from holdfast.core.crawl.state import CrawlPlan
from holdfast.core.ledger import StoredPage
from holdfast.core.mirror_plan import sidecar_of
from holdfast.core.twins import shorter_name
from holdfast.ports import Ledger, Mirror

__all__ = ["join_twins"]


def join_twins(ledger: Ledger, folder: Mirror, plan: CrawlPlan, at: datetime) -> int:
    """Make each page whose shorter address shows the same an alias of that; how many there were."""
    found = list(_twins(ledger, plan))
    if not found:
        return 0
    ledger.commit(plan.run_id, [join_twin(page.place, target.place) for page, target in found], at)
    for page, _ in found:
        folder.remove(page.facts.path)
        folder.remove(sidecar_of(page.facts.path))
    ledger.pages.drop_pages(plan.order.label, [page.place.key for page, _ in found], at)
    return len(found)


def _twins(ledger: Ledger, plan: CrawlPlan) -> Iterator[tuple[StoredPage, StoredPage]]:
    """Pages with the page of their shorter address."""
    label, place_at = plan.order.label, places(plan.order.standard)
    for _, url in ledger.pages.paths(label):
        if (name := shorter_name(url)) is None:
            continue
        place, target = place_at(url), place_at(name)
        if place is None or target is None or place.key == target.key:
            continue
        pages = ledger.pages.pages_of(label, [place.key, target.key])
        page, shorter = pages.get(place.key), pages.get(target.key)
        if page and shorter and page.content_sha256 == shorter.content_sha256:
            yield page, shorter
