"""What goes over a whole mirror holds a part of it at a time: with four times the pages no more rows of the
ledger are in memory at once.

Groups are made small here, so that a mirror of sixty pages is many of them; `bench/large.py` measures the
memory of whole processes at 10,000 to 100,000 pages.
"""

from __future__ import annotations

import gc
import json
import shutil

import pytest

import holdfast as library
from helpers.sites.server import Reply, Site, page, sitemap
from helpers.sites.tangled import prose
from holdfast.adapters.folder.folder import Folder
from holdfast.adapters.folder.sorted_rows import RowsOnDisk
from holdfast.core.lineage.ledger_values import Alias, FrontierEntry, Observation, StoredPage
from holdfast.core.lineage.lineage import CaptureRecord, Item, RecordRef
from holdfast.core.mirror import description
from holdfast.jobs import held_pages
from holdfast.jobs.held_pages import Holding
from holdfast.jobs.session import Session
from holdfast.jobs.upkeep import restore
from holdfast.jobs.upkeep import verify as verifying
from holdfast.storage.archive import check_records
from holdfast.storage.archive.archive import WarcArchive

FEW, FACTOR, EVERY = 60, 4, 31
ROWS = frozenset((StoredPage, CaptureRecord, Item, RecordRef, FrontierEntry, Observation, Holding, Alias))


def site_of(pages: int) -> Site:
    """Pages with links to others; one in twenty is not there, so that something can be dropped."""

    def answer(target: str) -> Reply | None:
        number = int(target.rpartition("/")[2])
        if number % 20 == 19:
            return None
        links = [f"/p/{(number * step + 1) % pages}" for step in range(2, 6)]
        return page(f"Page {number}", text=prose(number), links=links)

    return Site({}, fallback=answer)


def make(folder, pages):
    site = site_of(pages)
    with site.serve() as origin:
        site.answers["/robots.txt"] = Reply(b"", type="text/plain")
        site.answers["/sitemap.xml"] = sitemap([f"{origin}/p/{number}" for number in range(pages)])
        library.mirror(
            f"{origin}/sitemap.xml", output=folder, convert_links="local", content_rate_limit=0, processes=1
        )


@pytest.fixture(scope="module")
def mirrors(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mirrors")
    for pages in (FEW, FACTOR * FEW):
        make(folder / str(pages), pages)
    return folder


class Held:
    """How many rows of a ledger were in memory at once, looked at whenever a file or a record is read."""

    def __init__(self) -> None:
        self.most = self.looks = 0

    def look(self) -> None:
        self.looks += 1
        if self.looks % EVERY == 0:
            self.most = max(self.most, sum(type(thing) in ROWS for thing in gc.get_objects()))

    def watching(self, work):
        def watched(*args, **options):
            self.look()
            return work(*args, **options)

        return watched


@pytest.fixture
def held(monkeypatch):
    """Groups are small, and what is held is counted."""
    monkeypatch.setattr(held_pages, "_AT_ONCE", 8)
    monkeypatch.setattr(verifying, "_AT_ONCE", 8)
    monkeypatch.setattr(Session, "ahead", 8)
    for described in (description, restore):
        monkeypatch.setattr(described, "FEW", 8)
    monkeypatch.setattr(RowsOnDisk, "held", 1 << 10)
    counted = Held()
    gc.freeze()  # what was there before is not counted, and costs no look
    for owner, name in ((Folder, "read"), (WarcArchive, "read"), (check_records, "parse_record")):
        monkeypatch.setattr(owner, name, counted.watching(getattr(owner, name)))
    yield counted
    gc.unfreeze()


def verify(folder, _new):
    assert library.verify(folder, processes=1).parts[0].value.agrees


def rebuild_in_place(folder, _new):
    assert library.restore(folder, processes=1).flawed == ()


def rebuild_anew(folder, _new):
    for file in folder.rglob("index.md"):
        file.unlink()
    rebuild_in_place(folder, _new)


def rebuild_elsewhere(folder, new):
    assert library.restore(folder, to=new, layout="flat", processes=1).flawed == ()
    told, made = (json.loads((place / "_manifest.json").read_bytes())["pages"] for place in (folder, new))
    assert [page["path"] for page in made] == sorted(page["path"] for page in made)
    assert {page["url"]: page["title"] for page in made} == {page["url"]: page["title"] for page in told}


def collect(folder, _new):
    assert library.gc(store=folder / ".holdfast").purged.captures > 0


def export(folder, _new):
    assert sum(1 for _ in library.export(folder, store=folder / ".holdfast")) > 0


def build_search(folder, _new):
    assert library.search("page", store=folder / ".holdfast").hits


WORKS = [
    verify,
    rebuild_in_place,
    rebuild_anew,
    rebuild_elsewhere,
    collect,
    export,
    build_search,
]


@pytest.mark.spec("CLU-5")
@pytest.mark.parametrize("work", WORKS, ids=lambda work: work.__name__)
def test_four_times_the_pages_are_not_held_at_once(mirrors, tmp_path, held, work):
    most = []
    for pages in (FEW, FACTOR * FEW):
        folder = tmp_path / str(pages)
        shutil.copytree(mirrors / str(pages), folder)
        held.most = held.looks = 0
        work(folder, tmp_path / f"{pages}-new")
        assert held.looks > pages // 2, "nobody looked"
        most.append(held.most)
    assert most[1] < most[0] + FEW, f"{most[0]} rows of {FEW} pages, {most[1]} of {FACTOR * FEW}"
