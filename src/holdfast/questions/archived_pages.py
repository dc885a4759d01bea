"""Pages as the archive has them, made anew. The one place in this room that needs the parsers."""

from __future__ import annotations

from holdfast.core.capture import Capture
from holdfast.core.distill_options import DistillOptions
from holdfast.core.errors import ArchiveError
from holdfast.core.lineage import CaptureRecord
from holdfast.core.page import Page
from holdfast.core.recipe import Recipe
from holdfast.core.versions import PageVersion
from holdfast.distill import distill
from holdfast.ports import Archive

__all__ = ["capture_of", "page_from", "page_of_capture", "page_of_version"]


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
