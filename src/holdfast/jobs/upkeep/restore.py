"""The folder anew, from ledger and archive, without a request.

1. In place, what is there and right stays untouched; what is missing or altered is written; files that the
   ledger does not know are left alone, but for sidecars of ours that are not asked for any more. With other
   Markdown settings the ledger learns the new files.
2. Elsewhere, the mirror is written whole: as it is, in another layout, or as it was at a moment. What an
   earlier copy in that folder had beyond it goes: pages that its manifest names and nobody altered, and
   placeholders.
3. The deterministic part (MIR-12) is, byte for byte, what the crawl wrote.
4. There is no fetcher among the arguments, and a contract forbids the import: it cannot reach the network.
"""

from __future__ import annotations

import asyncio
import pickle
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from heapq import merge
from typing import TYPE_CHECKING, Any, Final, assert_never

from holdfast.core.base.errors import ArchiveError
from holdfast.core.base.figures import timestamp
from holdfast.core.base.hashing import UrlKey, content_hash
from holdfast.core.base.long_lists import Fingerprints
from holdfast.core.base.values import dataclass
from holdfast.core.crawl.mirror_spec import Order
from holdfast.core.lineage.ledger_values import Confirmed, Finding, StoredPage
from holdfast.core.lineage.lineage import CaptureRecord, RunRecord
from holdfast.core.mirror.checkpoint import Progress
from holdfast.core.mirror.description import FEW, MirrorStyle, Pages, held, manifest_pieces
from holdfast.core.mirror.manifest import MANIFEST, SETTLING, read_manifest
from holdfast.core.mirror.manifest_gist import ManifestGist, gist_of_manifest
from holdfast.core.mirror.mirror_files import FileKind, MirrorFile, mirror_files
from holdfast.core.mirror.page_files import FAILED, SKIPPED, page_of
from holdfast.core.page.sidecar import SCHEMA, read_sidecar
from holdfast.core.url.canonical import CanonicalUrl
from holdfast.core.url.name_plan import NamePlan, sidecar_of
from holdfast.core.url.redaction import shown
from holdfast.jobs.converting import Converted, converted, page_rules
from holdfast.jobs.held_pages import (
    Holding,
    LocalLinks,
    finished_urls,
    holdings,
    holdings_at,
    is_as_made,
    placeholders,
)
from holdfast.jobs.upkeep.restore_row import Rebuilt
from holdfast.questions.log.runs import mirror_run

if TYPE_CHECKING:
    from holdfast.adapters.ports import Mirror
    from holdfast.jobs.session import Session
    from holdfast.storage.ledger.ledger import Ledger

BATCH: Final = 100
_STANDS_FOR: Final = (f"{FAILED}/", f"{SKIPPED}/")
_OF_THE_PAGES: Final = ("gone", "sha256", SETTLING)
"""What a manifest's `crawl` says of the folder as it is."""


@dataclass(frozen=True, slots=True)
class RebuildOrder:
    """What is rebuilt: the mirror's order and names; `moment`: as it was then; `in_place`: in its folder."""

    order: Order
    names: NamePlan
    moment: datetime | None = None
    in_place: bool = True


async def rebuild(session: Session, folder: Mirror, order: RebuildOrder) -> Rebuilt:
    """Write the folder."""
    return await _Rebuilding(session, folder, order).go()


class _Rebuilding:
    def __init__(self, session: Session, folder: Mirror, order: RebuildOrder) -> None:
        self._session = session
        self._folder = folder
        self._order = order
        self._counts: Counter[str] = Counter()
        self._flawed: list[tuple[str, str]] = []
        self._is_new = not order.in_place and next(folder.walk(), None) is None
        self._then: dict[UrlKey, Holding] = {}
        self._missing: set[UrlKey] = set()
        self._few: list[StoredPage] = []
        self._rows = folder.rows()
        self._files: dict[str, bytes] = {}
        self._times: dict[str, float] = {}
        self._learned: list[Finding] = []
        self._writing: asyncio.Task[dict[str, str]] | None = None
        self._began = session.clock.monotonic()
        self._named = lru_cache(maxsize=10_000)(self._name)  # a page is named before and after it is made

    async def go(self) -> Rebuilt:
        order, ledger = self._order.order, self._session.ledger
        total = self._look()
        links = LocalLinks(order, self._paths, self._order.moment)
        rules = page_rules(order, lambda page: links.of(ledger, page, self._path(page)))
        made_by = lambda holding: rules(holding.page)  # noqa: E731 - a name for the line below
        async for page in converted(self._todo(), self._session, made_by):
            self._take(page, total)
            if len(self._files) >= BATCH:
                await self._write()
            if len(self._learned) >= BATCH:
                await self._settle()
        await self._put_assets(links)
        await self._settle()
        await self._describe()
        counts = self._counts
        return Rebuilt(
            counts["pages"], counts["written"], counts["kept"], tuple(self._flawed), removed=counts["removed"]
        )

    def _look(self) -> int:
        """How many pages there are. Where they get other names than they have, all take theirs first, in
        order, since one may have to yield to another.
        """
        label, moment = self._order.order.label, self._order.moment
        if moment is not None:
            then = list(holdings_at(self._session.ledger, label, moment))
            self._then = {holding.page.place.key: holding for holding in then}
            pages: Iterable[StoredPage] = (holding.page for holding in then)
        else:
            pages = self._session.ledger.pages.by_path(label)
        if self._order.in_place:
            return self._session.ledger.pages.count(label).pages
        return sum(bool(self._path(page)) for page in pages)

    def _held(self) -> Iterable[Holding]:
        if self._order.moment is not None:
            return self._then.values()
        return holdings(self._session.ledger, self._order.order.label)

    def _todo(self) -> Iterator[tuple[Holding, CaptureRecord]]:
        for holding in self._held():
            if holding.capture is not None:
                yield holding, holding.capture
            else:
                self._cannot(holding, "the ledger has no capture of it")

    def _paths(self, ledger: Ledger, keys: Collection[UrlKey]) -> dict[UrlKey, str]:
        """Where the pages of these URLs lie in the folder that is written."""
        if self._order.moment is not None:
            return {key: self._path(self._then[key].page) for key in keys if key in self._then}
        pages = ledger.pages.pages_of(self._order.order.label, keys)
        return {key: self._path(page) for key, page in pages.items()}

    def _take(self, converted: Converted[Holding], total: int) -> None:
        holding, made = converted.asked, converted.made
        number = self._counts["pages"] + len(self._flawed) + 1
        elapsed = self._session.clock.monotonic() - self._began
        url = shown(holding.page.place.url)
        self._session.tell("processing", number=number, total=total, url=url)
        if made is None or made.skip is not None or converted.capture is None:
            self._cannot(holding, converted.flaw or (made.skip if made else None) or "no page")
            return
        page = holding.page
        path = self._path(page)
        facts, files = page_of(self._order.order, page.facts.depth, made, converted.capture, path)
        self._put(files, converted.capture.fetched_at.timestamp())
        self._drop_sidecar(path)
        self._keep(replace(page, facts=facts, content_sha256=made.content.content_sha256))
        if self._order.in_place and facts != page.facts:
            self._learned.append(self._finding(replace(page, facts=facts)))
        self._counts["pages"] += 1
        progress = Progress(number, total, number, elapsed)
        self._session.tell("processed", progress=progress, outcomes={"failed": len(self._flawed)})

    def _keep(self, page: StoredPage) -> None:
        """A page that the descriptions name. In place, the ledger has them all; elsewhere they are noted, the
        first ones in memory.
        """
        if self._order.in_place:
            return
        if len(self._few) < FEW:
            self._few.append(page)
        else:
            self._rows.add(_path_of(page) + b"\0" + pickle.dumps(page))

    def _pages(self) -> Iterator[StoredPage]:
        """The pages that the folder has now, by path, as often as they are asked for."""
        if not self._order.in_place:
            many = (pickle.loads(row.partition(b"\0")[2]) for row in self._rows)
            return merge(sorted(self._few, key=_path_of), many, key=_path_of)
        label = self._order.order.label
        there = self._session.ledger.pages.by_path(label)
        return (page for page in there if page.place.key not in self._missing)

    def _path(self, page: StoredPage) -> str:
        if self._order.in_place:
            return page.facts.path
        return self._named(page.place.url)

    def _name(self, url: str) -> str:
        canonical = CanonicalUrl(url, self._order.order.standard.policy.component)
        return self._order.names.place(canonical).path

    def _put(self, files: tuple[tuple[str, bytes], ...], time: float | None) -> None:
        """What is there and right stays as it is."""
        for path, content in files:
            if not self._is_new and self._folder.read(path) == content:
                self._counts["kept"] += 1
            else:
                self._files[path] = content
                if time is not None:
                    self._times[path] = time

    def _drop_sidecar(self, path: str) -> None:
        """A sidecar of ours that the settings do not ask for any more."""
        if not self._is_new and not self._order.order.has_sidecars:
            self._remove_sidecar(path)

    def _remove_sidecar(self, path: str) -> None:
        sidecar = sidecar_of(path)
        if read_sidecar(self._folder.read(sidecar)).get("schema") == SCHEMA:
            self._folder.remove(sidecar)
            self._counts["removed"] += 1

    def _drop_leftovers(self, wanted: Fingerprints) -> None:
        """What an earlier copy in this folder had, and this one has not."""
        told = read_manifest(self._folder.read(MANIFEST) or b"")
        if isinstance(told, str):
            return
        for page in told["pages"]:
            path = page["path"]
            if path not in wanted and self._folder.holds(path, page["file_sha256"]):
                self._folder.remove(path)
                self._counts["removed"] += 1
                self._remove_sidecar(path)
        stale = [path for path in self._folder.walk() if path.startswith(_STANDS_FOR)]
        for path in stale:
            if path not in wanted:
                self._folder.remove(path)
                self._counts["removed"] += 1

    async def _put_assets(self, links: LocalLinks) -> None:
        """The images that pages show and the folder lacks; one that the archive cannot give back is told."""
        for path, record in links.assets().items():
            if record.ref is None or self._folder.has(path):
                continue
            try:
                self._files[path] = self._session.read(record.ref).body
            except ArchiveError as error:
                self._flawed.append((shown(record.url), error.message))
            if len(self._files) >= BATCH:
                await self._write()

    def _cannot(self, holding: Holding, why: str) -> None:
        """A page that cannot be made again: the file that is there stays, if it is the right one."""
        page = holding.page
        file = self._folder.read(page.facts.path) if self._order.in_place else None
        if file is not None and content_hash(file) == page.facts.file_sha256:
            self._keep(page)
            self._counts["pages"] += 1
            self._counts["kept"] += 1
        else:
            self._missing.add(page.place.key)
            self._flawed.append((shown(page.place.url), why))

    async def _write(self) -> None:
        """Hand over what there is, once what was handed over before is written: one batch at a time."""
        if self._writing is not None:
            refused = await self._writing
            self._counts["written"] -= len(refused)
            self._flawed += refused.items()
            self._writing = None
        files, times, self._files, self._times = self._files, self._times, {}, {}
        self._counts["written"] += len(files)
        if files:
            self._writing = asyncio.create_task(asyncio.to_thread(self._folder.put_all, files, times))

    async def _settle(self) -> None:
        """Everything that was made is durable; then the ledger is told of it."""
        await self._write()
        await self._write()
        await asyncio.to_thread(self._folder.settle)
        self._learn()

    def _finding(self, page: StoredPage) -> Finding:
        """The ledger is told of a file that is not what it was, and of nothing else."""
        recipe = self._order.order.standard.recipe
        seen = self._session.ledger.history.of_url(page.place.web_key, recipe)
        own = [o.capture for o in seen if o.item and o.item.place.key == page.place.key]
        then = [capture for capture in own if capture.fetched_at == page.fetched_at]
        last: CaptureRecord = (then or own)[-1]
        return Finding(capture=last, made=Confirmed(), page=page.facts)

    def _learn(self) -> None:
        session, label = self._session, self._order.order.label
        if self._learned:
            now, learned, self._learned = session.clock.now(), self._learned, []
            session.ledger.commit(mirror_run(session.ledger, label).run.run_id, learned, now)

    async def _describe(self) -> None:
        """All that is not made of a capture alone, now that the pages are there."""
        order, names, folder = self._order.order, self._order.names, self._folder
        style, pages = MirrorStyle.of(names.layout, names.scheme, order), held(self._pages)
        stand_ins = placeholders(
            self._session.ledger, self._session.archive, order, names, self._order.moment
        )
        wanted = Fingerprints()
        for file in mirror_files(order, pages, stand_ins, folder.read, folder.rows):
            wanted.add(file.path)
            self._apply(file)
        await self._settle()
        if not self._order.in_place and not self._is_new:
            self._drop_leftovers(wanted)
        if not self._order.in_place or self._differs(pages, style):
            folder.write(MANIFEST, self._manifest(pages, style))  # last: it says that all of it is there

    def _apply(self, file: MirrorFile) -> None:
        """Write a file that is not as it should be; a placeholder that nobody can tell is left as it is."""
        match file.kind:
            case FileKind.PAGE | FileKind.SIDECAR | FileKind.MANIFEST:
                pass  # put already; the manifest comes last
            case FileKind.INDEX | FileKind.LIST:
                if file.pieces is not None and not is_as_made(self._folder, file):
                    self._folder.write(file.path, file.pieces())
            case FileKind.CHECKPOINT:
                if self._order.in_place and not self._folder.has(file.path):
                    self._folder.write(file.path, (f"{url}\n".encode() for url in self._finished()))
            case FileKind.PLACEHOLDER:
                if file.pieces is not None:
                    content = b"".join(file.pieces())
                    self._put(((file.path, content),), file.time.timestamp() if file.time else None)
            case _:
                assert_never(file.kind)

    def _manifest(self, pages: Pages, style: MirrorStyle) -> Iterator[bytes]:
        label = self._order.order.label
        aliases = self._session.ledger.pages.aliases(label)
        return manifest_pieces(pages, style, self._crawl(), aliases)

    def _crawl(self) -> dict[str, Any]:
        order = self._order
        moment = order.moment or self._session.clock.now()
        last = mirror_run(self._session.ledger, order.order.label, moment)
        there = self._told() if order.in_place else ""
        known = there.crawl if not isinstance(there, str) else {}
        crawl = {
            **{key: value for key, value in known.items() if key not in _OF_THE_PAGES},
            "run_id": last.run.run_id,
            "status": _status(known, last),
            "software": order.order.software,
            "started_at": timestamp(last.run.started_at),
            "rebuilt_at": timestamp(self._session.clock.now()),
            "seal": last.seal,
        }
        return crawl | {"as_of": timestamp(order.moment)} if order.moment else crawl

    def _told(self) -> ManifestGist | str:
        """What the manifest says that is there."""
        return gist_of_manifest(lambda: self._folder.pieces(MANIFEST))

    def _differs(self, pages: Pages, style: MirrorStyle) -> bool:
        """Whether the manifest that is there says something else, its crawl apart."""
        old, new = self._told(), gist_of_manifest(lambda: self._manifest(pages, style))
        if isinstance(old, str) or isinstance(new, str):
            return True
        is_told = SETTLING not in old.crawl and old.parts == new.parts
        return not is_told or {**old.head, "crawl": None} != {**new.head, "crawl": None}

    def _finished(self) -> Iterator[str]:
        label = self._order.order.label
        return finished_urls(self._session.ledger, label)


def _status(known: Mapping[str, Any], last: RunRecord) -> str:
    """How the last run ended, in the manifest's own words where it speaks of that run."""
    return str(known.get("status") if known.get("run_id") == last.run.run_id else last.status)


def _path_of(page: StoredPage) -> bytes:
    return page.facts.path.encode()
