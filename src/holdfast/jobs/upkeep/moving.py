"""A mirror moves to another recipe: from the archive, without a request, one file a page (ID-13).

1. Every page is made again under the new recipe, by a reprocessing run of its own. Where its URL has
   another form now, the new file is written, the ledger learns of it, the old file goes, and the old URL
   becomes an alias, as its other names are.
2. Two pages that have become one place are one page: the one that has that URL already, else the first by
   path.
3. Old items stay, with their runs; each new one points to its origin (VER-5).
4. The mirror has the new recipe once every page has it: then, and only then, a run of the mirror says so.
   Killed before that, it is a mirror of the old recipe, and a second start goes on.
5. Pages are taken out of a mirror's folder with their files and their lines; what describes it is written
   anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from holdfast.core.base.hashing import UrlKey, id_of
from holdfast.core.base.values import dataclass
from holdfast.core.crawl.consequences import page_links
from holdfast.core.crawl.harvest import Harvest
from holdfast.core.crawl.mirror_spec import Order
from holdfast.core.lineage.ledger_values import Alias, AliasReason, Draft, Finding, PageLink, StoredPage
from holdfast.core.lineage.lineage import CaptureRecord, CrawlMarks, Job, Run, RunRecord, RunStatus, RunTally
from holdfast.core.mirror.checkpoint import FAILED_LOG, PROCESSED
from holdfast.core.mirror.description import MirrorStyle, held, index_pieces, llms_files, manifest_pieces
from holdfast.core.mirror.index import INDEX
from holdfast.core.mirror.manifest import MANIFEST
from holdfast.core.mirror.manifest_gist import head_of_manifest
from holdfast.core.mirror.page_files import FAILED, SKIPPED, asset_hash, page_of
from holdfast.core.url.canonical import CanonicalUrl
from holdfast.core.url.name_plan import NamePlan, sidecar_of
from holdfast.core.url.redaction import shown
from holdfast.core.url.url import Place
from holdfast.jobs.converting import Converted, converted, rules_for
from holdfast.jobs.held_pages import Holding, holdings, present_form
from holdfast.jobs.upkeep.reprocess import replaced
from holdfast.jobs.upkeep.restore_row import Moved

if TYPE_CHECKING:
    from holdfast.adapters.ports import Mirror
    from holdfast.jobs.session import Session
    from holdfast.storage.ledger.ledger import Ledger

BATCH: Final = 100


@dataclass(frozen=True, slots=True)
class _Step:
    """A page that is being moved: what was held, what was made of it, and its files where it stays a page."""

    held: StoredPage
    finding: Finding
    place: Place
    files: tuple[tuple[str, bytes], ...]

    @property
    def leaves(self) -> bool:
        """Whether its old URL and its old file go."""
        return self.place.key != self.held.place.key


async def move(session: Session, folder: Mirror, order: Order, names: NamePlan, last: RunRecord) -> Moved:
    """Bring a mirror to the recipe of an order; `last` is the run that it was made by."""
    return await _Moving(session, folder, order, names, last).go()


class _Moving:
    def __init__(
        self, session: Session, folder: Mirror, order: Order, names: NamePlan, last: RunRecord
    ) -> None:
        self._session = session
        self._folder = folder
        self._order = order
        self._names = names
        self._last = last
        self._counts: Counter[str] = Counter()
        self._flawed: list[tuple[str, str]] = []
        self._run = self._new_run("move", Job.REPROCESS, last.run.run_id)
        self._claimed: set[UrlKey] = set()
        self._names_of: dict[UrlKey, list[Alias]] = {}

    async def go(self) -> Moved:
        order, ledger = self._order, self._session.ledger
        held = list(holdings(ledger, order.label))
        self._claimed = {holding.page.place.key for holding in held}
        for alias in ledger.pages.aliases(order.label):
            self._names_of.setdefault(alias.target.key, []).append(alias)
        for path, url in ledger.pages.paths(order.label):
            self._names.taken[path.casefold() if self._names.layout.is_folded else path] = url
        before = ledger.runs.run(self._run.run_id)
        if before is None:
            ledger.runs.begin_run(self._run)
        if before is None or before.status is not RunStatus.FINISHED:
            await self._go_over(held)
        self._end()
        counts, recipe = self._counts, str(order.standard.recipe)
        return Moved(recipe, counts["pages"], counts["renamed"], counts["merged"], tuple(self._flawed))

    async def _go_over(self, held: list[Holding]) -> None:
        order = self._order
        plain = rules_for(order.standard, order.options, keep_links=True)
        rules = replace(plain, front_matter=order.has_front_matter)
        batch: list[_Step] = []
        async for page in converted(self._todo(held), self._session, lambda _: rules):
            if (step := self._step(page)) is not None:
                batch.append(step)
            if len(batch) >= BATCH:
                self._commit(batch)
        self._commit(batch)
        counts = {name: self._counts[name] for name in ("renamed", "merged")}
        counts["failed"] = len(self._flawed)
        run_id, now = self._run.run_id, self._session.clock.now()
        self._session.ledger.runs.end_run(run_id, now, RunTally(counts))

    def _todo(self, held: list[Holding]) -> Iterator[tuple[Holding, CaptureRecord]]:
        for number, holding in enumerate(held, 1):
            url = shown(holding.page.place.url)
            self._session.tell("processing", number=number, total=len(held), url=url)
            if holding.capture is None:
                self._flawed.append((url, "the ledger has no capture of it"))
            else:
                yield holding, holding.capture

    def _step(self, page: Converted[Holding]) -> _Step | None:
        held, made, capture = page.asked.page, page.made, page.capture
        if made is None or made.skip is not None or capture is None or page.asked.capture is None:
            why = page.flaw or (made.skip if made else None) or "no page"
            self._flawed.append((shown(held.place.url), why))
            return None
        place = made.place
        said, links = made.content, self._links(page, made)
        draft = Draft(said.content_sha256, said.title, links, held.item_id, place, said.sections)
        finding = Finding(capture=page.asked.capture, made=draft)
        if place.key != held.place.key:
            others = [replace(alias, target=place) for alias in self._names_of.get(held.place.key, ())]
            itself = Alias(place, place, AliasReason.MOVED)  # it may have been another name of this page
            aliases = (Alias(held.place, place, AliasReason.MOVED), *others, itself)
            if place.key in self._claimed:
                self._counts["merged"] += 1
                return _Step(held, Finding(aliases=aliases), place, ())
            self._counts["renamed"] += 1
            finding = replace(finding, aliases=aliases)
        self._claimed.add(place.key)
        self._counts["pages"] += 1
        path = held.facts.path
        if place.key != held.place.key:
            path = self._names.place(CanonicalUrl(place.url, self._order.standard.policy.component)).path
        facts, files = page_of(self._order, held.facts.depth, made, capture, path)
        return _Step(held, replace(finding, page=facts), place, files)

    def _links(self, page: Converted[Holding], made: Harvest) -> tuple[PageLink, ...]:
        """A page's links; where the content is its own Markdown, they stand in the page that named it."""
        if page.capture is None or page.capture.alternate_of is None:
            return page_links(made.links)
        key = page.asked.page.place.key
        stored = self._session.ledger.history.links_of(self._last.run.recipe, key)
        return tuple(replaced(stored, self._order.standard))

    def _commit(self, batch: list[_Step]) -> None:
        """New files, then the ledger, then the old files go, then the ledger notes that."""
        files = {path: content for step in batch for path, content in step.files if step.leaves}
        refused = self._folder.write_all(files)
        self._flawed += refused.items()
        self._learn(self._session.ledger, batch)
        batch.clear()

    def _learn(self, ledger: Ledger, batch: list[_Step]) -> None:
        label = self._order.label
        ledger.commit(self._run.run_id, [step.finding for step in batch], self._session.clock.now())
        for step in batch:
            if step.held.gone_at is not None and step.files:
                ledger.pages.mark_gone(label, [step.place.key], step.held.gone_at)
            if step.leaves:
                self._folder.remove(step.held.facts.path)
                self._folder.remove(sidecar_of(step.held.facts.path))
        leaving = [step.held.place.key for step in batch if step.leaves]
        ledger.pages.drop_pages(label, leaving, self._session.clock.now())

    def _end(self) -> None:
        """The checkpoint names the URLs by their new forms; the mirror has its new recipe."""
        now = present_form(self._session.ledger, self._order.label)
        lines = (self._folder.read(PROCESSED) or b"").decode("utf-8", "surrogateescape").splitlines()
        renamed = dict.fromkeys(now(line) for line in lines)
        if list(renamed) != lines:
            self._folder.write(
                PROCESSED, "".join(f"{line}\n" for line in renamed).encode("utf-8", "surrogateescape")
            )
        run = self._new_run("moved", Job.MIRROR, self._run.run_id)
        ended, quiet = self._session.clock.now(), RunTally(marks=CrawlMarks(is_quiet=True))
        self._session.ledger.runs.begin_run(run)
        self._session.ledger.runs.end_run(run.run_id, ended, quiet)

    def _new_run(self, kind: str, job: Job, of: str) -> Run:
        standard = self._order.standard
        return Run(
            run_id=id_of(f"{kind} run", self._last.run.run_id, str(standard.recipe)),
            job=job,
            recipe=standard.recipe,
            identity_digest=standard.digest,
            started_at=self._session.clock.now(),
            label=self._order.label,
            reprocessing_of=of,
        )


def take_away(
    folder: Mirror,
    ledger: Ledger,
    order: Order,
    names: NamePlan,
    gone: tuple[Collection[str], Collection[str]],
) -> None:
    """Remove pages by path, and every trace of these URLs beside them; `gone` are both."""
    paths, urls = gone
    images = {path: name for path in paths if (name := asset_hash(path))}
    kept = ledger.archived.originals_of(images.values())
    for path in paths:
        if path not in images:
            folder.remove(path)
            folder.remove(sidecar_of(path))
        elif images[path] not in kept:  # else another address has these bytes, and shows this file
            folder.remove(path)
    for url in urls:
        canonical = CanonicalUrl(url, order.standard.policy.component)
        for kind in (FAILED, SKIPPED):
            folder.remove(names.placeholder(canonical, kind))
    for name in (PROCESSED, FAILED_LOG):
        _drop_lines(folder, name, urls)
    there = head_of_manifest(lambda: folder.pieces(MANIFEST))
    known = {} if isinstance(there, str) else there["crawl"]
    crawl = {key: known[key] for key in known if key not in ("gone", "sha256")} or {"status": ""}
    style = MirrorStyle.of(names.layout, names.scheme, order)
    pages = held(lambda: ledger.pages.by_path(order.label))
    folder.write(MANIFEST, manifest_pieces(pages, style, crawl, ledger.pages.aliases(order.label)))
    folder.write(INDEX, index_pieces(pages, folder.rows()))
    for path, pieces in llms_files(pages, folder.read, folder.rows):
        if folder.has(path):
            folder.write(path, pieces())


def _drop_lines(folder: Mirror, name: str, urls: Collection[str]) -> None:
    data = folder.read(name)
    if data is None:
        return
    lines = data.decode("utf-8", "surrogateescape").splitlines(keepends=True)
    kept = [line for line in lines if not any(part in urls for part in line.rstrip("\n").split("\t"))]
    if len(kept) < len(lines):
        folder.write(name, "".join(kept).encode("utf-8", "surrogateescape"))
