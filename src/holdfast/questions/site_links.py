"""Which links within a mirrored site lead nowhere: what its last run asked for and did not get, and the pages
of the mirror that link to it. Dead is what answered 404 or 410; what failed otherwise is suspect.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from holdfast.core.answers.site_links import LinkingPage, SiteBroken, SiteTarget
from holdfast.core.ledger import EntryState, FrontierEntry
from holdfast.core.lineage import Job
from holdfast.ports import Ledger

__all__ = ["site_broken"]

_NOT_THERE: Final = ("404", "410")


def site_broken(ledger: Ledger, label: str, *, suspect: bool = False) -> SiteBroken:
    """The dead links of a mirrored site; with `suspect` those to what failed in other ways, too."""
    last = next(iter(ledger.runs.latest_first(label=label, job=Job.MIRROR)), None)
    found, suspects = [], 0
    for entry in ledger.frontier.entries(last.run.run_id, (EntryState.FAILED,)) if last else ():
        is_dead = entry.note.words in _NOT_THERE
        pages = tuple(_linking(ledger, label, entry))
        suspects += bool(pages) and not is_dead
        if pages and (is_dead or suspect):
            found.append(SiteTarget(entry.place.url, entry.note.words, is_dead, pages))
    return SiteBroken(label, tuple(found), suspects)


def _linking(ledger: Ledger, label: str, entry: FrontierEntry) -> Iterator[LinkingPage]:
    seen: set[tuple[str, str]] = set()
    for link in ledger.pages.pages_linking_to(entry.place.web_key):
        page = ledger.pages.page(label, link.page.key)
        if page is not None and page.facts.path and (page.facts.path, link.link.text) not in seen:
            seen.add((page.facts.path, link.link.text))
            yield LinkingPage(page.place.url, page.facts.path, link.link.text)
