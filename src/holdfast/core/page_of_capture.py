"""A page of a mirror, made of the capture that brought it and the item it is."""

from __future__ import annotations

from holdfast.core.ledger import PageFacts, StoredPage
from holdfast.core.lineage import CaptureRecord, Item
from holdfast.core.place import Place

__all__ = ["stored_page"]


def stored_page(place: Place, facts: PageFacts, item: Item, capture: CaptureRecord) -> StoredPage:
    """A page as a capture brought it."""
    return StoredPage(
        place=place,
        facts=facts,
        item_id=item.item_id,
        content_sha256=item.content_sha256,
        fetch_url=capture.final_url,
        status=capture.status,
        fetched_at=capture.fetched_at,
        content_type=capture.content_type,
        etag=capture.etag,
        last_modified=capture.last_modified,
        title=item.title,
    )
