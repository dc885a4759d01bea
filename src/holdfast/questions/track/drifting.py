"""How much a cited URL's new revision differs from the one before: both copies are in the archive."""

from __future__ import annotations

from dataclasses import replace

from holdfast.core.bid import revision_bid
from holdfast.core.citation import LedgerEvent
from holdfast.core.distill_options import DistillOptions
from holdfast.core.drift import drift_between
from holdfast.core.errors import ArchiveError
from holdfast.core.lineage import RecordRef
from holdfast.core.page import Page
from holdfast.core.recipe import Recipe
from holdfast.distill import distill
from holdfast.ports import Archive, Ledger

__all__ = ["with_drift"]


def with_drift(event: LedgerEvent, ledger: Ledger, archive: Archive, recipe: Recipe) -> LedgerEvent:
    """A `changed` event with its drift; as it is where a copy is gone, or has no text."""
    kept: dict[str, RecordRef] = {}
    for observation in ledger.history.of_url(event.place.web_key, recipe):
        if observation.item is not None and observation.capture.ref is not None:
            kept[revision_bid(observation.item.content_sha256)] = observation.capture.ref
    if event.old not in kept or event.new not in kept:
        return event
    try:
        old = _page(archive, kept[event.old], recipe)
        new = _page(archive, kept[event.new], recipe)
    except ArchiveError:
        return event
    if not old.text and not new.text:
        return event
    drift = drift_between(old.text, new.text, old_title=old.title, new_title=new.title)
    return replace(event, detail=replace(event.detail, drift=drift))


def _page(archive: Archive, ref: RecordRef, recipe: Recipe) -> Page:
    return distill(archive.read(ref), recipe, DistillOptions(glance=True))
