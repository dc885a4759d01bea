"""Wiring of a mirror that is only planned: all that it works with is in memory, and nothing is written."""

from __future__ import annotations

from pathlib import Path

from holdfast.adapters.clock import SystemClock
from holdfast.adapters.memory.archive import MemoryArchive
from holdfast.adapters.memory.ledger import MemoryLedger
from holdfast.adapters.memory.mirror import MemoryMirror
from holdfast.adapters.scribe import ThreadScribe
from holdfast.core.answers.mirroring import PlannedPage
from holdfast.core.crawl.order import Order
from holdfast.jobs.mirror.job import preview
from holdfast.jobs.mirror.tools import Tools
from holdfast.jobs.refining import refine_here
from holdfast.ports import Ledger, Mirror, Observer
from holdfast.wiring.crawling import checked_sources, order_of
from holdfast.wiring.fetching import make_fetcher
from holdfast.wiring.mirroring import MirrorRequest
from holdfast.wiring.settings import read_bytes
from holdfast.wiring.states import has_ledger, mirror_state_of
from holdfast.wiring.store import read_store

__all__ = ["plan_mirror"]


async def plan_mirror(request: MirrorRequest, observer: Observer) -> list[PlannedPage]:
    """What a mirror would ask for first, and where it would lie: URL and path. Nothing is written."""
    there = {
        name: data for name in ("_manifest.json", "_processed.txt") if (data := _bytes_of(request, name))
    }
    fetcher = make_fetcher(request.settings, environment=request.environment, named=request.sources)
    clock = SystemClock()
    ledger = MemoryLedger()
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
    if not has_ledger(request.settings, state):
        return order_of(request, sources, observer, state, empty, there)
    with read_store(request.settings, state) as store:
        return order_of(request, sources, observer, state, store.ledger, there)
