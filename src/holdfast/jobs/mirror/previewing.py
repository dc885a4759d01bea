"""Wiring of a mirror that is only planned: all that it works with is in memory, and nothing is written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.fake_folder import MemoryMirror
from holdfast.adapters.system import SystemClock, read_bytes
from holdfast.core.crawl.mirror_spec import Order
from holdfast.jobs.converting import Tools, refine_here
from holdfast.jobs.mirror.job import preview
from holdfast.jobs.mirror.spec_from_settings import checked_sources, order_of
from holdfast.jobs.mirror_place import MirrorRequest, manifest_of, mirror_state_of
from holdfast.jobs.places import has_ledger
from holdfast.jobs.session import read_store
from holdfast.jobs.web_door import make_fetcher
from holdfast.storage.archive.in_memory import MemoryArchive
from holdfast.storage.scribe import ThreadScribe
from holdfast.storage.sqlite.sqlite_ledger import open_in_memory

if TYPE_CHECKING:
    from holdfast.adapters.ports import Mirror, Observer
    from holdfast.jobs.mirror.summary import PlannedPage
    from holdfast.storage.ledger.ledger import Ledger


async def plan_mirror(request: MirrorRequest, observer: Observer) -> list[PlannedPage]:
    """What a mirror would ask for first, and where it would lie: URL and path. Nothing is written."""
    there = {
        name: data for name in ("_manifest.json", "_processed.txt") if (data := _bytes_of(request, name))
    }
    fetcher = make_fetcher(request.settings, environment=request.environment, named=request.sources)
    clock = SystemClock()
    ledger = open_in_memory(clock.now())
    scribe = ThreadScribe(ledger, MemoryArchive(), clock)
    folder = MemoryMirror(there)
    tools = Tools(fetcher, scribe, folder, refine_here, clock, observer)
    try:
        state = mirror_state_of(request.output, request.settings)
        return await preview(_order_to_plan(request, observer, state, ledger, folder), tools)
    finally:
        scribe.close()
        await fetcher.close()


def _bytes_of(request: MirrorRequest, name: str) -> bytes | None:
    file = request.output / name
    return read_bytes(file, "checkpoint") if file.is_file() else None


def _order_to_plan(
    request: MirrorRequest, observer: Observer, state: Path, empty: Ledger, there: Mirror
) -> Order:
    """The order that a mirror would have: with the versions that its ledger has recorded, if it has one."""
    sources = checked_sources(request)
    manifest = manifest_of(there)
    if not has_ledger(request.settings, state):
        return order_of(request, sources, observer, state, empty, manifest)
    with read_store(request.settings, state) as store:
        return order_of(request, sources, observer, state, store.ledger, manifest)
