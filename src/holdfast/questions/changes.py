"""What changed: versions from the ledger, their Markdown from the archive, made anew. Nothing is fetched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from holdfast.core.answers.changes import PageChange, PageDiff, RunChanges, SectionChanges
from holdfast.core.answers.history import PageHistory
from holdfast.core.distill_options import DistillOptions
from holdfast.core.drift import drift_between
from holdfast.core.errors import UsageError
from holdfast.core.event_kind import EventKind
from holdfast.core.ledger import LeftPage, Observation, RunRecord
from holdfast.core.lineage import CaptureRecord, Item
from holdfast.core.recipe import Recipe
from holdfast.core.text_diff import compare
from holdfast.core.versions import PageVersion, choose, of_page, versions_of
from holdfast.formats.section_changes import changed_sections
from holdfast.ports import Archive, Ledger
from holdfast.questions.archived_pages import page_of_version
from holdfast.questions.history import section_moves

__all__ = [
    "VersionPair",
    "changes_of_run",
    "gone_in",
    "page_change_with_diff",
    "page_diff",
    "require_run",
    "run_changes",
    "section_changes",
]


class VersionPair(NamedTuple):
    """Two versions, by number, date or run: by default the last two, with one that and the last.

    Versions of one recipe are compared (VER-4): by default the latest.
    """

    old: str | None = None
    new: str | None = None
    recipe: Recipe | None = None

    def of(self, known: PageHistory) -> tuple[PageVersion, PageVersion] | None:
        """The versions; None where nothing is known under that recipe."""
        versions = known.versions_under(self.recipe or known.recipe)
        if not versions:
            return None
        if self.old is None:
            return versions[max(len(versions) - 2, 0)], versions[-1]
        return choose(versions, self.old), choose(versions, self.new) if self.new else versions[-1]


def page_diff(
    archive: Archive, known: PageHistory, pair: VersionPair, options: DistillOptions, context: int = 3
) -> PageDiff | None:
    """What changed between two versions of a URL; None where nothing is known of it."""
    chosen = pair.of(known)
    if chosen is None:
        return None
    old, new = chosen
    before, after = (page_of_version(archive, version, replace(options, outline=True)) for version in chosen)
    hunks = compare(before.markdown, after.markdown, max(context, 0))
    return PageDiff(known.url, old, new, hunks, changed_sections(before, after, hunks))


def _changes(ledger: Ledger, run_id: str, recipe: Recipe) -> Iterator[PageChange | Observation]:
    """What a run brought, in the order it was written; an observation that brought nothing comes as it is."""
    for observation in ledger.history.of_run(run_id):
        item = observation.item
        if item is None or not observation.is_new or item.run_id != run_id:
            yield observation
        else:
            yield _change(ledger, item, recipe)


def _change(ledger: Ledger, item: Item, recipe: Recipe) -> PageChange:
    versions = versions_of(ledger.history.of_url(item.place.web_key, recipe), recipe, item.place.key)
    number = next(v.number for v in versions if v.item.item_id == item.item_id)
    before = versions[number - 2] if number > 1 else None
    kind = EventKind.CHANGED if before else EventKind.NEW
    moved = section_moves(ledger, before.item, item) if before else ()
    return PageChange(kind, versions[number - 1], before, moved=moved)


def changes_of_run(
    ledger: Ledger, run: RunRecord, after: str = "", *, backward: bool = False
) -> Iterator[PageChange]:
    """What a run brought, without the differences, one after the other; from a capture's id on."""
    for seen in ledger.history.brought_by(run.run.run_id, after, backward=backward):
        if seen.item is not None:
            yield _change(ledger, seen.item, run.run.recipe)


def page_change_with_diff(archive: Archive, change: PageChange, options: DistillOptions) -> PageChange:
    """A change with the difference; a page that is new has none."""
    if change.before is None:
        return change
    outlined = replace(options, outline=True)
    old, new = (page_of_version(archive, version, outlined) for version in (change.before, change.now))
    hunks = compare(old.markdown, new.markdown)
    drift = drift_between(old.text, new.text, old_title=old.title, new_title=new.title)
    return replace(change, hunks=hunks, sections=changed_sections(old, new, hunks), drift=drift)


def run_changes(ledger: Ledger, archive: Archive, name: str, options: DistillOptions) -> RunChanges:
    """Everything that a run found, with the differences; `name` is its id or the beginning of it."""
    run = require_run(ledger, name)
    changes: list[PageChange] = []
    failed: list[CaptureRecord] = []
    unchanged = 0
    for found in _changes(ledger, run.run.run_id, run.run.recipe):
        match found:
            case PageChange():
                changes.append(page_change_with_diff(archive, found, options))
            case Observation(capture, None) if capture.status >= 400:
                failed.append(capture)
            case Observation(item=Item()):
                unchanged += 1
    return RunChanges(run, tuple(changes), gone_in(ledger, run), tuple(failed), unchanged)


def gone_in(ledger: Ledger, run: RunRecord) -> tuple[LeftPage, ...]:
    """The pages that were there before a run, and not after it."""
    began, until = run.run.started_at, run.ended_at or run.updated_at
    left = ledger.pages.left_between(run.run.label, began, until)
    return tuple(page for page in left if _was_there(ledger, run.run.label, page, began))


def _was_there(ledger: Ledger, label: str, page: LeftPage, before: datetime) -> bool:
    """Whether a page was seen before a moment, and had not left since: one that a run makes and joins to its
    shorter address at the end leaves in every run, and is in none.
    """
    looks = of_page(ledger.history.of_url(page.place.web_key), page.place)
    seen = [look.capture.fetched_at for look in looks if look.capture.fetched_at < before]
    left = [at for at in ledger.pages.absences(label, page.place.key) if at < before]
    return bool(seen) and (not left or max(left) <= max(seen))


def section_changes(
    ledger: Ledger, label: str, since: datetime, until: datetime | None = None
) -> SectionChanges:
    """Which sections of a mirror differ between two moments."""
    last = next(ledger.runs.latest_first(label=label), None)
    moved = ledger.sections.between(label, last.run.recipe, since, until) if last else ()
    return SectionChanges(label, since, until, tuple(moved))


def require_run(ledger: Ledger, name: str) -> RunRecord:
    """A run by its id or the beginning of it."""
    record = ledger.runs.run(name)
    if record is None:
        raise UsageError(f"there is no run that begins with {name!r}", hint="`holdfast runs` lists them")
    return record
