"""A mirror as records, one after the other: the ledger says what changed, the archive what it says (EXP-1).

1. Pages come in the order of their paths, sections in that of the page: equal mirrors give equal records.
2. With an earlier moment only what differs is read, unless what is the same is asked for too.
3. A page that the archive cannot give back is left out; a record that is gone has no text.
4. Pages that left the mirror since come last, in the order in which they left, whatever became of them: gone
   from the site, taken out of the folder, forgotten. One that came back is new.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING, Final

from holdfast.core.base.errors import ArchiveError, UsageError
from holdfast.core.base.hashing import ContentHash
from holdfast.core.lineage.ledger_values import LeftPage, Observation, StoredPage
from holdfast.core.lineage.versions import (
    PageVersion,
    at_moment,
    latest_recipe,
    moment_of,
    of_page,
    versions_of,
    was_there,
)
from holdfast.core.page.corpus import (
    ExportedPage,
    ExportRecord,
    ExportUnit,
    ExportWish,
    RecordChange,
    in_parts,
)
from holdfast.core.page.distill_options import DistillOptions
from holdfast.core.page.page import Page
from holdfast.core.page.section import KeptSection, PageSection, kept_sections
from holdfast.questions.log.kept_page import page_of_version

if TYPE_CHECKING:
    from holdfast.storage.ledger.ledger import Ledger
    from holdfast.storage.store_ports import Archive

_NO_HASH: Final = ContentHash("")


def moment_named(ledger: Ledger, name: str) -> datetime:
    """When a date or a run says: the end of the day, the end of the run."""
    moment = moment_of(name)
    if moment is not None:
        return moment
    record = ledger.runs.run(name)
    if record is None:
        raise UsageError(
            f"{name!r} is neither a date nor the beginning of a run's id",
            hint="such as 2026-05-04 or 2026-05-04T12:00; `holdfast log --runs` lists the runs",
        )
    return record.ended_at or record.updated_at


def export(
    ledger: Ledger, archive: Archive, label: str, wish: ExportWish, options: DistillOptions
) -> Iterator[ExportRecord]:
    """The records of a mirror."""
    if wish.max_tokens is not None and wish.max_tokens < 1:
        raise UsageError("a part needs at least one token", hint="such as --max-tokens 512")
    key = wish.after.partition("#")[0].partition("~")[0] if wish.after else None
    exporter = _Exporter(ledger, archive, label, wish, replace(options, outline=True))
    waiting = key is not None
    pages: Iterator[StoredPage | LeftPage] = chain(ledger.pages.by_path(label), exporter.left())
    for page in pages:
        if waiting and page.place.key != key:
            continue
        records = exporter.records(page) if isinstance(page, StoredPage) else exporter.departed(page)
        for record in records:
            if waiting:
                waiting = record.id != wish.after
            else:
                yield record
        if waiting:
            break
    if waiting:
        raise UsageError(f"there is no record {wish.after} to go on after", hint="leave out --from")


class _Exporter:
    """The records of one page after the other."""

    def __init__(
        self, ledger: Ledger, archive: Archive, label: str, wish: ExportWish, options: DistillOptions
    ) -> None:
        self._ledger = ledger
        self._archive = archive
        self._label = label
        self._wish = wish
        self._options = options

    def records(self, stored: StoredPage) -> Iterator[ExportRecord]:
        """What a page gives."""
        since = self._wish.since
        if stored.gone_at is not None and (since is None or stored.gone_at <= since):
            return
        [item] = self._ledger.history.items(stored.item_id)
        absences = self._ledger.pages.absences(self._label, stored.place.key) if since else ()
        is_steady = since is not None and item.created_at <= since and not absences
        if is_steady and not self._wish.same:
            return
        seen = of_page(self._ledger.history.of_url(item.place.web_key, item.recipe), item.place)
        versions = versions_of(seen, item.recipe)
        old = at_moment(versions, since) if since and _was_there(seen, absences, since) else None
        now = next((v for v in reversed(versions) if v.item.item_id == item.item_id), None)
        if now is None:
            return
        if stored.gone_at is not None:
            if old is not None:
                yield from self._gone(old, self._before(old).values())
            return
        yield from self._present(now, old)

    def left(self) -> Iterator[LeftPage]:
        """The pages that left the mirror since, and are not in it."""
        since, told = self._wish.since, set[str]()
        for page in self._ledger.pages.left_between(self._label, since) if since else ():
            key = page.place.key
            if key not in told and self._ledger.pages.page(self._label, key) is None:
                told.add(key)
                yield page

    def departed(self, page: LeftPage) -> Iterator[ExportRecord]:
        """What is gone with a page that left."""
        since, place = self._wish.since, page.place
        seen = of_page(self._ledger.history.of_url(place.web_key), place)
        if since is None or not seen:
            own = ExportedPage(place.url, place.key, "", None, page.left_at, None, _NO_HASH)
            yield ExportRecord(own, RecordChange.GONE, "", (), None, "page", "", "", "")
            return
        absences = self._ledger.pages.absences(self._label, place.key)
        before = [o for o in seen if o.capture.fetched_at <= since]
        if before and _was_there(seen, absences, since) and (recipe := latest_recipe(before)):
            old = versions_of(before, recipe)[-1]
            yield from self._gone(old, self._before(old).values())

    def _present(self, now: PageVersion, old: PageVersion | None) -> Iterator[ExportRecord]:
        try:
            page = page_of_version(self._archive, now, self._options)
        except ArchiveError:
            return
        own = _page(now, page)
        if self._wish.unit is ExportUnit.PAGE:
            change = _change(old is None, old is not None and old.item.item_id != now.item.item_id)
            whole = (page.title,) if page.title else ()
            said = (page.text, page.markdown)
            record = ExportRecord(own, change, "", whole, None, "page", own.content_sha256, *said)
            yield from self._wanted(record)
            return
        before = self._before(old) if old is not None else {}
        for section in page.structure.outline:
            kept = before.pop(section.anchor, None)
            differs = kept is not None and (kept.content, kept.path) != (section.content, section.path)
            yield from self._wanted(_section(own, section, page.markdown, _change(kept is None, differs)))
        if old is not None:
            yield from self._gone(old, before.values())

    def _wanted(self, record: ExportRecord) -> Iterator[ExportRecord]:
        if record.change is not RecordChange.SAME or self._wish.same:
            yield from in_parts(record, self._wish.max_tokens)

    def _gone(self, old: PageVersion, sections: Iterable[KeptSection]) -> Iterator[ExportRecord]:
        own = _page(old, None)
        if self._wish.unit is ExportUnit.PAGE:
            yield ExportRecord(
                own, RecordChange.GONE, "", (own.title,), None, "page", own.content_sha256, "", ""
            )
            return
        for kept in sections:
            said = (kept.anchor, kept.path, kept.name, kept.kind, kept.content)
            yield ExportRecord(own, RecordChange.GONE, *said, "", "")

    def _before(self, old: PageVersion) -> dict[str, KeptSection]:
        """The sections of an earlier version, by anchor; from the archive where the ledger has none."""
        kept = self._ledger.sections.of_item(old.item.item_id)
        if not kept:
            try:
                kept = kept_sections(page_of_version(self._archive, old, self._options).structure.outline)
            except ArchiveError:
                kept = ()
        return {section.anchor: section for section in kept}


def _was_there(seen: Iterable[Observation], absences: Iterable[datetime], moment: datetime) -> bool:
    return was_there((o.capture.fetched_at for o in seen), absences, moment)


def _change(is_new: bool, differs: bool) -> RecordChange:  # noqa: FBT001 - both say what they are
    if is_new:
        return RecordChange.NEW
    return RecordChange.CHANGED if differs else RecordChange.SAME


def _page(version: PageVersion, page: Page | None) -> ExportedPage:
    item = version.item
    return ExportedPage(
        url=item.place.url,
        url_key=item.place.key,
        title=item.title,
        language=page.head.language if page else None,
        fetched_at=version.capture.fetched_at,
        item_id=item.item_id,
        content_sha256=item.content_sha256,
    )


def _section(own: ExportedPage, section: PageSection, markdown: str, change: RecordChange) -> ExportRecord:
    data = markdown.encode("utf-8", "surrogatepass")
    pieces = [data[first:last].decode("utf-8", "replace").strip("\n") for first, last in section.spans]
    return ExportRecord(
        page=own,
        change=change,
        anchor=section.anchor,
        headings=section.path,
        name=section.name,
        kind=str(section.kind),
        content=section.content,
        text=section.text,
        markdown="\n\n".join(filter(None, pieces)),
    )
