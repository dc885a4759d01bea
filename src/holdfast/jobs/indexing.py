"""The search index brought up to the ledger (SRC-1).

1. What was observed since the index's mark is read, in the order it was written; pages that say something
   new are made again from the archive, cut into sections. There is no fetcher here.
2. The index is never ahead: each group of pages is written with the number of its last observation. A
   crash, or another process that does the same, costs nothing but the group.
3. Where the ledger forgot something, or is another one, the index is emptied and built anew.
4. A sight that is older than what the index has of its page adds nothing: a reprocessing sees again. A page
   that is mirrored and cited, or that a mirror moved to another address of the same place, is one; two
   pages of a mirror are two, also where `web` calls their addresses one place.
5. Pages that the archive cannot give back any more say what they said before.
6. The index is a file; where nothing can be written, it is in memory.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from holdfast.core.base.errors import ArchiveError
from holdfast.core.base.hashing import UrlKey
from holdfast.core.lineage.ledger_values import SeenPage
from holdfast.core.lineage.lineage import CaptureRecord, Job
from holdfast.core.page.distill_options import DistillOptions, distill
from holdfast.core.page.search_terms import IndexedPage, PageInIndex
from holdfast.core.page.section import PageSection
from holdfast.core.url.policy import Recipe
from holdfast.core.url.url import Place
from holdfast.core.web.capture import Capture
from holdfast.storage.sqlite.search_index import SearchIndex, open_search

if TYPE_CHECKING:
    from holdfast.jobs.session import Session
    from holdfast.storage.ledger.ledger import Ledger
    from holdfast.storage.sqlite.search_index import SearchIndex
    from holdfast.storage.store_ports import Archive

GROUP: Final = 64
"""Observations that are written together."""

Sections = Callable[[Capture], tuple[PageSection, ...]]
"""The sections of the page that a capture is."""


def catch_up(
    ledger: Ledger,
    archive: Archive,
    index: SearchIndex,
    sections: Sections,
    tell: Callable[[int, int], None] = lambda _done, _total: None,
) -> int:
    """Bring an index up to date; how many pages were read. `tell` is told how far it is."""
    read = 0
    mark = ledger.sections.mark()
    while (built := index.mark()) != mark:
        standing = _standing(ledger)
        if built is not None and not mark.follows(built):
            index.clear()
            built = None
        begun = built.observed if built else 0
        gone_on = True
        for group in _groups(ledger.sections.seen_after(begun, mark.observed)):
            known = _Known(index.known({each.place.web_key for each in group}), standing)
            pages = list(_pages(group, known, archive, sections))
            reached = mark._replace(observed=group[-1].number, changed_at=None)
            gone_on = index.add(built, pages, reached)
            if not gone_on:
                break
            built = reached
            read += sum(page.sections is not None for page in pages)
            tell(group[-1].number - begun, mark.observed - begun)
        if gone_on and index.settle(built, standing, mark):
            break
    return read


def _groups(sightings: Iterator[SeenPage]) -> Iterator[list[SeenPage]]:
    while group := list(islice(sightings, GROUP)):
        yield group


class _Known:
    """What an index has of some pages, while a group is added to it."""

    def __init__(self, pages: dict[UrlKey, list[PageInIndex]], standing: Container[UrlKey]) -> None:
        self._pages = pages
        self._standing = standing

    def of(self, seen: SeenPage) -> tuple[Place, PageInIndex | None]:
        """Under which key a page that was seen is kept, and what the index has of it: under that key, or
        under another of the same place. A sight that makes no page of a mirror adds to what is there.
        """
        place, there = seen.place, self._pages.get(seen.place.web_key, [])
        own = next((page for page in there if page.key == place.key), None)
        if own is not None or not there:
            return place, own
        if seen.job is Job.TRACK or (seen.job is Job.REPROCESS and place.key not in self._standing):
            return place._replace(key=there[-1].key), there[-1]
        return place, next((page for page in there if not self._is_another(page, seen)), None)

    def is_told(self, seen: SeenPage) -> bool:
        """Whether a cited place is several pages of mirrors: they say themselves what they say."""
        there = self._pages.get(seen.place.web_key, [])
        return seen.job is Job.TRACK and sum(page.is_mirrored for page in there) > 1

    def set(self, web_key: UrlKey, before: PageInIndex | None, now: PageInIndex) -> None:
        """The index has this of a page now."""
        there = self._pages.setdefault(web_key, [])
        there[:] = [*(page for page in there if page is not before), now]

    def _is_another(self, page: PageInIndex, seen: SeenPage) -> bool:
        """Whether a page under another key is not the one that was seen: a mirror keeps, or kept, both."""
        return page.is_mirrored and (seen.job is not Job.REPROCESS or page.key in self._standing)


def _pages(
    group: list[SeenPage], known: _Known, archive: Archive, sections: Sections
) -> Iterator[IndexedPage]:
    """What a group adds to the index."""
    for seen in group:
        if known.is_told(seen):
            continue
        place, before = known.of(seen)
        is_mirrored, capture_id = seen.job is not Job.TRACK, seen.capture.capture_id
        now = PageInIndex(place.key, capture_id, seen.seen_at, is_mirrored, seen.rank)
        if before is not None and seen.rank <= before.rank:
            now = now._replace(capture_id=before.capture_id, seen_at=before.seen_at, rank=before.rank)
        if before is not None:
            now = now._replace(is_mirrored=now.is_mirrored or before.is_mirrored)
        if now == before:
            continue
        known.set(place.web_key, before, now)
        is_same = before is not None and before.capture_id == now.capture_id
        yield IndexedPage(
            place=place,
            title=seen.title,
            capture_id=now.capture_id,
            seen_at=now.seen_at,
            is_mirrored=now.is_mirrored,
            sections=None if is_same else _read(archive, seen.capture, sections),
            known_as=before.key if before else place.key,
            rank=now.rank,
        )


def _read(archive: Archive, record: CaptureRecord, sections: Sections) -> tuple[PageSection, ...] | None:
    if record.ref is None:
        return None
    try:
        return sections(archive.read(record.ref))
    except ArchiveError:
        return None


def _standing(ledger: Ledger) -> dict[UrlKey, datetime | None]:
    """The pages of all mirrors: None, or since when they are gone; one that any mirror has is there."""
    found: dict[UrlKey, datetime | None] = {}
    for label in sorted({record.run.label for record in ledger.runs.latest_first()}):
        for page in ledger.pages.by_path(label):
            key = page.place.key
            if page.gone_at is None or key not in found:
                found[key] = page.gone_at
    return found


_RECIPE: Final = Recipe.parse("http_snapshot_url_v1_text_v1")


def open_index(file: Path) -> SearchIndex:
    """An index in its file; in memory where nothing can be written."""
    writable = os.access(file if file.exists() else file.parent, os.W_OK)
    return open_search(file if writable else None)


def bring_up_to_date(index: SearchIndex, session: Session, tell: Callable[[int, int], None] | None) -> None:
    """Read what the ledger has and the index has not."""
    options = DistillOptions(outline=True, max_bytes=session.settings.distill.max_page_bytes)
    catch_up(
        session.ledger,
        session.archive,
        index,
        lambda capture: distill(capture, _RECIPE, options).structure.outline,
        tell or (lambda _done, _total: None),
    )
