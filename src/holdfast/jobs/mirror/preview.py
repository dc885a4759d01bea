"""What a mirror would ask for first, and where it would lie. Lists are asked for, pages are not."""

from __future__ import annotations

from holdfast.core.canonical import CanonicalUrl
from holdfast.formats.checkpoint import PROCESSED, Checkpoint, read_processed
from holdfast.jobs.mirror.discovery import Discovery
from holdfast.jobs.mirror.opening import open_run
from holdfast.jobs.mirror.order import Order
from holdfast.jobs.mirror.tools import Tools

__all__ = ["preview"]


async def preview(order: Order, tools: Tools) -> list[tuple[str, str]]:
    """URL and path of every first entry that is not done; `tools` keep everything in memory."""
    state = open_run(tools, order).state
    done = read_processed(tools.folder.read(PROCESSED) or b"")
    if isinstance(done, Checkpoint):
        state.finished = done.urls
    await Discovery(tools, state).run()
    component = order.standard.policy.component
    return [
        (entry.fetch_url, state.names.place(CanonicalUrl(entry.place.url, component)).path)
        for entry in tools.ledger.frontier.entries(state.run_id)
    ]
