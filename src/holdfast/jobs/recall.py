"""What a URL said before: versions from the ledger, their Markdown from the archive, made anew.

Nothing here can ask the web: there is no fetcher among its arguments, and a contract forbids the import.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from holdfast.core.errors import ArchiveError
from holdfast.core.ledger import Observation, RunRecord, StoredPage
from holdfast.core.lineage import CaptureRecord, Item
from holdfast.core.page import Page
from holdfast.core.recipe import Recipe
from holdfast.core.versions import Version, versions_of
from holdfast.distill import DistillOptions, distill
from holdfast.formats.text_diff import Hunk, compare
from holdfast.ports import Archive, Ledger

__all__ = ["Change", "Digest", "Kind", "changes_of", "digest_of", "markdown_of", "page_of"]


class Kind(StrEnum):
    """What a run found of a URL."""

    NEW = "new"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Change:
    """A version that a run brought, and the one before it."""

    kind: Kind
    now: Version
    before: Version | None
    hunks: tuple[Hunk, ...] = ()

    @property
    def item(self) -> Item:
        """The new item."""
        return self.now.item


@dataclass(frozen=True, slots=True)
class Digest:
    """What a run found, for a person to read in the morning."""

    run: RunRecord
    changes: tuple[Change, ...]
    gone: tuple[StoredPage, ...]
    failed: tuple[CaptureRecord, ...]
    unchanged: int


def page_of(archive: Archive, capture: CaptureRecord, recipe: Recipe, options: DistillOptions) -> Page:
    """The page that a recipe makes of an archived capture."""
    if capture.ref is None:
        raise ArchiveError(
            f"the archive never held {capture.url} as it was on {capture.fetched_at:%Y-%m-%d %H:%M:%S} UTC"
        )
    return distill(archive.read(capture.ref), recipe, options)


def markdown_of(archive: Archive, version: Version, options: DistillOptions) -> str:
    """A version's Markdown, as this Holdfast writes it."""
    return page_of(archive, version.capture, version.item.recipe, options).markdown


def changes_of(ledger: Ledger, run_id: str, recipe: Recipe) -> Iterator[Change | Observation]:
    """What a run brought, in the order it was written; an observation that brought nothing comes as it is."""
    for observation in ledger.history.of_run(run_id):
        item = observation.item
        if item is None or not observation.is_new or item.run_id != run_id:
            yield observation
            continue
        versions = versions_of(ledger.history.of_url(item.web_key, recipe), recipe)
        number = next(v.number for v in versions if v.item.item_id == item.item_id)
        before = versions[number - 2] if number > 1 else None
        yield Change(Kind.CHANGED if before else Kind.NEW, versions[number - 1], before)


def digest_of(ledger: Ledger, archive: Archive, run: RunRecord, options: DistillOptions) -> Digest:
    """Everything that a run found, with the differences."""
    changes: list[Change] = []
    failed: list[CaptureRecord] = []
    unchanged = 0
    for found in changes_of(ledger, run.run.run_id, run.run.recipe):
        match found:
            case Change(kind, now, Version() as before):
                old, new = (markdown_of(archive, version, options) for version in (before, now))
                changes.append(Change(kind, now, before, compare(old, new)))
            case Change():
                changes.append(found)
            case Observation(capture, None) if capture.status >= 400:
                failed.append(capture)
            case Observation(item=Item()):
                unchanged += 1
    gone = tuple(page for page in ledger.pages.by_path(run.run.label) if _went_in(page, run))
    return Digest(run, tuple(changes), gone, tuple(failed), unchanged)


def _went_in(page: StoredPage, run: RunRecord) -> bool:
    until: datetime = run.ended_at or run.updated_at
    return page.gone_at is not None and run.run.started_at <= page.gone_at <= until
