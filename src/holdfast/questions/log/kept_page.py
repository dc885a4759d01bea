"""Pages as the archive has them, made anew. The one place in this room that needs the parsers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from holdfast.core.base.errors import ArchiveError, NotKeptError
from holdfast.core.lineage.lineage import CaptureRecord
from holdfast.core.lineage.versions import PageVersion
from holdfast.core.page.distill_options import DistillOptions, distill
from holdfast.core.page.fragment import ElementTarget, named_section, read_fragment
from holdfast.core.page.page import Page
from holdfast.core.url.policy import Recipe
from holdfast.core.web.capture import Capture

if TYPE_CHECKING:
    from holdfast.storage.store_ports import Archive


def capture_of(archive: Archive, record: CaptureRecord) -> Capture:
    """The response that a row of the ledger stands for."""
    if record.ref is None:
        raise ArchiveError(
            f"the archive never held {record.url} as it was on {record.fetched_at:%Y-%m-%d %H:%M:%S} UTC"
        )
    return archive.read(record.ref)


def page_from(capture: Capture, recipe: Recipe, options: DistillOptions) -> Page:
    """The page that a recipe makes of a response."""
    return distill(capture, recipe, options)


def page_of_capture(archive: Archive, record: CaptureRecord, recipe: Recipe, options: DistillOptions) -> Page:
    """The page that a recipe makes of an archived capture."""
    return page_from(capture_of(archive, record), recipe, options)


def page_of_version(archive: Archive, version: PageVersion, options: DistillOptions) -> Page:
    """A version of a page, as this Holdfast writes it."""
    return page_of_capture(archive, version.capture, version.item.recipe, options)


_FEW: Final = 40
"""Sections that a hint names at most."""


def section_meant(page: Page, fragment: str, *, may_lack: bool = False) -> int | None:
    """The number of the section that a fragment names; None: the page itself, or words on it; where a page
    `may_lack` the section, also that it has none.
    """
    if not isinstance(read_fragment(fragment), ElementTarget):
        return None
    outline = page.structure.outline
    number = named_section(outline, page.markdown or page.text, fragment)
    if number is None and not may_lack:
        named = [section.anchor for section in outline if section.anchor]
        names = ", ".join(named[:_FEW]) + (f" and {len(named) - _FEW} more" if len(named) > _FEW else "")
        hint = f"it has: {names}" if named else "it has none; leave out what stands behind #"
        raise NotKeptError(f"the page has no section {fragment[:80]!r}", hint=hint, knows_it=True)
    return number
