"""A mirror that is only planned: all that it works with is in memory, and nothing is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.adapters.fake_folder import MemoryMirror
from holdfast.adapters.system import read_bytes
from holdfast.core.crawl.mirror_spec import MirrorSource, Order
from holdfast.jobs.converting import refine_here
from holdfast.jobs.mirror.job import preview
from holdfast.jobs.mirror.spec_from_settings import as_made, checked_sources, order_of
from holdfast.jobs.mirror_place import MirrorRequest, manifest_of, mirror_state_of
from holdfast.jobs.places import has_ledger
from holdfast.jobs.session import Session, read_store, store_in_memory
from holdfast.jobs.web_door import make_fetcher

if TYPE_CHECKING:
    from holdfast.adapters.ports import Mirror, Observer
    from holdfast.jobs.mirror.summary import PlannedPage


async def plan_mirror(request: MirrorRequest, observer: Observer) -> list[PlannedPage]:
    """What a mirror would ask for first, and where it would lie: URL and path. Nothing is written."""
    there = {
        name: data for name in ("_manifest.json", "_processed.txt") if (data := _bytes_of(request, name))
    }
    folder = MemoryMirror(there)
    sources = checked_sources(request)
    request = as_made(request, sources, manifest_of(folder))
    fetcher = make_fetcher(request.settings, environment=request.environment, named=request.sources)
    try:
        state = mirror_state_of(request.output, request.settings)
        with store_in_memory(request.settings, state) as session:
            session.refine, session.observer = refine_here, observer
            order = _order_to_plan(request, sources, session, folder)
            return await preview(order, session, fetcher, folder)
    finally:
        await fetcher.close()


def _bytes_of(request: MirrorRequest, name: str) -> bytes | None:
    file = request.output / name
    return read_bytes(file, "checkpoint") if file.is_file() else None


def _order_to_plan(
    request: MirrorRequest, sources: tuple[MirrorSource, ...], empty: Session, there: Mirror
) -> Order:
    """The order that a mirror would have: with the versions that its ledger has recorded, if it has one."""
    manifest = manifest_of(there)
    if not has_ledger(request.settings, empty.state):
        return order_of(request, sources, empty, manifest)
    with read_store(request.settings, empty.state) as session:
        session.observer = empty.observer
        return order_of(request, sources, session, manifest)
