"""What a crawl that ended in order still wants, now that it is known which pages there are: local links and
`llms.txt`.

1. Which links can be local is known only when the last page is there. So the pages are made again from the
   archive, with the links that the mirror's set of pages gives them, however the crawl ended: finished, at
   `--max-pages`, at a failure, interrupted. The folder stays a function of the pages.
2. Until that is done the manifest says `settling`: a start that finds it there, because the one before was
   killed or let go, does it, even if it has nothing else to do.
3. A user who asks to stop twice is let go at once: the next end does it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from holdfast.adapters.ports import SILENT
from holdfast.core.crawl.mirror_spec import Order
from holdfast.core.mirror.manifest import MANIFEST, SETTLING
from holdfast.core.mirror.manifest_gist import head_of_manifest
from holdfast.core.url.layout import Layout
from holdfast.core.url.name_plan import NamePlan
from holdfast.jobs.upkeep.restore import RebuildOrder, rebuild

if TYPE_CHECKING:
    from holdfast.adapters.ports import Mirror
    from holdfast.jobs.mirror.summary import Summary
    from holdfast.jobs.session import Session
    from holdfast.jobs.stop import Stop


async def finish(session: Session, folder: Mirror, order: Order, summary: Summary, stop: Stop) -> None:
    """Make the folder what the settings ask for beyond the pages themselves."""
    manifest = head_of_manifest(lambda: folder.pieces(MANIFEST))
    if isinstance(manifest, str) or (summary.update is not None and SETTLING not in manifest["crawl"]):
        return
    layout = manifest["layout"]
    names = NamePlan(Layout(layout["name"]), layout["scheme"])
    session.observer = SILENT  # the pages were shown once already
    again = rebuild(session, folder, RebuildOrder(order, names))
    await _unless_stopped(asyncio.ensure_future(again), stop)


async def _unless_stopped(work: asyncio.Future[object], stop: Stop) -> None:
    """Wait for work that the user may ask to leave as it is."""

    def leave() -> None:
        if stop.now:
            work.cancel()

    stop.wakers.append(leave)
    try:
        await work
    except asyncio.CancelledError:
        if not stop.now:
            raise
    finally:
        stop.wakers.remove(leave)
