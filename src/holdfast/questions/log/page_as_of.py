"""A page as it was at a moment: which of its captures is shown, and what is known of it since.

1. A mirror may keep pages apart that have one key: `?a=1&b=2` and `?b=2&a=1` under `site`. The page as it
   was is that of the page that was asked for by its own address, else of the one that was seen last.
2. An answer goes before an error page: what a citation meant is what the page said while it was there.
3. A page is gone since the first of its last looks that all say so; where nobody looked later, since its
   mirrors have it no more.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from holdfast.core.base.errors import NotKeptError, UsageError
from holdfast.core.base.values import dataclass
from holdfast.core.lineage.ledger_values import Observation
from holdfast.core.lineage.lineage import CaptureRecord
from holdfast.core.lineage.versions import PageVersion
from holdfast.core.page.distill_options import DistillOptions
from holdfast.core.page.fragment import section_markdown, section_text
from holdfast.core.page.page import Page
from holdfast.core.targets.bound import EVERYTHING, Bound, BoundKind
from holdfast.core.url.policy import Policy, Recipe
from holdfast.core.web.capture import Capture
from holdfast.questions.log.kept_page import capture_of, page_from
from holdfast.questions.log.page_log import (
    AS_CITED,
    NOT_MODIFIED,
    captures_of_others,
    key_of_page,
    versions_seen,
)
from holdfast.questions.log.timeline import captures_taken
from holdfast.questions.rows.resolve_target import find_place

if TYPE_CHECKING:
    from holdfast.storage.ledger.ledger import Ledger
    from holdfast.storage.store_ports import Archive

_GONE: Final = (404, 410)


@dataclass(frozen=True, slots=True)
class PageAsOf:
    """The copy of a URL that was current at a moment: the ledger's row, the response, the page made of it.

    `section` is the number of the section that was asked for, in the page's outline. `version` is that of the
    copy, of so many `versions`; None where the copy shows no page. `seen_at`: when it was last looked at;
    `gone_since`: since when it has not been there.
    """

    record: CaptureRecord
    capture: Capture
    page: Page
    section: int | None = None
    version: int | None = None
    versions: int = 0
    seen_at: datetime | None = None
    gone_since: datetime | None = None

    @property
    def markdown(self) -> str:
        """The page, or the section that was asked for, as Markdown."""
        if self.section is None:
            return self.page.markdown
        return section_markdown(self.page.structure.outline, self.section, self.page.markdown)

    @property
    def text(self) -> str:
        """The same as text."""
        if self.section is None:
            return self.page.text
        return section_text(self.page.structure.outline, self.section)

    @property
    def anchor(self) -> str | None:
        """The name of the section that was asked for."""
        return None if self.section is None else self.page.structure.outline[self.section].anchor


def page_as_of(
    ledger: Ledger,
    archive: Archive,
    policy: Policy,
    options: DistillOptions,
    /,
    url: str,
    at: Bound = EVERYTHING,
) -> PageAsOf:
    """The last copy of a URL that was kept, or the last one that a bound takes, from the archive."""
    place = find_place(ledger, url, policy)
    if place is None:
        raise UsageError(f"{url!r} is not a URL", hint="write it whole: https://example.com/")
    key = key_of_page(ledger, place.web_key, ledger.pages.names_of(place.web_key))
    seen = tuple(ledger.history.of_url(key))
    others = captures_of_others(seen, url)
    every = tuple({each.capture.capture_id: each.capture for each in seen}.values())
    captures = [capture for capture in every if capture.capture_id not in others]
    taken = [capture for capture in captures_taken(ledger, every, at) if capture.capture_id not in others]
    record = _current(url, captures, taken, ledger.archived.lost())
    versions = versions_seen(ledger, key, url, seen)
    return PageAsOf(
        *_read(archive, record, AS_CITED, options),
        version=_version_of(record, every, versions),
        versions=len(versions),
        seen_at=captures[-1].fetched_at,
        gone_since=_gone_since(ledger, captures, seen),
    )


def item_as_of(ledger: Ledger, archive: Archive, options: DistillOptions, /, name: str) -> PageAsOf:
    """The text of the version that an item is."""
    item = next(iter(ledger.history.items(name)), None)
    seen = tuple(ledger.history.of_url(item.place.web_key)) if item else ()
    found = next((o.capture for o in seen if o.item and item and o.item.item_id == item.item_id), None)
    if item is None or found is None:
        raise NotKeptError(f"no item {name[:12]} is kept")
    return PageAsOf(*_read(archive, found, item.recipe, options), seen_at=seen[-1].capture.fetched_at)


def _read(
    archive: Archive, record: CaptureRecord, recipe: Recipe, options: DistillOptions
) -> tuple[CaptureRecord, Capture, Page]:
    capture = capture_of(archive, record)
    return record, capture, page_from(capture, recipe, replace(options, outline=True))


def _current(
    url: str, captures: Sequence[CaptureRecord], taken: Sequence[CaptureRecord], lost: Container[str]
) -> CaptureRecord:
    """Of a page's captures the one to show; `taken` are those up to the moment that was asked for."""
    kept = _copies(captures, lost)
    if not kept:
        raise NotKeptError(
            f"no copy of {url} was kept",
            hint="a copy is kept of every page that `holdfast check --fetch-urls` or a mirror sees alive",
            knows_it=bool(captures),
        )
    copies = _copies(taken, lost)
    if not copies:
        first = min(capture.fetched_at for capture in kept)
        raise NotKeptError(
            f"no copy of {url} was kept yet at that moment",
            hint=f"the first one is of {first.date().isoformat()}",
            knows_it=True,
        )
    answers = [capture for capture in copies if capture.status < 400]
    return (answers or copies)[-1]


def _copies(captures: Iterable[CaptureRecord], lost: Container[str]) -> list[CaptureRecord]:
    return [c for c in captures if c.ref and c.status != NOT_MODIFIED and c.capture_id not in lost]


def _version_of(
    record: CaptureRecord, captures: Sequence[CaptureRecord], versions: Sequence[PageVersion]
) -> int | None:
    """The version that was the last one where a capture has its place; clocks do not count (LIN-10)."""
    brought = {one.capture.capture_id: one.number for one in versions}
    number = None
    for capture in captures:
        number = brought.get(capture.capture_id, number)
        if capture.capture_id == record.capture_id:
            break
    return number


def _gone_since(
    ledger: Ledger, captures: Sequence[CaptureRecord], seen: Sequence[Observation]
) -> datetime | None:
    """Since when the page has not been there: by the last looks at it, else by the mirrors that have it."""
    since = None
    for capture in reversed(captures):
        if capture.status not in _GONE:
            break
        since = capture.fetched_at
    if since is not None:
        return since
    places = {(o.item.place.web_key, o.item.place.key) for o in seen if o.item}
    pages = [
        page
        for web_key, key in places
        for file in ledger.pages.mirrored(web_key)
        if (page := ledger.pages.page(file.label, key)) is not None
    ]
    left = [
        page.gone_at for page in pages if page.gone_at is not None and page.gone_at >= captures[-1].fetched_at
    ]
    return min(left) if left and len(left) == len(pages) else None


def up_to(moment: datetime | None) -> Bound:
    """All that was kept up to a moment; without one, all."""
    return EVERYTHING if moment is None else Bound(BoundKind.UP_TO, moment)
