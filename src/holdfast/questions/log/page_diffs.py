"""Pages at two moments: which version stood at each side, and what differs between the two (CLI-3, LIN-10).

1. A side is a bound: of a page's captures in the store's order those that it takes, and of them the last one
   says which version stood. A page of a mirror that left it after that was not there.
2. Of a mirror only the pages are looked at that a run between the sides brought, and those that ever left.
3. Lines are made anew of the archive's copies. Where a copy is gone, the page is told without its lines, by
   the sections that the ledger knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from holdfast.core.base.difference import compare
from holdfast.core.base.errors import ArchiveError, NotKeptError
from holdfast.core.base.figures import EVER
from holdfast.core.base.hashing import UrlKey
from holdfast.core.lineage.ledger_values import Observation
from holdfast.core.lineage.lineage import CaptureRecord, Item, Job, RunRecord
from holdfast.core.lineage.versions import PageVersion, choose, versions_of
from holdfast.core.page.distill_options import DistillOptions
from holdfast.core.page.fragment import section_markdown, sections_below
from holdfast.core.page.section import moves_between
from holdfast.core.targets.bound import Bound, BoundKind, CaptureStamp, captures_in
from holdfast.core.url.policy import Policy, Recipe
from holdfast.core.url.url import Place
from holdfast.questions.log.compare import PageDiff, changed_sections, compared_sections
from holdfast.questions.log.kept_page import page_of_version, section_meant
from holdfast.questions.log.mirror_log import page_change
from holdfast.questions.log.page_log import PageHistory, history
from holdfast.questions.log.timeline import RUN_PLACES, captures_taken, gone_in, runs_in_order, stamps_of

if TYPE_CHECKING:
    from holdfast.storage.ledger.ledger import Ledger
    from holdfast.storage.store_ports import Archive


def versions_compared(
    ledger: Ledger,
    archive: Archive,
    policy: Policy,
    options: DistillOptions,
    /,
    url: str,
    old: str | None = None,
    new: str | None = None,
) -> PageDiff | None:
    """Two versions of a page, by number, date or run: by default the last two, with one that and the last.
    None where nothing is known of it.
    """
    known = history(ledger, policy, url)
    versions = known.versions
    if not versions:
        return None
    left = choose(versions, old) if old else versions[max(len(versions) - 2, 0)]
    return with_lines(
        archive, _page_diff(ledger, known.url, left, choose(versions, new) if new else versions[-1]), options
    )


def page_at_two(
    ledger: Ledger, url: str, policy: Policy, recipe: Recipe | None, sides: tuple[Bound, Bound]
) -> PageDiff:
    """A page at both sides, without its lines; versions of one recipe are compared (VER-4)."""
    known = history(ledger, policy, url)
    recipe = recipe or known.recipe
    versions = known.versions_under(recipe)
    if not versions:
        under = f" under {recipe}" if recipe and known.recipe and recipe != known.recipe else ""
        raise NotKeptError(f"nothing is known of {url}{under}", knows_it=bool(known.observations))
    at_capture = _versions_by_capture(known, versions)
    captures = tuple({each.capture.capture_id: each.capture for each in known.observations}.values())
    old, new = (_version_at(captures_taken(ledger, captures, side), at_capture) for side in sides)
    if new is None:
        first = min(version.first_seen for version in versions)
        raise NotKeptError(
            f"nothing of {url} was kept yet at that moment",
            hint=f"the first version is of {first.date().isoformat()}",
            knows_it=True,
        )
    return _page_diff(ledger, known.url, old, new)


def with_lines(
    archive: Archive, found: PageDiff, options: DistillOptions, fragment: str = "", context: int = 3
) -> PageDiff:
    """A page with the lines that differ and every section of both versions; with a fragment those of that
    section alone.
    """
    if found.old is None or found.new is None:
        return found
    outlined = replace(options, outline=True)
    old, new = (page_of_version(archive, version, outlined) for version in (found.old, found.new))
    if not fragment:
        hunks = compare(old.markdown, new.markdown, context)
        touched = changed_sections(old, new, hunks)
        return replace(
            found, hunks=hunks, touched=touched, compared=compared_sections(old, new, hunks, touched)
        )
    numbers = [section_meant(page, fragment, may_lack=True) for page in (old, new)]
    if numbers == [None, None]:
        section_meant(new, fragment)
    texts, anchors = [], set[str]()
    for page, number in zip((old, new), numbers, strict=True):
        outline = page.structure.outline
        texts.append("" if number is None else section_markdown(outline, number, page.markdown))
        anchors |= set() if number is None else {each.anchor for each in sections_below(outline, number)}
    hunks = compare(old.markdown, new.markdown, context)
    touched = changed_sections(old, new, hunks)
    return replace(
        found,
        anchor=fragment,
        hunks=compare(texts[0], texts[1], context),
        touched=tuple(each for each in touched if (each.anchor or "") in anchors),
        sections=tuple(each for each in found.sections if each.section.anchor in anchors),
        compared=tuple(
            each for each in compared_sections(old, new, hunks, touched) if (each.anchor or "") in anchors
        ),
    )


def with_lines_if_kept(
    archive: Archive, found: PageDiff, options: DistillOptions, context: int = 3
) -> PageDiff:
    """A page with the lines that differ, where both copies are kept."""
    try:
        return replace(with_lines(archive, found, options, context=context), compared=())
    except ArchiveError:
        return replace(found, readable=False)


def mirror_at_two(ledger: Ledger, label: str, sides: tuple[Bound, Bound]) -> Iterator[PageDiff]:
    """The pages of a mirror that differ between both sides, by URL, without their lines."""
    runs = runs_in_order(ledger)
    own = [number for number, each in enumerate(runs) if _is_of(each, label)]
    if not own:
        return
    recipe = runs[own[-1]].run.recipe
    between = _Between(ledger, label, recipe, runs, own)
    places = {place.key: place for place in between.places(sides)}
    for place in sorted(places.values(), key=lambda each: each.url):
        old, new = between.versions(place, sides)
        if (old and old.item.item_id) != (new and new.item.item_id):
            yield _page_diff(ledger, place.url, old, new)


class RunPages(NamedTuple):
    """What a run found: the pages that changed, came, went; captures that failed; how many pages were as
    before.
    """

    pages: tuple[PageDiff, ...]
    failed: tuple[CaptureRecord, ...]
    unchanged: int


def run_pages(ledger: Ledger, run: RunRecord) -> RunPages:
    """Everything that a run found, without the lines."""
    run_id, recipe = run.run.run_id, run.run.recipe
    changed: list[PageDiff] = []
    new: list[PageDiff] = []
    failed: list[CaptureRecord] = []
    unchanged = 0
    for seen in ledger.history.of_run(run_id):
        item = seen.item
        if item is not None and seen.is_new and item.run_id == run_id:
            found = page_change(ledger, item, recipe)
            page = PageDiff(found.url, found.before, found.now, sections=found.moved)
            (changed if found.before else new).append(page)
        elif item is not None:
            unchanged += 1
        elif seen.capture.status >= 400:
            failed.append(seen.capture)
    gone = (_gone(ledger, page.place, recipe) for page in gone_in(ledger, run))
    return RunPages((*changed, *new, *filter(None, gone)), tuple(failed), unchanged)


def _gone(ledger: Ledger, place: Place, recipe: Recipe) -> PageDiff | None:
    versions = versions_of(ledger.history.of_url(place.web_key), recipe, place.key)
    return PageDiff(place.url, versions[-1], None) if versions else None


def _is_of(record: RunRecord, label: str) -> bool:
    return record.run.label == label and record.run.job is not Job.TRACK


class _Between:
    """The pages of a mirror, by the order of the store's runs."""

    def __init__(
        self, ledger: Ledger, label: str, recipe: Recipe, runs: Sequence[RunRecord], own: Sequence[int]
    ) -> None:
        self._ledger = ledger
        self._label = label
        self._recipe = recipe
        self._runs = runs
        self._own = own

    def places(self, sides: tuple[Bound, Bound]) -> Iterator[Place]:
        """The pages that may differ."""
        for number in self._own:
            if self._is_between(number, sides):
                for seen in self._ledger.history.brought_by(self._runs[number].run.run_id):
                    if seen.item is not None:
                        yield seen.item.place
        for left in self._ledger.pages.left_between(self._label, EVER):
            yield left.place

    def _is_between(self, number: int, sides: tuple[Bound, Bound]) -> bool:
        """Whether a run may have brought what only the newer side has."""
        left, right = sides
        record = self._runs[number]
        first = CaptureStamp(number * RUN_PLACES, record.run.started_at)
        last = CaptureStamp((number + 1) * RUN_PLACES - 1, record.ended_at or record.updated_at)
        return not len(captures_in(left, [last])) and bool(len(captures_in(right, [first])))

    def versions(self, place: Place, sides: tuple[Bound, Bound]) -> list[PageVersion | None]:
        """The version of a page that stood at each side."""
        seen = tuple(self._ledger.history.of_url(place.web_key))
        versions = versions_of(seen, self._recipe, place.key)
        own = [each for each in seen if _shows(each, self._recipe, place.key)]
        captures = tuple({each.capture.capture_id: each.capture for each in seen}.values())
        stamps = dict(
            zip((each.capture_id for each in captures), stamps_of(self._runs, captures), strict=True)
        )
        at_capture = _by_capture(own, versions)
        events: list[tuple[CaptureStamp, PageVersion | None]] = [
            (stamps[each.capture.capture_id], at_capture[each.capture.capture_id]) for each in own
        ]
        page = self._ledger.pages.page(self._label, place.key)
        is_there = page is None or page.gone_at is None
        shown = [stamp for stamp, _ in events]
        for at in sorted(self._ledger.pages.absences(self._label, place.key), reverse=True):
            number, stamp = self._left(at, shown, is_there=is_there)
            events.insert(number, (stamp, None))
        return [self._standing(events, side, is_there=is_there) for side in sides]

    @staticmethod
    def _standing(
        events: Sequence[tuple[CaptureStamp, PageVersion | None]], side: Bound, *, is_there: bool
    ) -> PageVersion | None:
        if side.kind is BoundKind.ALL and not is_there:
            return None
        taken = captures_in(side, [stamp for stamp, _ in events])
        return events[taken[-1]][1] if taken else None

    def _left(
        self, at: datetime, shown: Sequence[CaptureStamp], *, is_there: bool
    ) -> tuple[int, CaptureStamp]:
        """Behind how many of its captures a page left, and where: in the last run that began before. A page
        that is there now was seen after it left, whatever the clock said.
        """
        began = (number for number in self._own if self._runs[number].run.started_at <= at)
        first = max(began, default=self._own[0]) * RUN_PLACES
        before = [
            each
            for each in shown
            if each.place < first or (each.place < first + RUN_PLACES and each.time <= at)
        ]
        number = min(len(before), len(shown) - 1) if is_there and shown else len(before)
        place = max(first, shown[number - 1].place if number else 0)
        return number, CaptureStamp(min(place, shown[number].place) if number < len(shown) else place, at)


def _shows(seen: Observation, recipe: Recipe, key: UrlKey) -> bool:
    return seen.item is not None and seen.item.recipe == recipe and seen.item.place.key == key


def _versions_by_capture(known: PageHistory, versions: Sequence[PageVersion]) -> Mapping[str, PageVersion]:
    recipe, meant = versions[0].item.recipe, known.meant
    own = [
        each
        for each in known.observations
        if each.item is not None
        and each.item.recipe == recipe
        and (recipe not in meant or each.item.place.key == meant[recipe])
    ]
    return _by_capture(own, versions)


def _by_capture(own: Iterable[Observation], versions: Sequence[PageVersion]) -> dict[str, PageVersion]:
    """The version that each capture shows."""
    begins = {version.capture.capture_id: version for version in versions}
    found: dict[str, PageVersion] = {}
    version = versions[0] if versions else None
    for each in own:
        version = begins.get(each.capture.capture_id, version)
        if version is not None:
            found[each.capture.capture_id] = version
    return found


def _version_at(taken: Iterable[CaptureRecord], at_capture: Mapping[str, PageVersion]) -> PageVersion | None:
    shown = [at_capture[each.capture_id] for each in taken if each.capture_id in at_capture]
    return shown[-1] if shown else None


def _page_diff(ledger: Ledger, url: str, old: PageVersion | None, new: PageVersion | None) -> PageDiff:
    items: list[Item] = [version.item for version in (old, new) if version is not None]
    known = ledger.sections.of_items({item.item_id for item in items})
    before, after = (known.get(version.item.item_id, ()) if version else () for version in (old, new))
    are_known = all(item.item_id in known for item in items)
    moved = moves_between(items[-1].place, before, after) if are_known else ()
    return PageDiff(url, old, new, sections=moved)
