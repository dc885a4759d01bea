"""The mirror job: its steps, in their order."""

from __future__ import annotations

import asyncio
from typing import Final

from holdfast.core.ledger import RunStatus
from holdfast.jobs.mirror.assets import fetch_assets
from holdfast.jobs.mirror.closing import Summary, close_run, write_first_manifest
from holdfast.jobs.mirror.crawl import Crawl, Ending
from holdfast.jobs.mirror.discovery import Discovery
from holdfast.jobs.mirror.opening import Opened, open_run, remember_names
from holdfast.jobs.mirror.order import Order
from holdfast.jobs.mirror.stop import Stop
from holdfast.jobs.mirror.tools import Tools
from holdfast.jobs.mirror.updating import Updating

__all__ = ["mirror"]

POLITE_WIDTH: Final = 4
"""Entries under way when the rate is limited: enough to convert one page while the next is fetched."""
WIDTH: Final = 64


async def mirror(order: Order, tools: Tools, stop: Stop, *, limited: bool) -> Summary:
    """Make or go on with a mirror; `limited`: requests are held to a rate."""
    began = tools.clock.monotonic()
    opened = open_run(tools, order)
    if opened.manifest_is_missing:
        write_first_manifest(tools, opened)
    updating = Updating(tools, opened.state, order.max_age) if order.settings.update else None
    tools.tell("opened", run_id=opened.run.run_id, resumed=opened.resumed)
    ending = Ending.INTERRUPTED
    if opened.state.is_discovered or await _discover(tools, opened, stop):
        if opened.state.total:
            remember_names(tools, opened.state)
        width = POLITE_WIDTH if limited else WIDTH
        ending = await Crawl(tools, opened.state, stop, width=width, updating=updating).run()
    if ending is Ending.FINISHED and order.settings.assets and not opened.state.is_quiet:
        await fetch_assets(tools, opened.state, stop)
    report = updating.finish(complete=ending is Ending.FINISHED) if updating else None
    seconds = tools.clock.monotonic() - began
    return close_run(tools, opened, ending, seconds, in_a_hurry=stop.now, update=report)


async def _discover(tools: Tools, opened: Opened, stop: Stop) -> bool:
    """Fill the frontier; False when the user asked to stop meanwhile: the next start does it anew."""
    state = opened.state
    work = asyncio.create_task(Discovery(tools, state).run())
    stop.wakers.append(work.cancel)
    try:
        await work
    except asyncio.CancelledError:
        if not stop.soon:
            raise
        return False
    finally:
        stop.wakers.remove(work.cancel)
    state.is_discovered = True
    state.total = sum(tools.ledger.frontier.count_entries(state.run_id).values())
    marks = {"discovered": 1, "follow": int(state.follow)}
    tools.ledger.runs.update_run(state.run_id, RunStatus.RUNNING, tools.clock.now(), marks)
    tools.tell("frontier", total=state.total, follow=state.follow)
    return True
