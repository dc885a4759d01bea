"""The search index brought up to the ledger (SRC-1).

1. What was observed since the index's mark is read, in the order it was written; pages that say something
   new are made again from the archive, cut into sections. There is no fetcher here.
2. The index is never ahead: each group of pages is written with the number of its last observation. A
   crash, or another process that does the same, costs nothing but the group.
3. Where the ledger forgot something, or is another one, the index is emptied and built anew.
4. A sight that is older than what the index has of its page adds nothing: a reprocessing sees again.
5. Pages that the archive cannot give back any more say what they said before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import islice
from typing import Final

from holdfast.core.capture import Capture
from holdfast.core.errors import ArchiveError
from holdfast.core.hashing import UrlKey
from holdfast.core.ledger import SeenPage
from holdfast.core.lineage import CaptureRecord, Job
from holdfast.core.search import IndexedPage, PageInIndex
from holdfast.core.section import PageSection
from holdfast.ports import Archive, Ledger, SearchIndex

__all__ = ["Sections", "catch_up"]

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
        if built is not None and not mark.follows(built):
            index.clear()
            built = None
        begun = built.observed if built else 0
        gone_on = True
        for group in _groups(ledger.sections.seen_after(begun, mark.observed)):
            pages = list(
                _pages(group, index.known({each.place.web_key for each in group}), archive, sections)
            )
            reached = mark._replace(observed=group[-1].number, changed_at=None)
            gone_on = index.add(built, pages, reached)
            if not gone_on:
                break
            built = reached
            read += sum(page.sections is not None for page in pages)
            tell(group[-1].number - begun, mark.observed - begun)
        if gone_on and index.settle(built, _standing(ledger), mark):
            break
    return read


def _groups(sightings: Iterator[SeenPage]) -> Iterator[list[SeenPage]]:
    while group := list(islice(sightings, GROUP)):
        yield group


def _pages(
    group: list[SeenPage], known: dict[UrlKey, PageInIndex], archive: Archive, sections: Sections
) -> Iterator[IndexedPage]:
    """What a group adds to the index."""
    for seen in group:
        key, capture = seen.place.web_key, seen.capture
        before = known.get(key)
        if before is not None and seen.seen_at <= before.seen_at:
            continue
        known[key] = PageInIndex(capture.capture_id, seen.seen_at)
        is_same = before is not None and before.capture_id == capture.capture_id
        yield IndexedPage(
            place=seen.place,
            title=seen.title,
            capture_id=capture.capture_id,
            seen_at=seen.seen_at,
            is_mirrored=seen.job is not Job.TRACK,
            sections=None if is_same else _read(archive, capture, sections),
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
            key = page.place.web_key
            if page.gone_at is None or key not in found:
                found[key] = page.gone_at
    return found
